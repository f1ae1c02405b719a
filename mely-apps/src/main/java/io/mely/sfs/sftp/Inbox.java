// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that came and are not used up yet, in packets.
 *
 * <p>A packet that was looked at stays where it is until it is used up, also if more bytes come meanwhile: a blocking thread may be reading it.
 *
 * <p><b>Threads.</b> Its color. <b>Bounds.</b> What the client may send before more is asked for (the SSH window).
 */
final class Inbox {
    private static final byte[] NOTHING = {};

    private byte[] bytes = NOTHING;
    private int start;
    private int end;
    private boolean isLookedAt;

    /** Adds bytes. */
    void add(byte[] from, int offset, int count) {
        if (bytes.length - end < count) {
            int held = end - start;
            int needed = held + count;
            if (isLookedAt || bytes.length < needed || start < bytes.length / 2) {
                byte[] larger = new byte[Math.max(needed, Math.min(2 * bytes.length, 2 * needed))];
                System.arraycopy(bytes, start, larger, 0, held);
                bytes = larger; // a view of the old ones stays whole
            } else {
                System.arraycopy(bytes, start, bytes, 0, held);
            }
            start = 0;
            end = held;
        }
        System.arraycopy(from, offset, bytes, end, count);
        end += count;
    }

    /**
     * The first packet, or one behind it.
     *
     * @param skip bytes of packets before it, with their lengths
     * @return the packet without its length; null if not all of it is there
     * @throws BadPacketException if it is too long, or has no type
     */
    @Nullable
    ByteBuffer look(int skip) throws BadPacketException {
        int at = start + skip;
        if (end - at < Integer.BYTES) {
            return null;
        }
        int length = ByteBuffer.wrap(bytes, at, Integer.BYTES).getInt();
        if (length < 1 || length > Sftp.PACKET_BYTES_MAX) {
            throw new BadPacketException("a packet of " + Integer.toUnsignedString(length) + " bytes");
        }
        if (end - at - Integer.BYTES < length) {
            return null;
        }
        isLookedAt = true;
        return ByteBuffer.wrap(bytes, at + Integer.BYTES, length).slice();
    }

    /** Uses up the first bytes, whole packets; whoever looked at them is done. */
    void skip(int count) {
        start += count;
        isLookedAt = false;
        assert start <= end;
        if (start == end) {
            start = 0;
            end = 0;
            bytes = NOTHING; // nothing is kept for a client that is silent
        }
    }

    /** Bytes that wait. */
    int size() {
        return end - start;
    }

    @Override
    public String toString() {
        return Arrays.toString(Arrays.copyOfRange(bytes, start, Math.min(end, start + 16))) + ", " + size();
    }
}
