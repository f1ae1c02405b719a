// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import io.mely.sfs.files.Attributes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Replies, one behind the other.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Reply {
    /** More than a reply without names or data has, as a rule. */
    static final int BYTES_FIRST = 256;

    /** A larger buffer is given back after use: more than any reply without names or data needs. */
    private static final int BYTES_KEPT = 8 << 10;

    private ByteBuffer out = ByteBuffer.allocate(BYTES_FIRST);

    /** Of the reply that was begun and not ended; else of the next one. */
    private int start;

    /** Begins a reply. */
    Reply begin(int type, int id) {
        start = out.position();
        return putInt(0).putByte(type).putInt(id);
    }

    /** Ends what was begun. */
    void end() {
        out.putInt(start, out.position() - start - Integer.BYTES);
        start = out.position();
    }

    /** Throws away what was begun and not ended. */
    void undo() {
        out.position(start);
    }

    /** Bytes since the last reply ended. */
    int length() {
        return out.position() - start;
    }

    private ByteBuffer room(int bytes) {
        if (out.remaining() < bytes) {
            int capacity = Math.max(2 * out.capacity(), out.position() + bytes);
            int position = out.position();
            out = ByteBuffer.wrap(Arrays.copyOf(out.array(), capacity));
            out.position(position);
        }
        return out;
    }

    Reply putByte(int value) {
        room(1).put((byte) value);
        return this;
    }

    Reply putInt(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    Reply putLong(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    Reply putBytes(byte[] bytes) {
        putInt(bytes.length);
        room(bytes.length).put(bytes);
        return this;
    }

    Reply putText(String text) {
        return putBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    Reply putData(ByteBuffer data) {
        putInt(data.remaining());
        room(data.remaining()).put(data);
        return this;
    }

    /** What was made by another. */
    Reply putRaw(ByteBuffer bytes) {
        room(bytes.remaining()).put(bytes);
        return this;
    }

    Reply putAttributes(Attributes attributes) {
        return putInt(Sftp.HAS_SIZE | Sftp.HAS_OWNER | Sftp.HAS_PERMISSIONS | Sftp.HAS_TIMES)
                .putLong(attributes.size())
                .putInt(attributes.uid())
                .putInt(attributes.gid())
                .putInt(attributes.mode())
                .putInt(seconds(attributes.accessedS()))
                .putInt(seconds(attributes.modifiedS()));
    }

    /** Version 3 has 32 bits without a sign for a time. */
    private static int seconds(long time) {
        return (int) Math.max(0, Math.min(time, 0xffff_ffffL));
    }

    /** Bytes of all replies. */
    int size() {
        return out.position();
    }

    /**
     * All replies that were ended; the next ones begin anew.
     *
     * @return a view, valid until the next reply begins
     */
    ByteBuffer take() {
        ByteBuffer all = out.duplicate().flip();
        if (out.capacity() > BYTES_KEPT) {
            out = ByteBuffer.allocate(BYTES_FIRST);
        }
        out.clear();
        start = 0;
        return all;
    }
}
