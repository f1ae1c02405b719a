// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.mely.sws.limits.RateLimit;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.util.collection.IntObjectHashMap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of one connection that speaks HTTP/2: frames in, frames out, and the streams in between. It neither reads nor writes a socket: {@link #receive} is given
 * what has come, and {@link #output} has what is to be written.
 *
 * <p><b>Threads.</b> The color of the connection. <b>Bounds.</b> {@link Limits}; the output has {@link Output#BYTES}; what clients send without a request in it costs tokens
 * ({@link #idle}). <b>Source.</b> RFC 9113, RFC 9218.
 */
public final class Session {
    /** A part of the heap that has a budget. */
    public interface Heap {
        /**
         * Takes some.
         *
         * @param bytes how much
         * @return false if that is more than is left
         */
        boolean take(int bytes);

        /**
         * Gives some back.
         *
         * @param bytes how much
         */
        void giveBack(long bytes);
    }

    /** Whom it serves. */
    public interface Host {
        /**
         * A request has begun.
         *
         * @param stream its stream
         * @param fields its fields; valid during the call
         * @return whoever answers it; null: there is no memory, and the client may try again
         */
        Stream.@Nullable Owner open(Stream stream, RequestFields fields);
    }

    /** Has a part of a body. */
    @FunctionalInterface
    public interface Source {
        /**
         * Reads some.
         *
         * @param to where to
         * @return bytes, or 0 or less if there are none now
         * @throws IOException if that fails
         */
        int read(ByteBuffer to) throws IOException;
    }

    /**
     * What clients may ask for.
     *
     * @param streamsMax requests at once
     * @param listBytesMax the fields of one, as HTTP/2 counts them
     */
    public record Limits(int streamsMax, int listBytesMax) {}

    /** Frames at once that ask for nothing, and each second: the defaults of nghttp2 for streams that are reset, and for "glitches". */
    private static final int IDLE_FRAMES = 1_000;

    private static final int IDLE_FRAMES_PER_S = 33;

    /** Changes of a window that a frame of data is good for: one of the stream, and one of the connection. */
    private static final int CHANGES_PER_FRAME = 2;

    /** What a window may lack before it is filled up. */
    private static final int WINDOW_STEP = Frames.WINDOW_BYTES / 2;

    /** Answers to one frame take less. */
    private static final int REPLY_BYTES_MAX = 128;

    /** Of a ping that is asked for before a drain ends. */
    private static final long DRAIN_PING = 0x6d656c79_6472616eL;

    private final Host host;
    private final Heap heap;
    private final Limits limits;
    private final FrameReader reader;
    private final HeadDecoder decoder;
    private final HeadEncoder encoder = new HeadEncoder();
    private final Output output;
    private final Windows windows = new Windows();
    private final RateLimit idleFrames;
    private final IntObjectHashMap<Stream> streams = new IntObjectHashMap<>();
    private final ClosedStreams closed;
    private final IntObjectHashMap<Priority> early = new IntObjectHashMap<>(); // of streams to come
    private final Turns turns = new Turns();
    private final Deque<Stream> heads = new ArrayDeque<>(); // who waits for room only, as a head has no window

    /** Who is sending; null if nobody who has not ended. */
    private @Nullable Stream turn;

    private int turnBytes;
    private long nowNs;
    private int changesDue; // of windows, that frames of data have brought about
    private int lastStream;

    private enum Phase {
        OPEN,
        /** The client is asked to begin no more. */
        DRAINING,
        /** What it begins is not looked at. */
        DRAINED,
        /** It has broken the protocol. */
        FAILED
    }

    private Phase phase = Phase.OPEN;
    private int lastAnswered = Integer.MAX_VALUE;
    private boolean isAcknowledged;

    /**
     * Makes one, with the first frame in its output.
     *
     * @param limits for the client
     * @param host answers requests
     * @param heap for what clients send
     * @param memory for the output
     * @param nowNs the time
     */
    public Session(Limits limits, Host host, Heap heap, Output.Memory memory, long nowNs) {
        this.limits = limits;
        this.host = host;
        this.heap = heap;
        this.nowNs = nowNs;
        reader = new FrameReader(new Frame(), heap, Math.max(limits.listBytesMax, Frames.PAYLOAD_BYTES_MAX));
        decoder = new HeadDecoder(limits.listBytesMax);
        output = new Output(memory);
        idleFrames = new RateLimit(IDLE_FRAMES_PER_S, IDLE_FRAMES, nowNs);
        closed = new ClosedStreams(limits.streamsMax);
        try {
            output.settings(
                    Frames.SETTING_MAX_CONCURRENT_STREAMS,
                    limits.streamsMax,
                    Frames.SETTING_MAX_HEADER_LIST_SIZE,
                    limits.listBytesMax,
                    Frames.SETTING_NO_RFC7540_PRIORITIES,
                    1);
        } catch (ConnectionException e) {
            fail(e);
        }
    }

    // What the connection asks.

    /**
     * What is to be written.
     *
     * @return always the same
     */
    public Output output() {
        return output;
    }

    /**
     * Whether the connection ends when the output is written.
     *
     * @return true after a fault of the client, or when all is answered that is to be
     */
    public boolean isOver() {
        return phase == Phase.FAILED || (phase == Phase.DRAINED && streams.isEmpty());
    }

    /**
     * Whether the client was at fault.
     *
     * @return true if it was told so, or could not be
     */
    public boolean isFailed() {
        return phase == Phase.FAILED;
    }

    /**
     * Whether no request is under way.
     *
     * @return true without streams
     */
    public boolean isQuiet() {
        return streams.isEmpty();
    }

    /**
     * The header block that has begun, and not ended.
     *
     * @return another number for each; 0 if there is none
     */
    public int headBlock() {
        return reader.headBlock();
    }

    /**
     * Whether no more is read before some of the output is written.
     *
     * @return true if the client does not read what its frames are answered with
     */
    public boolean isStalled() {
        return phase != Phase.FAILED && output.room() < REPLY_BYTES_MAX;
    }

    /**
     * Whether the client has taken notice of the settings.
     *
     * @return false at first
     */
    public boolean isAcknowledged() {
        return isAcknowledged;
    }

    /**
     * Those who answer requests under way.
     *
     * @return a copy
     */
    public List<Stream.Owner> owners() {
        List<Stream.Owner> owners = new ArrayList<>(streams.size());
        for (Stream each : streams.values()) {
            if (each.owner != null) {
                owners.add(each.owner);
            }
        }
        return owners;
    }

    /**
     * Reads frames, as far as they are here and their answers have room.
     *
     * @param in what has come, on the heap; what is left at the end comes again with more behind it
     * @param now the time
     */
    public void receive(ByteBuf in, long now) {
        nowNs = now;
        try {
            while (phase != Phase.FAILED && !isStalled() && reader.read(in)) {
                // the next one
            }
        } catch (ConnectionException e) {
            fail(e);
        }
        if (phase == Phase.FAILED) {
            in.skipBytes(in.readableBytes());
        }
    }

    /** The output was written, or there is more room in it: who waits may go on. */
    public void flushed() {
        grant();
    }

    /**
     * The connection is to end: no new request is taken, after the time of a round trip in which the client learns that.
     */
    public void drain() {
        if (phase == Phase.OPEN) {
            phase = Phase.DRAINING;
            try {
                output.goAway(Integer.MAX_VALUE, Http2Error.NO_ERROR, "");
                output.ping(0, DRAIN_PING);
            } catch (ConnectionException e) {
                fail(e);
            }
        }
    }

    /** The round trip is over, or there is none to wait for. */
    public void drained() {
        if (phase == Phase.OPEN || phase == Phase.DRAINING) {
            phase = Phase.DRAINED;
            lastAnswered = lastStream;
            try {
                output.goAway(lastStream, Http2Error.NO_ERROR, "");
            } catch (ConnectionException e) {
                fail(e);
            }
        }
    }

    /** The client is too slow to answer what it must. */
    public void timedOut() {
        fail(
                isAcknowledged
                        ? new ConnectionException(Http2Error.ENHANCE_YOUR_CALM, "too slow")
                        : new ConnectionException(Http2Error.SETTINGS_TIMEOUT, "settings are not acknowledged"));
    }

    /** There is too much to do for this client to be let in. */
    public void refuse() {
        fail(new ConnectionException(Http2Error.ENHANCE_YOUR_CALM, "too many clients"));
    }

    private void fail(ConnectionException e) {
        if (phase != Phase.FAILED) {
            phase = Phase.FAILED;
            try {
                output.goAway(Math.min(lastStream, lastAnswered), e.error(), String.valueOf(e.getMessage()));
            } catch (ConnectionException noRoom) {
                output.close(); // it reads nothing, or there is no memory: the end of the connection says it
            }
            end();
        }
    }

    /** Ends all streams: the connection ends, or is gone. */
    public void end() {
        reader.close();
        phase = Phase.FAILED;
        turn = null;
        for (Stream each : List.copyOf(streams.values())) {
            forget(each);
            gone(each);
        }
    }

    /** The connection is closed: forgets the output, too. */
    public void close() {
        end();
        output.close();
    }

    private static void gone(Stream stream) {
        Stream.Owner owner = stream.owner;
        if (owner != null) {
            owner.gone();
        }
    }

    // What the owners of streams ask.

    /**
     * Reads a part of the body.
     *
     * @param stream whose
     * @param to where to
     * @return bytes; 0 if none are here now, -1 at the end
     */
    public int read(Stream stream, ByteBuffer to) {
        int n = stream.isShut ? 0 : stream.take(to);
        if (n > 0) {
            if (stream.inputBytes() == 0) {
                heap.giveBack(stream.dropInput());
            }
            credit(stream, n);
            return n;
        }
        return stream.isEnd() ? -1 : 0;
    }

    /**
     * Whether a read would bring something that nobody reports again.
     *
     * @param stream whose
     * @return also true at the end of a body of which only the end says its length
     */
    public boolean isBuffering(Stream stream) {
        return stream.isInputPending();
    }

    /** The owner has read some, or it was thrown away. */
    private void credit(Stream stream, int bytes) {
        stream.readBytes += bytes;
        if (stream.readBytes >= WINDOW_STEP && !stream.isRemoteEnded && !stream.isShut) {
            try {
                output.windowUpdate(stream.id, stream.readBytes);
                stream.receivedBytes -= stream.readBytes;
                stream.readBytes = 0;
            } catch (ConnectionException e) {
                fail(e);
            }
        }
    }

    /**
     * Writes heads and bodies, in the form of HTTP/1.1, as far as windows, room and turns allow.
     *
     * @param stream whose answer it is
     * @param from position advances
     * @return bytes taken; fewer than there were: {@link #await}
     */
    public int write(Stream stream, ByteBuffer from) {
        int before = from.position();
        try {
            while (from.hasRemaining() && stream.isHeadDue() && writeHead(stream, from)) {
                // a 100 may stand before the answer
            }
            while (from.hasRemaining() && !stream.isHeadDue()) {
                int n = Math.min(dataRoom(stream), from.remaining());
                if (n == 0) {
                    break;
                }
                ByteBuf to = output.with(Frames.HEADER_BYTES + n);
                putDataHeader(stream, to, n);
                int limit = from.limit();
                to.writeBytes(from.limit(from.position() + n));
                from.limit(limit);
                sent(stream, n);
            }
        } catch (ConnectionException e) {
            fail(e);
        }
        return from.position() - before;
    }

    private boolean writeHead(Stream stream, ByteBuffer from) throws ConnectionException {
        int bytes = HeadEncoder.headBytes(from);
        int needed = HeadEncoder.bytesMax(bytes);
        boolean hasRoom = output.isEmpty() || output.dataRoom() >= needed;
        if (bytes == 0 || !hasRoom || phase == Phase.FAILED) {
            return false;
        }
        ByteBuf to = output.with(needed);
        encoder.read(from, bytes);
        if (encoder.isInformational()) {
            encoder.write(stream.id, false, to);
            return true;
        }
        boolean isEnd = stream.begin(encoder.bodyBytes());
        encoder.write(stream.id, isEnd, to);
        if (isEnd) {
            answered(stream);
        }
        return true;
    }

    /** How many bytes of its body a stream may send now, in one frame. */
    private int dataRoom(Stream stream) {
        long room = Math.min(Math.min(windows.connection(), stream.window), output.dataRoom() - Frames.HEADER_BYTES);
        boolean isShared = stream.priority.isIncremental() && !turns.isEmpty();
        long most = Math.min(Math.min(stream.bodyLeft(), Frames.PAYLOAD_BYTES_MAX), isShared ? turnBytes : room);
        return phase != Phase.FAILED && isTurnOf(stream) ? (int) Math.max(0, Math.min(room, most)) : 0;
    }

    /**
     * Writes one frame of a body from somewhere else, as far as windows, room and turns allow.
     *
     * @param stream whose
     * @param most bytes that there are
     * @param source has them
     * @return what the source returned; 0 if it was not asked: {@link #await}
     * @throws IOException of the source
     */
    public int write(Stream stream, long most, Source source) throws IOException {
        int room = (int) Math.min(dataRoom(stream), most);
        if (room == 0) {
            return 0;
        }
        try {
            ByteBuf to = output.with(Frames.HEADER_BYTES + room);
            int payload = to.writerIndex() + Frames.HEADER_BYTES;
            int n = source.read(to.nioBuffer(payload, room));
            if (n > 0) {
                putDataHeader(stream, to, n);
                to.writerIndex(payload + n);
                sent(stream, n);
            } else {
                output.written(0); // it may be empty still
            }
            return n;
        } catch (ConnectionException e) {
            fail(e);
            return 0;
        }
    }

    private static void putDataHeader(Stream stream, ByteBuf to, int bytes) {
        Output.putHeader(to, bytes, Frames.DATA, bytes == stream.bodyLeft() ? Frames.END_STREAM : 0, stream.id);
    }

    private void sent(Stream stream, int bytes) {
        windows.sent(bytes);
        turnBytes -= bytes;
        changesDue = Math.min(IDLE_FRAMES, changesDue + CHANGES_PER_FRAME);
        if (stream.sent(bytes)) {
            answered(stream);
        }
    }

    private void answered(Stream stream) {
        if (turn == stream) {
            turn = null;
            grant();
        }
    }

    /** Whether it may send, and does now. */
    private boolean isTurnOf(Stream stream) {
        if (turn == stream) {
            return true;
        }
        if (turn != null || turns.isBefore(stream)) {
            return false;
        }
        take(stream);
        return true;
    }

    private void take(Stream stream) {
        turn = stream;
        turnBytes = Frames.PAYLOAD_BYTES_MAX;
        stream.isWaiting = false;
        turns.remove(stream);
    }

    /**
     * Its owner is told when it may go on.
     *
     * @param stream whose last write was not taken as a whole
     */
    public void await(Stream stream) {
        if (phase == Phase.FAILED || streams.get(stream.id) != stream) {
            return;
        }
        if (stream.isHeadDue()) {
            heads.add(stream);
            return; // there is no room now
        }
        boolean isInterrupted = turn == stream && !stream.priority.isIncremental();
        if (turn == stream) {
            turn = null;
        }
        stream.isWaiting = true;
        if (stream.window > 0 && isInterrupted) {
            turns.addFirst(stream);
        } else if (stream.window > 0) {
            turns.add(stream);
        }
        grant();
    }

    /**
     * It is going to wait for something else than the connection.
     *
     * @param stream which may have its turn
     */
    public void pass(Stream stream) {
        if (turn == stream) {
            turn = null;
            grant();
        }
    }

    /** Who is next goes on, if there is room for a frame. */
    private void grant() {
        boolean hasRoom = output.dataRoom() >= Frames.HEADER_BYTES + Frames.PAYLOAD_BYTES_MAX;
        if (!hasRoom || phase == Phase.FAILED) {
            return;
        }
        while (!heads.isEmpty()) {
            tellWritable(heads.remove());
        }
        Stream next = turn == null && windows.connection() > 0 ? turns.poll() : null;
        if (next != null) {
            take(next);
            tellWritable(next);
        }
    }

    private static void tellWritable(Stream stream) {
        Stream.Owner owner = stream.owner;
        if (owner != null) {
            owner.writable();
        }
    }

    /**
     * Nothing more is read of the request: what comes is thrown away, and the client is told.
     *
     * @param stream that is answered
     */
    public void shut(Stream stream) {
        if (!stream.isShut && streams.get(stream.id) == stream) {
            stream.isShut = true;
            heap.giveBack(stream.dropInput());
            resetUnlessEnded(stream);
        }
    }

    /**
     * Its owner has ended: what is not said yet never is.
     *
     * @param stream which is gone then
     */
    public void close(Stream stream) {
        if (streams.get(stream.id) != stream) {
            return;
        }
        if (!stream.isShut) {
            resetUnlessEnded(stream);
        }
        forget(stream);
        if (turn == null) {
            grant();
        }
    }

    /** With NO_ERROR if it is answered, and the client need not send the rest (8.1). */
    private void resetUnlessEnded(Stream stream) {
        if (!stream.isAnswered()) {
            reset(stream.id, stream.failure());
        } else if (!stream.isRemoteEnded) {
            reset(stream.id, Http2Error.NO_ERROR);
        }
    }

    private void reset(int id, Http2Error error) {
        closed.add(id);
        try {
            output.reset(id, error);
        } catch (ConnectionException e) {
            fail(e);
        }
    }

    private void forget(Stream stream) {
        streams.remove(stream.id);
        turns.remove(stream);
        boolean unused = heads.remove(stream);
        stream.isWaiting = false;
        heap.giveBack(stream.dropInput());
        if (turn == stream) {
            turn = null;
        }
    }

    /** A fault of one stream. */
    private void failStream(int id, Http2Error error) throws ConnectionException {
        idle();
        Stream stream = streams.get(id);
        reset(id, error);
        if (stream != null) {
            forget(stream);
            gone(stream);
            grant();
        }
    }

    /** A frame that asks for nothing takes a token: who sends nothing else is told to calm down. */
    private void idle() throws ConnectionException {
        if (!idleFrames.take(nowNs)) {
            throw new ConnectionException(Http2Error.ENHANCE_YOUR_CALM, "too many frames that ask for nothing");
        }
    }

    /** What the frames of the client do. */
    private final class Frame implements FrameReader.Sink {
        @Override
        public void data(int id, ByteBuf data, int flowBytes, boolean isEnd) throws ConnectionException {
            int credit = windows.received(flowBytes);
            if (credit > 0) {
                output.windowUpdate(0, credit);
            }
            if (!data.isReadable() && !isEnd) {
                idle();
            }
            Stream stream = streams.get(id);
            if (stream == null) {
                ofNoStream(id);
            } else if (stream.isShut) {
                idle();
            } else if (stream.isRemoteEnded) {
                failStream(id, Http2Error.STREAM_CLOSED);
            } else {
                data(stream, data, flowBytes, isEnd);
            }
        }

        private void data(Stream stream, ByteBuf data, int flowBytes, boolean isEnd) throws ConnectionException {
            int bytes = data.readableBytes();
            stream.receivedBytes += flowBytes;
            if (stream.receivedBytes > Frames.WINDOW_BYTES) {
                failStream(stream.id, Http2Error.FLOW_CONTROL_ERROR);
                return;
            }
            if (!stream.isAsAnnounced(bytes, isEnd)) {
                failStream(stream.id, Http2Error.PROTOCOL_ERROR);
                return;
            }
            if (!heap.take(stream.memoryFor(bytes))) {
                failStream(stream.id, Http2Error.ENHANCE_YOUR_CALM);
                return;
            }
            stream.put(data.array(), data.arrayOffset() + data.readerIndex(), bytes);
            stream.isRemoteEnded = isEnd;
            credit(stream, flowBytes - bytes); // nobody reads a padding
            readable(stream);
        }

        private void readable(Stream stream) {
            Stream.Owner owner = stream.owner;
            if (owner != null) {
                owner.readable();
            }
        }

        /** One that is not under way: its frames were on their way when it was reset, or there never was one, or it has ended. */
        private void ofNoStream(int id) throws ConnectionException {
            if (closed.has(id) || id > lastAnswered) {
                idle();
            } else if (id > lastStream) {
                throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a frame of a stream that has not begun");
            } else {
                throw new ConnectionException(Http2Error.STREAM_CLOSED, "a frame of a stream that has ended");
            }
        }

        @Override
        public void headers(int id, int dependsOn, ByteBuf block, boolean isEnd) throws ConnectionException {
            RequestFields fields = decoder.decode(id, block); // whatever becomes of it
            Stream stream = streams.get(id);
            if (stream != null) {
                trailers(stream, fields, isEnd);
            } else if (id > lastStream && (id & 1) == 1) {
                closed.begin(lastStream, id);
                lastStream = id;
                if (phase == Phase.DRAINED) {
                    idle();
                } else {
                    open(id, fields, dependsOn, isEnd);
                }
            } else if ((id & 1) == 0 || closed.isSkipped(id)) {
                throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a stream with a number that is none");
            } else {
                ofNoStream(id);
            }
        }

        private void open(int id, RequestFields fields, int dependsOn, boolean isEnd) throws ConnectionException {
            Priority said = early.remove(id);
            boolean isMalformed = !fields.isTooLong() && fields.requestFault() != null;
            long announced = fields.contentLength();
            if (isMalformed || dependsOn == id || (isEnd && announced > 0)) {
                failStream(id, Http2Error.PROTOCOL_ERROR);
                return;
            }
            if (streams.size() >= limits.streamsMax) {
                failStream(id, Http2Error.REFUSED_STREAM);
                return;
            }
            Stream stream = new Stream(id, fields, isEnd, windows.initial());
            stream.priority = said == null ? fields.priority() : said;
            streams.put(id, stream);
            stream.owner = host.open(stream, fields);
            if (stream.owner == null) {
                failStream(id, Http2Error.REFUSED_STREAM);
            }
        }

        private void trailers(Stream stream, RequestFields fields, boolean isEnd) throws ConnectionException {
            if (stream.isShut) {
                idle();
            } else if (stream.isRemoteEnded) {
                failStream(stream.id, Http2Error.STREAM_CLOSED);
            } else if (!isEnd || fields.trailersFault() != null || !stream.isAsAnnounced(0, true)) {
                failStream(stream.id, Http2Error.PROTOCOL_ERROR);
            } else {
                stream.isRemoteEnded = true;
                readable(stream);
            }
        }

        @Override
        public void priority(int id, int dependsOn) throws ConnectionException {
            idle();
            if (dependsOn == id) {
                failStream(id, Http2Error.PROTOCOL_ERROR);
            }
        }

        @Override
        public void malformed(int id) throws ConnectionException {
            failStream(id, Http2Error.FRAME_SIZE_ERROR);
        }

        @Override
        public void reset(int id) throws ConnectionException {
            idle();
            if (id > lastStream) {
                throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a stream that has not begun is reset");
            }
            Stream stream = streams.get(id);
            if (stream != null) {
                forget(stream);
                gone(stream);
                grant();
            }
        }

        @Override
        public void setting(int name, long value) throws ConnectionException {
            switch (name) {
                case Frames.SETTING_HEADER_TABLE_SIZE -> encoder.tableBytes(value);
                case Frames.SETTING_ENABLE_PUSH -> {
                    if (value > 1) {
                        throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "ENABLE_PUSH is not 0 or 1");
                    }
                }
                case Frames.SETTING_INITIAL_WINDOW_SIZE -> initialWindow(value);
                case Frames.SETTING_MAX_FRAME_SIZE -> {
                    if (value < Frames.PAYLOAD_BYTES_MAX || value >= 1 << 24) {
                        throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "MAX_FRAME_SIZE is out of range");
                    }
                }
                default -> {} // not for this side, or unknown
            }
        }

        private void initialWindow(long bytes) throws ConnectionException {
            if (bytes > Frames.WINDOW_BYTES_MAX) {
                throw new ConnectionException(Http2Error.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE is too large");
            }
            long more = windows.initial(bytes);
            for (Stream each : streams.values()) {
                each.window += more;
                if (each.window > Frames.WINDOW_BYTES_MAX) {
                    throw new ConnectionException(Http2Error.FLOW_CONTROL_ERROR, "a window is too large");
                }
                opened(each);
            }
        }

        @Override
        public void settingsEnd(boolean isAck) throws ConnectionException {
            idle();
            if (isAck) {
                isAcknowledged = true;
            } else {
                output.settingsAck();
                grant();
            }
        }

        @Override
        public void ping(long data, boolean isAck) throws ConnectionException {
            idle();
            if (!isAck) {
                output.ping(Frames.ACK, data);
            } else if (data == DRAIN_PING && phase == Phase.DRAINING) {
                drained();
            }
        }

        @Override
        public void windowUpdate(int id, int bytes) throws ConnectionException {
            if (changesDue > 0) {
                changesDue--;
            } else {
                idle();
            }
            if (id == 0) {
                if (bytes == 0) {
                    throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "a window grows by nothing");
                }
                windows.grow(bytes);
                grant();
                return;
            }
            Stream stream = streams.get(id);
            if (stream == null && id > lastStream) {
                ofNoStream(id);
            } else if (bytes == 0) {
                failStream(id, Http2Error.PROTOCOL_ERROR);
            } else if (stream != null) {
                stream.window += bytes;
                if (stream.window > Frames.WINDOW_BYTES_MAX) {
                    failStream(id, Http2Error.FLOW_CONTROL_ERROR);
                } else {
                    opened(stream);
                    grant();
                }
            }
        }

        /** There is room in a stream's window. */
        private void opened(Stream stream) {
            if (stream.isWaiting && stream.window > 0) {
                turns.add(stream);
            }
        }

        @Override
        public void priorityUpdate(int id, String value) throws ConnectionException {
            idle();
            Stream stream = streams.get(id);
            if (stream != null) {
                turns.change(stream, Priority.parse(value));
            } else if (id > lastStream) {
                if (early.size() >= limits.streamsMax && !early.containsKey(id)) {
                    throw new ConnectionException(Http2Error.PROTOCOL_ERROR, "priorities of too many streams");
                }
                early.put(id, Priority.parse(value));
            }
        }

        @Override
        public void idle() throws ConnectionException {
            Session.this.idle();
        }
    }
}
