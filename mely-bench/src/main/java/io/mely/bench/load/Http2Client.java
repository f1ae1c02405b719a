// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.load.Result.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A virtual client that speaks HTTP/2 without TLS, and says so from the first byte: several requests at once, each a stream.
 *
 * <pre>
 *   RESTING ──► CONNECTING ──► OPEN ──► LEAVING ──► RESTING
 *
 *   RESTING     has no connection; a timer makes it connect
 *   OPEN        each slot has asked, or is free
 *   LEAVING     the server takes no more requests; what it has taken is waited for
 * </pre>
 *
 * <p>Windows are as large as they can be, so only the kernel's buffers hold a server back. A stream that the server says it has not looked at (REFUSED_STREAM, or behind the last
 * one of a GOAWAY) was refused, like one that is answered 503.
 */
final class Http2Client extends VirtualClient implements ClientConnection.Owner {
    private static final int RESTING = 0;
    private static final int CONNECTING = 1;
    private static final int OPEN = 2;
    private static final int LEAVING = 3;

    private static final int STREAM_MAX = Integer.MAX_VALUE - 2;
    /** Of the connection's window, when it is opened again. */
    private static final int WINDOW_USED_BYTES = 1 << 30;

    private static final int TYPE_AT = 3;
    private static final int FLAGS_AT = 4;
    private static final int FLAG_PRIORITY = 0x20;
    private static final int PRIORITY_BYTES = 5;
    private static final int GOAWAY_BYTES_MIN = 8;
    private static final int RST_STREAM_BYTES = 4;
    private static final int PING_BYTES = 8;
    private static final int REFUSED_STREAM = 7;
    private static final int CANCEL = 8;
    private static final int INFORMATIONAL_END = 200;

    private static final byte[] NOTHING = {};

    /** What has been asked for on one stream. */
    private static final class Slot {
        final CRC32C checksum = new CRC32C();

        /** 0 if it is free. */
        int stream;

        @Nullable
        Target target;

        long dueNs;
        long sentNs;
        /** 0 until there is a head. */
        int status;

        long bodyBytes;
        /** With heads. */
        long bytes;
    }

    private final ClientLoop loop;
    private final ClientConnection connection;
    private final Slot[] slots;

    private int state = RESTING;
    private int busy;
    private int nextStream;
    private long connectNs;
    private long windowUsedBytes;
    private StatusDecoder decoder = new StatusDecoder();

    /** What the kernel has not taken. */
    private byte[] unsent = NOTHING;

    private int unsentBytes;

    Http2Client(ClientLoop loop) {
        this.loop = loop;
        slots = new Slot[loop.plan.streams()];
        Arrays.setAll(slots, i -> new Slot());
        connection = new ClientConnection(loop, this);
    }

    // ------------------------------------------------------------------ connection

    @Override
    void wake(long nowNs) {
        if (state == RESTING) {
            state = CONNECTING;
            connectNs = nowNs;
            connection.connect(nowNs);
        }
    }

    @Override
    public void connected(long nowNs) {
        loop.connected(nowNs, nowNs - connectNs);
        state = OPEN;
        nextStream = 1;
        windowUsedBytes = 0;
        decoder = new StatusDecoder();
        send(Http2Bytes.BEGIN, nowNs);
        for (int i = 0; i < slots.length && state == OPEN; i++) {
            loop.free(this, nowNs);
        }
    }

    @Override
    public void connectFailed(long nowNs) {
        fail(Failure.CONNECT, nowNs);
    }

    @Override
    public void ended(long nowNs) {
        if (busy > 0) {
            fail(Failure.CLOSED, nowNs);
        } else {
            rest(nowNs, 0); // a server may close a connection that nobody uses
        }
    }

    @Override
    public void broken(long nowNs) {
        if (busy > 0) {
            fail(Failure.RESET, nowNs);
        } else {
            rest(nowNs, 0);
        }
    }

