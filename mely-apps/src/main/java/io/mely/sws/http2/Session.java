// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.mely.sws.limits.RateLimit;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of one connection that speaks HTTP/2: frames in, frames out, and the streams in between. It neither reads nor writes a socket: {@link #receive} is given
 * what has come, and {@link #output} has what is to be written.
 *
 * <p><b>Threads.</b> The color of the connection. <b>Bounds.</b> Streams and fields, by its parameters; the output has {@link Output#BYTES}; what clients send
 * without a request in it costs tokens of one bucket. <b>Source.</b> RFC 9113, RFC 9218.
 */
public final class Session {
    /** Of what is less than a frame. */
    public static final int FRAME_BYTES_MAX = Frames.HEADER_BYTES + Frames.PAYLOAD_BYTES_MAX;

    /** Frames at once that ask for nothing, and each second: the defaults of nghttp2 for streams that are reset, and for "glitches". */
    static final int IDLE_FRAMES = 1_000;

    private static final int IDLE_FRAMES_PER_S = 33;

    /** Answers to one frame take less. */
    private static final int REPLY_BYTES_MAX = 128;

    /** Of a ping that is asked for before a drain ends. */
    private static final long DRAIN_PING = 0x6d656c79_6472616eL;

    private final RequestHandler handler;
    private final HeapBudget heap;
    private final FrameReader reader;
    private final Output output;
    private final Answers answers;
    private final RateLimit idleFrames;
    private final Streams streams;
    private long nowNs;

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
    private boolean isAcknowledged;
    private boolean isAnnounceDue; // of a drain, for which there was no room

    /** For want of memory. In the middle of what a stream does none can end: so all do when the output is written. */
    private @Nullable ConnectionException failure;

    /**
     * Makes one, with the first frame in its output.
     *
     * @param streamsMax requests at once
     * @param listBytesMax the fields of one, as HTTP/2 counts them
     * @param handler answers requests
     * @param heap for what clients send
     * @param memory for the output
     * @param nowNs the time
     */
    public Session(
            int streamsMax,
            int listBytesMax,
            RequestHandler handler,
            HeapBudget heap,
            Output.Memory memory,
            long nowNs) {
        this.handler = handler;
        this.heap = heap;
        this.nowNs = nowNs;
        streams = new Streams(streamsMax);
        output = new Output(memory);
        answers = new Answers(output);
        reader = new FrameReader(
                new ClientFrames(this, streams, answers, output, new HeadDecoder(listBytesMax)),
                heap,
                Math.max(listBytesMax, Frames.PAYLOAD_BYTES_MAX));
        idleFrames = new RateLimit(IDLE_FRAMES_PER_S, IDLE_FRAMES, nowNs);
        try {
            output.settings(
                    Frames.SETTING_MAX_CONCURRENT_STREAMS,
                    streamsMax,
                    Frames.SETTING_MAX_HEADER_LIST_SIZE,
                    listBytesMax,
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
     * Whether there is something to do for {@link #flushed}.
     *
     * @return true also if there is nothing to write, and never will be
     */
    public boolean isFlushDue() {
        return !output.isEmpty() || (failure != null && phase != Phase.FAILED);
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
        return streams.owners();
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
        if (failure != null) {
            fail(failure);
        }
        if (isAnnounceDue && phase != Phase.FAILED) {
            announce();
        }
        answers.grant();
    }

    /** The connection is to end: no new request is taken, after the time of a round trip in which the client learns that. */
    public void drain() {
        if (phase == Phase.OPEN) {
            phase = Phase.DRAINING;
            announce();
        }
    }

    /** The round trip is over, or there is none to wait for. */
    public void drained() {
        if (phase == Phase.OPEN || phase == Phase.DRAINING) {
            phase = Phase.DRAINED;
            streams.answerNoMore();
            announce();
        }
    }

    /** Says that the connection is going to end, now or when there is room. */
    private void announce() {
        isAnnounceDue = isStalled();
        if (isAnnounceDue) {
            return;
        }
        try {
            if (phase == Phase.DRAINING) {
                output.goAway(Integer.MAX_VALUE, Http2Error.NO_ERROR, "");
                output.ping(0, DRAIN_PING);
            } else {
                output.goAway(streams.lastAnswered(), Http2Error.NO_ERROR, "");
            }
        } catch (ConnectionException e) {
            fail(e);
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
            answers.end();
            try {
                output.goAway(streams.lastAnswered(), e.error(), String.valueOf(e.getMessage()));
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
        answers.end();
        List<Stream> ended = streams.copy();
        ended.forEach(this::forget); // first: who is told may end the session, too
        ended.forEach(Stream::tellGone);
    }

    /** The connection is closed: forgets the output, too. */
    public void close() {
        end();
        output.close();
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
        int credit = stream.credit(bytes);
        if (credit > 0) {
            try {
                output.windowUpdate(stream.id, credit);
            } catch (ConnectionException e) {
                failure = e;
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
            answers.write(stream, from);
        } catch (ConnectionException e) {
            failure = e;
        }
        if (!stream.isHeadDue()) {
            heap.giveBack(stream.dropInput()); // nobody reads it any more
        }
        return from.position() - before;
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
    public int write(Stream stream, long most, BodySource source) throws IOException {
        try {
            return answers.write(stream, most, source);
        } catch (ConnectionException e) {
            failure = e;
            return 0;
        }
    }

    /**
     * Its owner is told when it may go on.
     *
     * @param stream whose last write was not taken as a whole
     */
    public void await(Stream stream) {
        if (streams.has(stream)) {
            answers.await(stream);
        }
    }

    /**
     * Whether a stream waits for others, for room or for the window of the connection, and not for its own window.
     *
     * @param stream which has something to send
     * @return true also if it is its turn now
     */
    public boolean isHeldUp(Stream stream) {
        return answers.isHeldUp(stream);
    }

    /**
     * It is going to wait for something else than the connection.
     *
     * @param stream which may have its turn
     */
    public void pass(Stream stream) {
        answers.pass(stream);
    }

    /**
     * Nothing more is read of the request: what comes is thrown away, and the client is told.
     *
     * @param stream that is answered
     */
    public void shut(Stream stream) {
        if (!stream.isShut && streams.has(stream)) {
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
        if (streams.has(stream)) {
            if (!stream.isShut) {
                resetUnlessEnded(stream);
            }
            forget(stream);
            answers.grant();
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
        Stream stream = streams.get(id);
        streams.addReset(id, Frames.WINDOW_BYTES - (stream == null ? 0 : stream.receivedBytes));
        try {
            output.reset(id, error);
        } catch (ConnectionException e) {
            failure = e;
        }
    }

    private void forget(Stream stream) {
        if (streams.has(stream)) {
            handler.ended();
        }
        streams.remove(stream);
        answers.forget(stream);
        heap.giveBack(stream.dropInput());
    }

    // What the frames of the client do.

    /** A fault of one stream, or it is refused. */
    void failStream(int id, Http2Error error) throws ConnectionException {
        idle();
        reset(id, error);
        endStream(id);
    }

    /** The client has reset it. */
    void resetByClient(int id) {
        if (streams.get(id) != null) {
            handler.resetByClient();
        }
        endStream(id);
    }

    /** It is reset. */
    private void endStream(int id) {
        Stream stream = streams.get(id);
        if (stream != null) {
            forget(stream);
            stream.tellGone();
            answers.grant();
        }
    }

    /** A new number; false if it comes after the end. */
    boolean begin(int id) {
        streams.begin(id);
        return phase != Phase.DRAINED;
    }

    /** One of a stream that is not under way. */
    void ofNoStream(int id) throws ConnectionException {
        if (streams.isLate(id)) {
            idle();
        }
    }

    /** A request. */
    void open(Stream stream, RequestFields fields) throws ConnectionException {
        if (streams.isFull()) {
            handler.refused();
            failStream(stream.id, Http2Error.REFUSED_STREAM);
            return;
        }
        streams.put(stream);
        handler.began();
        stream.owner = handler.open(stream, fields);
        if (!streams.has(stream)) {
            stream.tellGone(); // the session has ended meanwhile, when the stream had no owner yet
        } else if (stream.owner == null) {
            handler.refused();
            failStream(stream.id, Http2Error.REFUSED_STREAM);
        }
    }

    /** A part of a body; false if there is no memory for it. */
    boolean receive(Stream stream, ByteBuf data, int flowBytes, boolean isEnd) {
        int bytes = data.readableBytes();
        if (!stream.isHeadDue()) {
            stream.isRemoteEnded = isEnd; // it is answered: nobody reads this, and it gets no more window
            stream.tellReadable();
            return true;
        }
        if (!heap.take(stream.memoryFor(bytes))) {
            return false;
        }
        stream.put(data.array(), data.arrayOffset() + data.readerIndex(), bytes);
        stream.isRemoteEnded = isEnd;
        credit(stream, flowBytes - bytes); // nobody reads a padding
        stream.tellReadable();
        return true;
    }

    void acknowledged() {
        isAcknowledged = true;
    }

    void ping(long data, boolean isAck) throws ConnectionException {
        if (!isAck) {
            output.ping(Frames.ACK, data);
        } else if (data == DRAIN_PING && phase == Phase.DRAINING) {
            drained();
        }
    }

    /** A frame that asks for nothing takes a token: who sends nothing else is told to calm down. */
    void idle() throws ConnectionException {
        if (!idleFrames.take(nowNs)) {
            throw new ConnectionException(Http2Error.ENHANCE_YOUR_CALM, "too many frames that ask for nothing");
        }
    }
}
