// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InboxTest {
    private static byte[] packet(int length, int seed) {
        ByteBuffer packet = ByteBuffer.allocate(Integer.BYTES + length).putInt(length);
        for (int i = 0; i < length; i++) {
            packet.put((byte) (seed + i));
        }
        return packet.array();
    }

    private static byte[] bytes(ByteBuffer view) {
        byte[] bytes = new byte[view.remaining()];
        view.duplicate().get(bytes);
        return bytes;
    }

    // However the bytes are cut, the packets come whole, in order; those looked at stay whole while more comes.
    @Test
    void packets_cutAnyhow_comeWhole() throws BadPacketException {
        Random random = new Random(20261129);
        for (int round = 0; round < 200; round++) {
            Inbox inbox = new Inbox();
            Deque<byte[]> expected = new ArrayDeque<>();
            ByteBuffer stream = ByteBuffer.allocate(1 << 17);
            for (int i = 0; i < 30; i++) {
                byte[] packet = packet(1 + random.nextInt(random.nextBoolean() ? 20 : 3000), i);
                stream.put(packet);
                expected.add(packet);
            }
            byte[] all = stream.array();
            int length = stream.position();
            int at = 0;
            ByteBuffer held = null;
            byte[] heldBytes = {};
            while (!expected.isEmpty()) {
                int n = Math.min(length - at, random.nextInt(2000));
                inbox.add(all, at, n);
                at += n;
                if (held != null) {
                    assertThat(bytes(held)).isEqualTo(heldBytes);
                    inbox.skip(Integer.BYTES + held.remaining());
                    held = null;
                }
                for (ByteBuffer each = inbox.look(0); each != null; each = inbox.look(0)) {
                    byte[] next = expected.remove();
                    assertThat(Integer.BYTES + each.remaining()).isEqualTo(next.length);
                    assertThat(bytes(each)).isEqualTo(java.util.Arrays.copyOfRange(next, 4, next.length));
                    if (random.nextInt(3) == 0) {
                        held = each;
                        heldBytes = bytes(each);
                        break;
                    }
                    inbox.skip(next.length);
                }
            }
        }
    }

    @Test
    void look_behindTheFirst_findsTheNext() throws BadPacketException {
        Inbox inbox = new Inbox();
        inbox.add(packet(3, 1), 0, 7);
        inbox.add(packet(2, 9), 0, 6);
        assertThat(bytes(inbox.look(7))).containsExactly(9, 10);
        assertThat(inbox.look(13)).isNull();
        assertThat(inbox.look(11)).isNull();
        inbox.skip(13);
        assertThat(inbox.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, (256 << 10) + 1, Integer.MAX_VALUE})
    void look_lengthThatCantBe_isBad(int length) {
        Inbox inbox = new Inbox();
        inbox.add(ByteBuffer.allocate(4).putInt(length).array(), 0, 4);
        assertThatThrownBy(() -> inbox.look(0)).isInstanceOf(BadPacketException.class);
    }
}