    @Override
    void close() {
        connection.close();
        for (Slot slot : slots) {
            slot.stream = 0;
        }
        busy = 0;
        unsentBytes = 0;
        state = RESTING;
    }

    private void rest(long nowNs, long restNs) {
        loop.noLongerFree(this);
        close();
        loop.wakeAt(this, nowNs + restNs);
    }

    /** All that the client waits for has failed in this way. */
    private void fail(Failure failure, long nowNs) {
        if (busy == 0) {
            loop.failed(failure, 1, nowNs, nowNs);
        }
        for (Slot slot : slots) {
            if (slot.stream != 0) {
                loop.failed(failure, 1, slot.dueNs, nowNs);
            }
        }
        rest(nowNs, failure == Failure.CONNECT ? REFUSED_REST_NS : 0);
    }

    @Override
    int unanswered() {
        return busy;
    }

    @Override
    void giveUp(long timeoutNs, long nowNs) {
        if (state == CONNECTING && nowNs - connectNs > timeoutNs) {
            fail(Failure.CONNECT, nowNs);
        }
        for (Slot slot : slots) {
            if (slot.stream != 0 && nowNs - slot.sentNs > timeoutNs) {
                loop.failed(Failure.TIMEOUT, 1, slot.dueNs, nowNs);
                int stream = slot.stream;
                retire(slot);
                send(Http2Wire.frame(Http2Wire.RST_STREAM, 0, stream, Http2Wire.number(CANCEL)), nowNs);
                goOn(nowNs);
            }
        }
    }

    @Override
    void leave(long nowNs) {
        for (Slot slot : slots) {
            if (slot.stream != 0) {
                loop.unanswered(1, slot.dueNs, nowNs);
            }
        }
    }

    // ------------------------------------------------------------------ requests

    @Override
    void begin(long due, long nowNs) {
        Slot slot = slots[0];
        for (int i = 1; slot.stream != 0; i++) {
            slot = slots[i]; // one is free, or the loop would not ask
        }
        ClientLoop.Batch batch = loop.nextTarget();
        int stream = nextStream;
        nextStream += 2;
        slot.stream = stream;
        slot.target = batch.targets[0];
        slot.dueNs = due;
        slot.sentNs = nowNs;
        slot.status = 0;
        slot.bodyBytes = 0;
        slot.bytes = 0;
        slot.checksum.reset();
        busy++;
        if (stream == STREAM_MAX) {
            leaving();
        }
        byte[] number = Http2Wire.number(stream);
        batch.memory.put(Http2Bytes.STREAM_AT, number);
        send(batch.memory, batch.address, batch.bytes, nowNs);
    }

    /** Its answer is there, or will never be. */
    private void retire(Slot slot) {
        slot.stream = 0;
        busy--;
    }

    /** A slot is free. */
    private void goOn(long nowNs) {
        if (state == OPEN) {
            loop.free(this, nowNs);
        } else if (state == LEAVING && busy == 0) {
            rest(nowNs, 0);
        }
    }

    private void leaving() {
        state = LEAVING;
        loop.noLongerFree(this);
    }

    private void send(byte[] frames, long nowNs) {
        loop.out.put(0, frames);
        send(loop.out, loop.outAddress, frames.length, nowNs);
    }

    private void send(ByteBuffer memory, long address, int bytes, long nowNs) {
        if (!connection.isOpen()) {
            return;
        }
        int sent = 0;
        try {
            if (unsentBytes == 0) {
                sent = connection.send(address, 0, bytes);
            }
        } catch (IOException e) {
            broken(nowNs);
            return;
        }
        int left = bytes - sent;
        if (unsentBytes + left > ClientLoop.OUT_BYTES) {
            fail(Failure.MALFORMED, nowNs); // it asks for more than it takes
        } else if (left > 0) {
            if (unsent.length < unsentBytes + left) {
                unsent = Arrays.copyOf(unsent, Math.max(unsentBytes + left, 2 * unsent.length));
            }
            memory.get(sent, unsent, unsentBytes, left);
            unsentBytes += left;
        }
    }

