// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The frames of a connection that are not written yet. A connection that has none holds no memory.
 *
 * <p><b>Bounds.</b> {@link #BYTES}, unless one head is longer. Answers get what {@link #dataRoom} says; the rest is for frames that answer frames.
 */
public final class Output {
    /** Where memory comes from. */
    public interface Memory {
        /**
         * Takes some.
         *
         * @param bytes how much
         * @return with at least so much room; null if there is none
         */
        @Nullable
        ByteBuf take(int bytes);

        /**
         * Gives it back.
         *
         * @param memory what was taken
         */
        void giveBack(ByteBuf memory);
    }

    /** As many as TLS seals by one write. */
    private static final int FRAMES = 4;

    /** For frames that answer frames: some sixty. More are read when these are written. */
    private static final int CONTROL_BYTES = 1 << 10;

    /** All of it. */
    public static final int BYTES = FRAMES * (Frames.HEADER_BYTES + Frames.PAYLOAD_BYTES_MAX) + CONTROL_BYTES;

    private final Memory memory;
    private @Nullable ByteBuf buffer;

    Output(Memory memory) {
        this.memory = memory;
    }

    /**
     * Whether there is nothing to write.
     *
     * @return true when all is written
     */
    public boolean isEmpty() {
        return buffer == null;
    }

    /**
     * What is to be written next.
     *
     * @return a view
     */
    public ByteBuffer pending() {
        ByteBuf now = buffer;
        return now == null ? ByteBuffer.allocate(0) : now.internalNioBuffer(now.readerIndex(), now.readableBytes());
    }

    /**
     * It was written, or a part of it.
     *
     * @param bytes how much
     */
    public void written(int bytes) {
        ByteBuf now = buffer;
        if (now != null && !now.skipBytes(bytes).isReadable()) {
            close();
        }
    }

    /** Forgets what is not written. */
    void close() {
        ByteBuf now = buffer;
        if (now != null) {
            buffer = null;
            memory.giveBack(now);
        }
    }

    /** Room for any frame. */
    int room() {
        ByteBuf now = buffer;
        return now == null ? BYTES : now.writableBytes();
    }

    /** Room for frames of answers. */
    int dataRoom() {
        return room() - CONTROL_BYTES;
    }

    /** With room for so much, which the caller has checked, or which is more than there ever is while nothing waits. */
    ByteBuf with(int bytes) throws ConnectionException {
        ByteBuf now = buffer;
        if (now == null) {
            now = memory.take(Math.max(BYTES, bytes + CONTROL_BYTES));
            if (now == null) {
                throw new ConnectionException(Http2Error.INTERNAL_ERROR, "no memory is left");
            }
            buffer = now;
        }
        if (now.writableBytes() < bytes) {
            throw new ConnectionException(Http2Error.ENHANCE_YOUR_CALM, "answers are not read");
        }
        return now;
    }

    static void putHeader(ByteBuf to, int length, int type, int flags, int stream) {
        to.writeMedium(length);
        to.writeByte(type);
        to.writeByte(flags);
        to.writeInt(stream);
    }

    private ByteBuf begin(int length, int type, int flags, int stream) throws ConnectionException {
        ByteBuf to = with(Frames.HEADER_BYTES + length);
        putHeader(to, length, type, flags, stream);
        return to;
    }

    /** @param values pairs of a setting and its value */
    void settings(int... values) throws ConnectionException {
        ByteBuf to = begin(values.length / 2 * Frames.SETTING_BYTES, Frames.SETTINGS, 0, 0);
        for (int i = 0; i < values.length; i += 2) {
            to.writeShort(values[i]);
            to.writeInt(values[i + 1]);
        }
    }

    void settingsAck() throws ConnectionException {
        ByteBuf unused = begin(0, Frames.SETTINGS, Frames.ACK, 0);
    }

    void ping(int flags, long data) throws ConnectionException {
        begin(Frames.PING_BYTES, Frames.PING, flags, 0).writeLong(data);
    }

    void windowUpdate(int stream, int bytes) throws ConnectionException {
        begin(Integer.BYTES, Frames.WINDOW_UPDATE, 0, stream).writeInt(bytes);
    }

    void reset(int stream, Http2Error error) throws ConnectionException {
        begin(Integer.BYTES, Frames.RST_STREAM, 0, stream).writeInt((int) error.code());
    }

    void goAway(int lastStream, Http2Error error, String why) throws ConnectionException {
        byte[] text = why.getBytes(StandardCharsets.US_ASCII);
        begin(2 * Integer.BYTES + text.length, Frames.GOAWAY, 0, 0)
                .writeInt(lastStream)
                .writeInt((int) error.code())
                .writeBytes(text);
    }
}
