// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogRingTest {
    private static byte[] line(int length, int fill) {
        byte[] line = new byte[length];
        java.util.Arrays.fill(line, (byte) fill);
        return line;
    }

    // A full ring takes nothing, not even a part, and after a poll as much as was taken out, over the end of its array
    // too.
    @Test
    void offer_full_isRefusedWhole() {
        LogRing ring = new LogRing(16);
        assertThat(ring.offer(line(10, 1), 10)).isTrue();
        assertThat(ring.offer(line(7, 2), 7)).isFalse();
        assertThat(ring.used(0)).isEqualTo(10);
        ByteBuffer out = ByteBuffer.allocate(4);
        assertThat(ring.poll(out, ring.end())).isTrue();
        assertThat(ring.offer(line(10, 3), 10)).isTrue();
        assertThat(ring.offer(line(1, 4), 1)).isFalse();
        ByteBuffer rest = ByteBuffer.allocate(64);
        assertThat(ring.poll(rest, ring.end())).isFalse();
        assertThat(rest.flip().remaining()).isEqualTo(16);
        assertThat(rest.get(5)).isEqualTo((byte) 1);
        assertThat(rest.get(6)).isEqualTo((byte) 3);
    }

    // Two threads, lines of random length: all that was taken in comes out, in order, byte for byte.
    @Test
    void offer_poll_byTwoThreads() throws Exception {
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        LogRing ring = new LogRing(1 << 10);
        int lines = 200_000;
        AtomicLong offered = new AtomicLong(-1);
        Thread producer = new Thread(() -> {
            Random random = new Random(seed);
            byte[] line = new byte[300];
            long total = 0;
            for (int i = 0; i < lines; i++) {
                int length = 1 + random.nextInt(300);
                for (int j = 0; j < length; j++) {
                    line[j] = (byte) (total + j);
                }
                while (!ring.offer(line, length)) {
                    Thread.onSpinWait();
                }
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