    @Override
    public void writable(long nowNs) {
        if (unsentBytes == 0) {
            return;
        }
        loop.out.put(0, unsent, 0, unsentBytes);
        try {
            int sent = connection.send(loop.outAddress, 0, unsentBytes);
            unsentBytes -= sent;
            System.arraycopy(unsent, sent, unsent, 0, unsentBytes);
        } catch (IOException e) {
            broken(nowNs);
        }
    }

    // ------------------------------------------------------------------ answers

    @Override
    public void consume(int limit, long nowNs) {
        ByteBuf in = loop.bufferBytes;
        int at = 0;
        while (state != RESTING && at < limit) {
            if (limit - at < Http2Wire.FRAME_HEAD_BYTES) {
                connection.keep(at, limit);
                return;
            }
            int length = in.getUnsignedMedium(at);
            if (length > Http2Bytes.PAYLOAD_BYTES_MAX) {
                notAFrame(at, limit, nowNs);
                return;
            }
            int from = at + Http2Wire.FRAME_HEAD_BYTES;
            if (from + length > limit) {
                connection.keep(at, limit);
                return;
            }
            try {
                int stream = in.getInt(at + Http2Bytes.STREAM_AT) & Integer.MAX_VALUE;
                read(in.getByte(at + TYPE_AT), in.getByte(at + FLAGS_AT), stream, from, from + length, nowNs);
            } catch (Http2Exception e) {
                fail(Failure.MALFORMED, nowNs);
            }
            at = from + length;
        }
    }

    /** A server that is full may refuse newcomers by HTTP/1.1, before it knows what they speak. */
    private void notAFrame(int at, int limit, long nowNs) {
        boolean isRefused = loop.parser.parse(loop.buffer, at, limit) >= 0
                && loop.parser.status() == ClientLoop.SERVICE_UNAVAILABLE;
        fail(isRefused ? Failure.REFUSED : Failure.MALFORMED, nowNs);
    }

