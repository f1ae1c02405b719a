// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.common.util.buffer.ByteArrayBuffer;
import org.junit.jupiter.api.Test;

class ChannelOutputTest {
    private static final int PACKET = 32 << 10;

    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final List<Integer> packets = new ArrayList<>();
    private long window;
    private int wakes;
    private boolean isHeld;

    private final ChannelOutput output = new ChannelOutput(new ChannelOutput.Channel() {
        @Override
        public long window() {
            return window;
        }

        @Override
        public long packetMax() {
            return PACKET;
        }

        @Override
        public Buffer begin(int bytes) {
            Buffer packet = new ByteArrayBuffer(ChannelOutput.HEAD_BYTES + bytes, false);
            packet.wpos(ChannelOutput.HEAD_BYTES);
            return packet;
        }

        @Override
        public void send(Buffer packet, int bytes) {
            window -= bytes;
            packets.add(bytes);
            sent.write(packet.array(), packet.rpos() + ChannelOutput.HEAD_BYTES, bytes);
        }

        @Override
        public boolean isHeld() {
            return isHeld;
        }

        @Override
        public void wakeLater() {
            wakes++;
        }
    });

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void replies_short_shareAPacket() {
        window = 1 << 20;
        output.write(ByteBuffer.wrap(random(20)));
        output.write(ByteBuffer.wrap(random(30)));
        assertThat(packets).isEmpty();
        output.flush();
        assertThat(packets).containsExactly(50);
    }

    // However the window opens: each byte goes once, in its order, and no packet is larger than it may be.
    @Test
    void bytes_throughAnyWindow_keepTheirOrder() {
        byte[] bytes = random(300_000);
        Random random = new Random(54);
        int at = 0;
        while (sent.size() < bytes.length) {
            int n = Math.min(random.nextInt(20_000), bytes.length - at);
            output.write(ByteBuffer.wrap(bytes, at, n));
            at += n;
            window += random.nextInt(random.nextBoolean() ? 40_000 : 100);
            output.sendWaiting();
            if (random.nextInt(4) == 0) {
                output.sendAnyway();
            }
        }
        assertThat(sent.toByteArray()).isEqualTo(bytes);
        assertThat(packets).allMatch(each -> each <= PACKET);
        assertThat(output.isWaiting()).isFalse();
    }

    // A client that opens its window byte by byte: no packet for each byte.
    @Test
    void window_openedByteByByte_isGathered() {
        byte[] bytes = random(64 << 10);
        output.write(ByteBuffer.wrap(bytes));
        for (int i = 0; i < bytes.length; i++) {
            window++;
            output.sendWaiting();
        }
        assertThat(sent.toByteArray()).isEqualTo(bytes);
        assertThat(packets).hasSize(bytes.length / ChannelOutput.WINDOW_BYTES_MIN);
    }

    // One whose whole window is that small gets what it has room for, a moment later.
    @Test
    void window_thatStaysSmall_isUsedAfterAMoment() {
        output.write(ByteBuffer.wrap(random(1000)));
        window = 10;
        output.sendWaiting();
        output.sendWaiting();
        assertThat(packets).isEmpty();
        assertThat(wakes).isEqualTo(1);
        output.sendAnyway();
        assertThat(packets).containsExactly(10);
        window = 10;
        output.sendWaiting();
        assertThat(packets).hasSize(1);
        assertThat(wakes).isEqualTo(2);
    }

    // The end of what waits needs no more room than it has bytes.
    @Test
    void rest_shorterThanTheLeastWindow_goesAtOnce() {
        output.write(ByteBuffer.wrap(random(10)));
        window = 10;
        output.sendWaiting();
        assertThat(packets).containsExactly(10);
        assertThat(wakes).isZero();
    }

    @Test
    void bytes_whileHeld_wait() {
        output.write(ByteBuffer.wrap(random(10)));
        isHeld = true;
        window = 100;
        output.sendWaiting();
        assertThat(packets).isEmpty();
        assertThat(output.isWaiting()).isTrue();
        isHeld = false;
        output.sendWaiting();
        assertThat(packets).containsExactly(10);
    }
}
