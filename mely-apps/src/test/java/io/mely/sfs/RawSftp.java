// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A few requests of SFTP, made by hand. */
final class RawSftp {
    private final DataOutputStream out;
    private final DataInputStream in;
    private int id;

    RawSftp(OutputStream out, DataInputStream in) {
        this.out = new DataOutputStream(new java.io.BufferedOutputStream(out));
        this.in = in;
    }

    void init() throws IOException {
        out.writeInt(5);
        out.writeByte(1);
        out.writeInt(3);
        out.flush();
        byte[] version = new byte[in.readInt()];
        in.readFully(version);
        if (version[0] != 2) {
            throw new IOException("no version: " + version[0]);
        }
    }

    /** Flags as of the protocol: 0x1a is write, create and truncate. */
    byte[] open(String path, int flags) throws IOException {
        byte[] name = path.getBytes(StandardCharsets.UTF_8);
        begin(3, 4 + name.length + 8);
        put(name);
        out.writeInt(flags);
        out.writeInt(0);
        DataInputStream reply = reply(102);
        byte[] handle = new byte[reply.readInt()];
        reply.readFully(handle);
        return handle;
    }

    /** The status. */
    int write(byte[] handle, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        begin(6, 4 + handle.length + 8 + 4 + bytes.length);
        put(handle);
        out.writeLong(0);
        put(bytes);
        return reply(101).readInt();
    }

    byte[] read(byte[] handle, int count) throws IOException {
        begin(5, 4 + handle.length + 8 + 4);
        put(handle);
        out.writeLong(0);
        out.writeInt(count);
        DataInputStream reply = reply(103);
        byte[] bytes = new byte[reply.readInt()];
        reply.readFully(bytes);
        return bytes;
    }

    int close(byte[] handle) throws IOException {
        begin(4, 4 + handle.length);
        put(handle);
        return reply(101).readInt();
    }

    private void begin(int type, int bytes) throws IOException {
        out.writeInt(5 + bytes);
        out.writeByte(type);
        out.writeInt(++id);
    }

    private void put(byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private DataInputStream reply(int type) throws IOException {
        out.flush();
        byte[] packet = new byte[in.readInt()];
        in.readFully(packet);
        DataInputStream reply = new DataInputStream(new java.io.ByteArrayInputStream(packet));
        int found = reply.readUnsignedByte();
        if (found != type || reply.readInt() != id) {
            throw new IOException("another reply: " + found);
        }
        return reply;
    }
}
