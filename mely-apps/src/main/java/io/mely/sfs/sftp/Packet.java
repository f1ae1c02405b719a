// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.sftp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of one request.
 *
 * <p><b>Threads.</b> One at a time. <b>Errors.</b> {@link BadPacketException} where a field reaches beyond the end.
 */
final class Packet {
    private final ByteBuffer in;
    private final int type;
    private final int id;

    /** @param in the packet without its length; its position is moved */
    Packet(ByteBuffer in) throws BadPacketException {
        this.in = in;
        type = readByte();
        id = readInt();
    }

    /** Its kind, a constant of {@link Sftp}. */
    int type() {
        return type;
    }

    /** The number that its reply repeats; of INIT the version. */
    int id() {
        return id;
    }

    private int readByte() throws BadPacketException {
        check(1);
        return in.get() & 0xff;
    }

    int readInt() throws BadPacketException {
        check(Integer.BYTES);
        return in.getInt();
    }

    /** An unsigned number of 64 bits; the largest signed one for those beyond. */
    long readLong() throws BadPacketException {
        check(Long.BYTES);
        long value = in.getLong();
        return value < 0 ? Long.MAX_VALUE : value;
    }

    byte[] readBytes() throws BadPacketException {
        byte[] bytes = new byte[readLength()];
        in.get(bytes);
        return bytes;
    }

    String readText() throws BadPacketException {
        return new String(readBytes(), StandardCharsets.UTF_8);
    }

    /** A view of bytes, valid as long as the packet. */
    ByteBuffer readView() throws BadPacketException {
        int length = readLength();
        ByteBuffer view = in.slice(in.position(), length);
        in.position(in.position() + length);
        return view;
    }

    private int readLength() throws BadPacketException {
        int length = readInt();
        if (length < 0 || length > in.remaining()) {
            throw new BadPacketException("a field is longer than its packet");
        }
        return length;
    }

    private void check(int bytes) throws BadPacketException {
        if (in.remaining() < bytes) {
            throw new BadPacketException("the packet ends too early");
        }
    }
}