    private static Http2Exception malformed(String why) {
        return Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, why);
    }

    private void read(int type, int flags, int stream, int from, int to, long nowNs) throws Http2Exception {
        switch (type) {
            case Http2Wire.DATA -> readData(flags, stream, from, to, nowNs);
            case Http2Wire.HEADERS -> readHead(flags, stream, from, to, nowNs);
            case Http2Wire.RST_STREAM -> readReset(stream, from, to, nowNs);
            case Http2Wire.GOAWAY -> readGoAway(from, to, nowNs);
            case Http2Wire.SETTINGS -> {
                if ((flags & Http2Wire.ACK) == 0) {
                    send(Http2Bytes.SETTINGS_TAKEN, nowNs);
                }
            }
            case Http2Wire.PING -> {
                if ((flags & Http2Wire.ACK) == 0) {
                    byte[] said = new byte[check(PING_BYTES, from, to)];
                    loop.buffer.get(from, said);
                    send(Http2Wire.frame(Http2Wire.PING, Http2Wire.ACK, 0, said), nowNs);
                }
            }
            case Http2Wire.CONTINUATION -> throw malformed("the head of an answer is longer than a frame");
            default -> {
                // Windows of what is not sent, and what came after RFC 9113.
            }
        }
    }

    /** There are at least so many bytes. */
    private static int check(int bytes, int from, int to) throws Http2Exception {
        if (to - from < bytes) {
            throw malformed("a frame is too short");
        }
        return bytes;
    }

    /** Null if it has been given up. */
    private @Nullable Slot slot(int stream) throws Http2Exception {
        if ((stream & 1) == 0 || stream >= nextStream) {
            throw malformed("nobody has asked on this stream");
        }
        for (Slot slot : slots) {
            if (slot.stream == stream) {
                return slot;
            }
        }
        return null;
    }

    private void readData(int flags, int stream, int from, int to, long nowNs) throws Http2Exception {
        windowUsedBytes += to - from;
        if (windowUsedBytes >= WINDOW_USED_BYTES) {
            send(Http2Bytes.windowUpdate((int) windowUsedBytes), nowNs);
            windowUsedBytes = 0;
        }
        Slot slot = slot(stream);
        if (slot == null) {
            return;
        }
        if (slot.status == 0) {
            throw malformed("a body without a head");
        }
        int begin = from;
        int end = to;
        if ((flags & Http2Wire.PADDED) != 0) {
            begin += check(1, from, to);
            end -= loop.bufferBytes.getUnsignedByte(from);
            check(0, begin, end);
        }
        loop.add(slot.checksum, begin, end - begin);
        slot.bodyBytes += end - begin;
        slot.bytes += end - begin;
        if ((flags & Http2Wire.END_STREAM) != 0) {
            answered(slot, nowNs);
        }
    }

    private void readHead(int flags, int stream, int from, int to, long nowNs) throws Http2Exception {
        if ((flags & Http2Wire.END_HEADERS) == 0) {
            throw malformed("the head of an answer is longer than a frame");
        }
        int begin = from;
        int end = to;
        if ((flags & Http2Wire.PADDED) != 0) {
            begin += check(1, from, to);
            end -= loop.bufferBytes.getUnsignedByte(from);
        }
        begin += (flags & FLAG_PRIORITY) != 0 ? PRIORITY_BYTES : 0;
        check(0, begin, end);
        int status = decoder.status(stream, loop.bufferBytes.setIndex(begin, end));
        Slot slot = slot(stream);
        if (slot == null) {
            return;
        }
        slot.bytes += to - from;
        boolean isEnd = (flags & Http2Wire.END_STREAM) != 0;
        if (slot.status == 0 && (status >= INFORMATIONAL_END || isEnd)) {
            slot.status = status;
        }
        if (slot.status == 0 && status == 0) {
            throw malformed("an answer without a status");
        }
        if (isEnd) {
            answered(slot, nowNs);
        }
    }

    private void answered(Slot slot, long nowNs) {
        Target target = slot.target;
        if (target != null) {
            Failure failure = loop.judge(target, slot.status, slot.bodyBytes, slot.checksum);
            loop.answered(failure, slot.dueNs, slot.sentNs, nowNs, slot.bytes);
        }
        retire(slot);
        goOn(nowNs);
    }

    private void readReset(int stream, int from, int to, long nowNs) throws Http2Exception {
        check(RST_STREAM_BYTES, from, to);
        Slot slot = slot(stream);
        if (slot == null) {
            return;
        }
        if (loop.bufferBytes.getInt(from) == REFUSED_STREAM) {
            loop.answered(Failure.REFUSED, slot.dueNs, slot.sentNs, nowNs, 0);
        } else {
            loop.failed(Failure.RESET, 1, slot.dueNs, nowNs);
        }
        retire(slot);
        goOn(nowNs);
    }

    private void readGoAway(int from, int to, long nowNs) throws Http2Exception {
        check(GOAWAY_BYTES_MIN, from, to);
        int last = loop.bufferBytes.getInt(from) & Integer.MAX_VALUE;
        boolean isError = loop.bufferBytes.getInt(from + Integer.BYTES) != 0;
        leaving();
        for (Slot slot : slots) {
            if (slot.stream > last) {
                loop.answered(Failure.REFUSED, slot.dueNs, slot.sentNs, nowNs, 0);
                retire(slot);
            }
        }
        if (busy == 0) {
            rest(nowNs, isError ? REFUSED_REST_NS : 0);
        }
    }

    @Override
    public String toString() {
        return "Http2Client[state=" + state + ", busy=" + busy + ", nextStream=" + nextStream + "]";
    }
}
