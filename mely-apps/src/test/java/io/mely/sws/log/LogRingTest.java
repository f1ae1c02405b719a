// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogRingTest {
    private static boolean offer(LogRing ring, int length, int fill) {
        int at = ring.claim(length);
        if (at >= 0) {
            java.util.Arrays.fill(ring.bytes(), at, at + length, (byte) fill);
            ring.publish(length);
        }
        return at >= 0;
    }

    // A full ring takes nothing, not even a part, and after a poll as much as was taken out, over the end of its array
    // too.
    @Test
    void offer_full_isRefusedWhole() {
        LogRing ring = new LogRing(16, 16);
        assertThat(offer(ring, 10, 1)).isTrue();
        assertThat(offer(ring, 7, 2)).isFalse();
        assertThat(ring.used(0)).isEqualTo(10);
        ByteBuffer out = ByteBuffer.allocate(4);
        assertThat(ring.poll(out, ring.end())).isTrue();
        assertThat(offer(ring, 10, 3)).isTrue();
        assertThat(offer(ring, 1, 4)).isFalse();
        ByteBuffer rest = ByteBuffer.allocate(64);
        assertThat(ring.poll(rest, ring.end())).isFalse();
        assertThat(rest.flip().remaining()).isEqualTo(16);
        assertThat(rest.get(5)).isEqualTo((byte) 1);
        assertThat(rest.get(6)).isEqualTo((byte) 3);
    }

    // What was claimed and not written is nobody's: the next line follows the last.
    @Test
    void publish_lessThanClaimed_leavesNoGap() {
        LogRing ring = new LogRing(16, 16);
        for (int i = 0; i < 100; i++) {
            int at = ring.claim(12);
            ring.bytes()[at] = (byte) i;
            ring.bytes()[at + 1] = (byte) ~i;
            ring.publish(2);
            ByteBuffer out = ByteBuffer.allocate(16);
            assertThat(ring.poll(out, ring.end())).isFalse();
            assertThat(out.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {(byte) i, (byte) ~i}));
        }
    }

    // Two threads, lines of random length: all that was taken in comes out, in order, byte for byte.
    @Test
    void offer_poll_byTwoThreads() throws Exception {
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        LogRing ring = new LogRing(1 << 10, 400);
        int lines = 200_000;
        AtomicLong offered = new AtomicLong(-1);
        Thread producer = new Thread(() -> {
            Random random = new Random(seed);
            long total = 0;
            for (int i = 0; i < lines; i++) {
                int length = 1 + random.nextInt(300);
                int at = ring.claim(length + random.nextInt(100));
                while (at < 0) {
                    Thread.onSpinWait();
                    at = ring.claim(length);
                }
                for (int j = 0; j < length; j++) {
                    ring.bytes()[at + j] = (byte) (total + j);
                }
                ring.publish(length);
                total += length;
            }
            offered.set(total);
        });
        producer.start();
        long taken = 0;
        ByteBuffer out = ByteBuffer.allocate(777);
        while (offered.get() < 0 || taken < offered.get()) {
            ring.poll(out, ring.end());
            out.flip();
            while (out.hasRemaining()) {
                if (out.get() != (byte) taken) {
                    throw new AssertionError("seed " + seed + ": byte " + taken);
                }
                taken++;
            }
            out.clear();
        }
        producer.join();
        assertThat(taken).isEqualTo(offered.get());
    }
}
