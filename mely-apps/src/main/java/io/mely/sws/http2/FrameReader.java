// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Finds frames in what a client sends, and checks what can be said of one without knowing its stream (RFC 9113 4 and 6). A header block in several frames is put together here.
 *
 * <p><b>Bounds.</b> A frame has {@link Frames#PAYLOAD_BYTES_MAX}; a header block that comes in parts the limit given.
 */
final class FrameReader {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Where to from the beginning of a frame: the fields that HEADERS and PRIORITY begin with. */
    private static final int PRIORITY_BYTES = 5;

    /** What frames say. A padding has been taken off. */
    interface Sink {
        /** A part of a body; flowBytes is what it counts for flow control. */
        void data(int stream, ByteBuf data, int flowBytes, boolean isEnd) throws ConnectionException;

        /** A whole header block; dependsOn is another stream, by the priorities of RFC 7540, or 0. */
        void headers(int stream, int dependsOn, ByteBuf block, boolean isEnd) throws ConnectionException;

        void priority(int stream, int dependsOn) throws ConnectionException;

        /** One of a length that no frame of its type has, which ends its stream only. */
        void malformed(int stream) throws ConnectionException;

        void reset(int stream) throws ConnectionException;

        void setting(int name, long value) throws ConnectionException;

        void settingsEnd(boolean isAck) throws ConnectionException;

        void ping(long data, boolean isAck) throws ConnectionException;

        void windowUpdate(int stream, int bytes) throws ConnectionException;

        void priorityUpdate(int stream, String value) throws ConnectionException;

        /** One that is of no use: it is unknown, or says nothing. */
        void idle() throws ConnectionException;
    }

    private final Sink sink;
    private final HeapBudget heap;
    private final int blockBytesMax;
    private boolean isPrefaceRead;
    private boolean isSettled; // the first frame was SETTINGS

    /** The block that has begun, and its stream; null if none has. */
    private @Nullable ByteBuf block;

    private int blocks;
    private int blockStream;
    private int blockDependsOn;
    private boolean isBlockEnd;

    FrameReader(Sink sink, HeapBudget heap, int blockBytesMax) {
        this.sink = sink;
        this.heap = heap;
        this.blockBytesMax = blockBytesMax;
    }

    /** The header block that has begun, and whose end is not here: another number for each; 0 if there is none. */
    int headBlock() {
        return block == null ? 0 : blocks;
    }

    /** Lets go of what it has. */
    void close() {
        if (block != null) {
            block = null;
            heap.giveBack(blockBytesMax);
        }
    }

    /** Reads one frame, or the preface; false if it is not here as a whole. */
    boolean read(ByteBuf in) throws ConnectionException {
        if (!isPrefaceRead) {
            return readPreface(in);
        }
        int at = in.readerIndex();
        if (in.readableBytes() < Frames.HEADER_BYTES) {
            return false;
        }
        int length = in.getUnsignedMedium(at);
        if (length > Frames.PAYLOAD_BYTES_MAX) {
            throw new ConnectionException(Http2Error.FRAME_SIZE_ERROR, "a frame is too long");
        }
        if (in.readableBytes() < Frames.HEADER_BYTES + length) {
            return false;
        }
        int type = in.getUnsignedByte(at + 3);
        int flags = in.getUnsignedByte(at + 4);
        int stream = in.getInt(at + 5) & Integer.MAX_VALUE;
        int payload = at + Frames.HEADER_BYTES;
        int end = in.writerIndex();
        in.setIndex(payload, payload + length);
        try {
            readPayload(type, flags, stream, in);
        } finally {
            in.setIndex(payload + length, end);
        }
        return true;
    }

    private boolean readPreface(ByteBuf in) throws ConnectionException {
        int here = Math.min(in.readableBytes(), PREFACE.length);
        for (int i = 0; i < here; i++) {
            if (in.getByte(in.readerIndex() + i) != PREFACE[i]) {
                throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "no preface");
            }
        }
        if (here < PREFACE.length) {
            return false;
        }
        in.skipBytes(PREFACE.length);
        isPrefaceRead = true;
        return true;
    }

    private void readPayload(int type, int flags, int stream, ByteBuf in) throws ConnectionException {
        if (!isSettled && (type != Frames.SETTINGS || (flags & Frames.ACK) != 0)) {
            throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "the first frame is not SETTINGS");
        }
        if (block != null && (type != Frames.CONTINUATION || stream != blockStream)) {
            throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a header block is interrupted");
        }
        switch (type) {
            case Frames.DATA -> readData(flags, ofStream(stream), in);
            case Frames.HEADERS -> readHeaders(flags, ofStream(stream), in);
            case Frames.CONTINUATION -> readContinuation(flags, in);
            case Frames.PRIORITY -> readPriority(ofStream(stream), in);
            case Frames.RST_STREAM -> {
                checkLength(in, Integer.BYTES);
                sink.reset(ofStream(stream));
            }
            case Frames.SETTINGS -> readSettings(flags, stream, in);
            case Frames.PING -> {
                checkLength(in, Frames.PING_BYTES);
                ofConnection(stream);
                sink.ping(in.readLong(), (flags & Frames.ACK) != 0);
            }
            case Frames.GOAWAY -> {
                ofConnection(stream);
                if (in.readableBytes() < 2 * Integer.BYTES) {
                    throw wrongLength();
                }
                sink.idle(); // streams that it has begun are answered
            }
            case Frames.WINDOW_UPDATE -> {
                checkLength(in, Integer.BYTES);
                sink.windowUpdate(stream, in.readInt() & Integer.MAX_VALUE);
            }
            case Frames.PUSH_PROMISE ->
                throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a client does not push");
            case Frames.PRIORITY_UPDATE -> readPriorityUpdate(stream, in);
            default -> sink.idle();
        }
    }

    private static int ofStream(int stream) throws ConnectionException {
        if (stream == 0) {
            throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a frame of a stream without one");
        }
        return stream;
    }

    private static void ofConnection(int stream) throws ConnectionException {
        if (stream != 0) {
            throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a frame of the connection with a stream");
        }
    }

    private static void checkLength(ByteBuf in, int bytes) throws ConnectionException {
        if (in.readableBytes() != bytes) {
            throw wrongLength();
        }
    }

    private static ConnectionException wrongLength() {
        return new ConnectionException(Http2Error.FRAME_SIZE_ERROR, "a frame of a wrong length");
    }

    /** Takes the padding off. */
    private static void unpad(int flags, ByteBuf in) throws ConnectionException {
        if ((flags & Frames.PADDED) != 0) {
            if (!in.isReadable()) {
                throw wrongLength();
            }
            int padding = in.readUnsignedByte();
            if (padding > in.readableBytes()) {
                throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a padding is longer than its frame");
            }
            in.writerIndex(in.writerIndex() - padding);
        }
    }

    private void readData(int flags, int stream, ByteBuf in) throws ConnectionException {
        int flowBytes = in.readableBytes();
        unpad(flags, in);
        sink.data(stream, in, flowBytes, (flags & Frames.END_STREAM) != 0);
    }

    private void readHeaders(int flags, int stream, ByteBuf in) throws ConnectionException {
        unpad(flags, in);
        int dependsOn = 0;
        if ((flags & Frames.HAS_PRIORITY) != 0) {
            if (in.readableBytes() < PRIORITY_BYTES) {
                throw wrongLength();
            }
            dependsOn = in.readInt() & Integer.MAX_VALUE;
            in.skipBytes(1);
        }
        boolean isEnd = (flags & Frames.END_STREAM) != 0;
        if ((flags & Frames.END_HEADERS) != 0) {
            sink.headers(stream, dependsOn, in, isEnd);
            return;
        }
        if (!heap.take(blockBytesMax)) {
            throw new ConnectionException(Http2Error.ENHANCE_YOUR_CALM, "no memory is left");
        }
        block = Unpooled.buffer(in.readableBytes(), blockBytesMax);
        blocks++;
        blockStream = stream;
        blockDependsOn = dependsOn;
        isBlockEnd = isEnd;
        append(in);
    }

    private void readContinuation(int flags, ByteBuf in) throws ConnectionException {
        ByteBuf whole = block;
        if (whole == null) {
            throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "CONTINUATION of nothing");
        }
        sink.idle();
        append(in);
        if ((flags & Frames.END_HEADERS) != 0) {
            close();
            sink.headers(blockStream, blockDependsOn, whole, isBlockEnd);
        }
    }

    private void append(ByteBuf in) throws ConnectionException {
        ByteBuf whole = block;
        if (whole == null || whole.readableBytes() + in.readableBytes() > blockBytesMax) {
            throw new ConnectionException(Http2Error.ENHANCE_YOUR_CALM, "a header block is too long");
        }
        whole.writeBytes(in);
    }

    private void readPriority(int stream, ByteBuf in) throws ConnectionException {
        if (in.readableBytes() == PRIORITY_BYTES) {
            sink.priority(stream, in.readInt() & Integer.MAX_VALUE);
        } else {
            sink.malformed(stream);
        }
    }

    private void readSettings(int flags, int stream, ByteBuf in) throws ConnectionException {
        ofConnection(stream);
        boolean isAck = (flags & Frames.ACK) != 0;
        if (in.readableBytes() % Frames.SETTING_BYTES != 0 || (isAck && in.isReadable())) {
            throw wrongLength();
        }
        isSettled = true;
        while (in.isReadable()) {
            sink.setting(in.readUnsignedShort(), in.readUnsignedInt());
        }
        sink.settingsEnd(isAck);
    }

    private void readPriorityUpdate(int stream, ByteBuf in) throws ConnectionException {
        ofConnection(stream);
        if (in.readableBytes() < Integer.BYTES) {
            throw wrongLength();
        }
        int subject = ofStream(in.readInt() & Integer.MAX_VALUE);
        sink.priorityUpdate(subject, in.toString(StandardCharsets.US_ASCII));
    }
}
