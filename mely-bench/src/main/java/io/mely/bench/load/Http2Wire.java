// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Frames of HTTP/2, written and read one by one, so that a client may send what no library would (RFC 9113, 4.1; RFC 7541).
 *
 * <p><b>Threads.</b> One.
 */
final class Http2Wire {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;
    static final int PADDED = 8;

    static final int FRAME_HEAD_BYTES = 9;
    private static final int BYTE = 0xff;

    // HPACK: entries of the static table, as indexed fields; names of literals that are not kept.
    private static final int METHOD_GET = 0x82;
    private static final int SCHEME_HTTPS = 0x87;
    private static final int NAME_AUTHORITY = 0x01;
    private static final int NAME_PATH = 0x04;
    static final int STATUS_200 = 0x88;

    private final DataInputStream in;
    private final OutputStream out;

    /** A frame that was read. */
    static final class Frame {
        final int type;
        final int flags;
        final int stream;
        final byte[] payload;

        Frame(int type, int flags, int stream, byte[] payload) {
            this.type = type;
            this.flags = flags;
            this.stream = stream;
            this.payload = payload;
        }

        boolean isEnd() {
            return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
        }

        /** Where the content of a DATA frame lies. */
        int from() {
            return (flags & PADDED) != 0 ? 1 : 0;
        }

        int length() {
            return (flags & PADDED) != 0 ? payload.length - 1 - (payload[0] & BYTE) : payload.length;
        }
    }

    Http2Wire(InputStream in, OutputStream out) {
        this.in = new DataInputStream(in);
        this.out = out;
    }

    /** Begins a connection, with these settings. */
    void begin(int... settings) throws IOException {
        send(preface(settings));
    }

    /**
     * How a client begins.
     *
     * @param settings names and values in turn
     */
    static byte[] preface(int... settings) {
        ByteArrayOutputStream begin = new ByteArrayOutputStream();
        begin.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (int i = 0; i < settings.length; i += 2) {
            payload.write(settings[i] >> 8);
            payload.write(settings[i]);
            payload.writeBytes(number(settings[i + 1]));
        }
        begin.writeBytes(frame(SETTINGS, 0, 0, payload.toByteArray()));
        return begin.toByteArray();
    }

    void send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    static byte[] number(int value) {
        return new byte[] {(byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value};
    }

    static byte[] frame(int type, int flags, int stream, byte... payload) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(FRAME_HEAD_BYTES + payload.length);
        frame.write(payload.length >> 16);
        frame.write(payload.length >> 8);
        frame.write(payload.length);
        frame.write(type);
        frame.write(flags);
        frame.writeBytes(number(stream));
        frame.writeBytes(payload);
        return frame.toByteArray();
    }

    /** The fields of a request for a path of less than 127 bytes. */
    static byte[] fields(String path) {
        ByteArrayOutputStream fields = new ByteArrayOutputStream();
        fields.write(METHOD_GET);
        fields.write(SCHEME_HTTPS);
        literal(NAME_AUTHORITY, "localhost", fields);
        literal(NAME_PATH, path, fields);
        return fields.toByteArray();
    }

    private static void literal(int name, String value, ByteArrayOutputStream to) {
        byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
        to.write(name);
        to.write(bytes.length);
        to.writeBytes(bytes);
    }

    /** A request without a body. */
    static byte[] get(int stream, String path) {
        return frame(HEADERS, END_STREAM | END_HEADERS, stream, fields(path));
    }

    /**
     * Waits for a frame.
     *
     * @throws EOFException if the connection has ended
     */
    Frame read() throws IOException {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] payload = new byte[length];
        in.readFully(payload);
        return new Frame(type, flags, stream, payload);
    }

    /** Waits for a frame that is about a request, or ends the connection; answers pings and settings before it. */
    Frame readAnswer() throws IOException {
        while (true) {
            Frame frame = read();
            boolean isAsked = (frame.flags & ACK) == 0;
            if (frame.type == SETTINGS && isAsked) {
                send(frame(SETTINGS, ACK, 0));
            } else if (frame.type == PING && isAsked) {
                send(frame(PING, ACK, 0, frame.payload));
            } else if (frame.type != SETTINGS && frame.type != WINDOW_UPDATE) {
                return frame;
            }
        }
    }
}
