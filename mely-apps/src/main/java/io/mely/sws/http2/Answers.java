// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Puts what streams write into the output: heads as they come, bodies as far as windows, room and turns allow. Whose turn it is goes on until it has no more to send, no window, or no
 * room; then it waits, and the next one is told.
 */
final class Answers {
    /** Changes of a window that a frame, or a KiB, of data is good for: one of the stream, and one of the connection. Go's clients open them by 4 KiB. */
    private static final int CHANGES_PER_KIB = 2;

    /** Those of all the data that can be under way: of the largest window. */
    private static final int CHANGES_DUE_MAX = CHANGES_PER_KIB * (Frames.WINDOW_BYTES_MAX >> 10);

    private final Output output;
    private final HeadEncoder encoder = new HeadEncoder();
    private final Windows windows = new Windows();
    private final Turns turns = new Turns();
    private final Deque<Stream> heads = new ArrayDeque<>(); // who waits for room only, as a head has no window

    /** Who is sending; null if nobody who has not ended. */
    private @Nullable Stream turn;

    private int turnBytes;
    private int changesDue; // of windows, that frames of data have brought about
    private int resetsDue; // by answers
    private boolean isOver;

    Answers(Output output) {
        this.output = output;
    }

    Windows windows() {
        return windows;
    }

    HeadEncoder encoder() {
        return encoder;
    }

    Turns turns() {
        return turns;
    }

    /** Nobody gets a turn any more. */
    void end() {
        isOver = true;
        turn = null;
    }

    void forget(Stream stream) {
        turns.remove(stream);
        boolean unused = heads.remove(stream);
        stream.isWaiting = false;
        if (turn == stream) {
            turn = null;
        }
    }

    /** A change of a window that data has brought about; false if there was no data. */
    boolean takeChange() {
        if (changesDue == 0) {
            return false;
        }
        changesDue--;
        return true;
    }

    /** A request that the client gives up: each that was answered is good for one, as a proxy has many users who leave. False if there was none. */
    boolean takeReset() {
        if (resetsDue == 0) {
            return false;
        }
        resetsDue--;
        return true;
    }

    /** There may be room in a stream's window. */
    void opened(Stream stream) {
        if (stream.isWaiting && stream.window > 0) {
            turns.add(stream);
        }
    }

    /** Windows begin with another size, and those of streams under way have been wrong by the difference (RFC 9113 6.9.2). */
    void initialWindow(long bytes, Collection<Stream> streams) throws ConnectionException {
        long more = windows.initial(bytes);
        for (Stream each : streams) {
            each.window += more;
            if (each.window > Frames.WINDOW_BYTES_MAX) {
                throw new ConnectionException(Http2Error.FLOW_CONTROL_ERROR, "a window is too large");
            }
            opened(each);
        }
    }

    /** See {@link Session#write(Stream, ByteBuffer)}. */
    void write(Stream stream, ByteBuffer from) throws ConnectionException {
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
        if (stream.isAnswered()) {
            from.position(from.limit()); // a body that the answer has not: of HEAD, of a 204
        }
    }

    private boolean writeHead(Stream stream, ByteBuffer from) throws ConnectionException {
        int bytes = HeadEncoder.headBytes(from);
        int needed = HeadEncoder.bytesMax(bytes);
        boolean hasRoom = output.isEmpty() || output.dataRoom() >= needed;
        if (bytes == 0 || !hasRoom || isOver) {
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
        boolean isShared = stream.priority.isIncremental() && turns.isBefore(stream);
        long most = Math.min(Math.min(stream.bodyLeft(), Frames.PAYLOAD_BYTES_MAX), isShared ? turnBytes : room);
        return !isOver && isTurnOf(stream) ? (int) Math.max(0, Math.min(room, most)) : 0;
    }

    /** See {@link Session#write(Stream, long, BodySource)}. */
    int write(Stream stream, long most, BodySource source) throws IOException, ConnectionException {
        if (stream.isAnswered()) {
            return (int) Math.min(most, Integer.MAX_VALUE); // as above
        }
        int room = (int) Math.min(dataRoom(stream), most);
        if (room == 0) {
            return 0;
        }
        ByteBuf to = output.with(Frames.HEADER_BYTES + room);
        int payload = to.writerIndex() + Frames.HEADER_BYTES;
        int n = 0;
        try {
            n = source.read(to.nioBuffer(payload, room));
        } finally {
            if (n <= 0) {
                output.written(0); // it may be empty still
            }
        }
        if (n > 0) {
            putDataHeader(stream, to, n);
            to.writerIndex(payload + n);
            sent(stream, n);
        }
        return n;
    }

    private static void putDataHeader(Stream stream, ByteBuf to, int bytes) {
        Output.putHeader(to, bytes, Frames.DATA, bytes == stream.bodyLeft() ? Frames.END_STREAM : 0, stream.id);
    }

    private void sent(Stream stream, int bytes) {
        windows.sent(bytes);
        turnBytes -= bytes;
        changesDue = Math.min(CHANGES_DUE_MAX, changesDue + CHANGES_PER_KIB * Math.max(1, bytes >> 10));
        if (stream.sent(bytes)) {
            answered(stream);
        }
    }

    private void answered(Stream stream) {
        resetsDue = Math.min(Session.IDLE_FRAMES, resetsDue + 1);
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

    /** See {@link Session#await}. */
    void await(Stream stream) {
        if (isOver) {
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

    /** See {@link Session#isHeldUp}. */
    boolean isHeldUp(Stream stream) {
        return turn == stream || stream.isQueued || heads.contains(stream);
    }

    /** See {@link Session#pass}. */
    void pass(Stream stream) {
        if (turn == stream) {
            turn = null;
            grant();
        }
    }

    /** Who is next goes on, if there is room for a frame. */
    void grant() {
        boolean hasRoom = output.dataRoom() >= Session.FRAME_BYTES_MAX;
        if (!hasRoom || isOver) {
            return;
        }
        while (!heads.isEmpty()) {
            heads.remove().tellWritable();
        }
        Stream next = turn == null && windows.connection() > 0 ? turns.poll() : null;
        if (next != null) {
            take(next);
            next.tellWritable();
        }
    }
}
