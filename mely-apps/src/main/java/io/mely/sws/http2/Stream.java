// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.handler.codec.http2.Http2Error;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer (RFC 9113 5). All that changes it goes through its {@link Session}.
 *
 * <p><b>Threads.</b> The color of the connection.
 */
public final class Stream {
    /** Whoever answers the request. */
    public interface Owner {
        /** More of the body is here, or its end. */
        void readable();

        /** It is its turn to send: after {@link Session#await}. */
        void writable();

        /** The client has reset it, or the connection has ended: the stream is gone. */
        void gone();
    }

    private enum Answer {
        HEAD,
        BODY,
        DONE
    }

    final int id;
    private final boolean isHead;
    private final long announcedBytes;

    @Nullable
    Owner owner;

    // What the client sends.

    /** No more comes. */
    boolean isRemoteEnded;

    /** Bytes of the window that are used, given back ones excepted. */
    int receivedBytes;

    /** Read by the owner, but not given back yet. */
    private int readBytes;

    private final boolean isOpenEnded;
    private boolean isEndRead;
    private long bodyBytes;
    private byte[] input = NONE;
    private int inputStart;
    private int inputEnd;
    private static final byte[] NONE = {};

    // What it gets.

    long window;
    private Answer answer = Answer.HEAD;
    private long bodyLeft;

    /** Neither reads nor writes any more; what still comes is thrown away. */
    boolean isShut;

    /** What is said if it ends before its answer does. */
    private Http2Error failure = Http2Error.INTERNAL_ERROR;

    Priority priority = Priority.DEFAULT;

    /** It has something to send and waits. */
    boolean isWaiting;

    /** It stands in {@link Turns}. */
    boolean isQueued;

    Stream(int id, RequestFields fields, boolean isRemoteEnded, long window) {
        this.id = id;
        isHead = fields.isHead();
        announcedBytes = fields.contentLength();
        this.isRemoteEnded = isRemoteEnded;
        isOpenEnded = announcedBytes == RequestFields.NOT_GIVEN && !isRemoteEnded;
        this.window = window;
    }

    /**
     * Its number.
     *
     * @return odd
     */
    public int id() {
        return id;
    }

    /**
     * Whether its body ends where the stream ends, as nobody has said where else.
     *
     * @return false if there is none, or its length is known
     */
    public boolean isOpenEnded() {
        return isOpenEnded;
    }

    void tellReadable() {
        if (owner != null) {
            owner.readable();
        }
    }

    void tellWritable() {
        if (owner != null) {
            owner.writable();
        }
    }

    void tellGone() {
        if (owner != null) {
            owner.gone();
        }
    }

    // The body of the request.

    /** Some of it was read, or thrown away; how much the client is to be given back now. */
    int credit(int bytes) {
        readBytes += bytes;
        if (readBytes < Frames.WINDOW_BYTES / 2 || isRemoteEnded || isShut) {
            return 0;
        }
        int credit = readBytes;
        receivedBytes -= credit;
        readBytes = 0;
        return credit;
    }

    /** Counts a part of the body; false if there is more of it than was announced, or less at the end. */
    boolean isAsAnnounced(int bytes, boolean isEnd) {
        bodyBytes += bytes;
        return announcedBytes == RequestFields.NOT_GIVEN
                || (isEnd ? bodyBytes == announcedBytes : bodyBytes <= announcedBytes);
    }

    /** Bytes of memory that more input takes beyond what it has. It grows by doubling: a client may send byte by byte. */
    int memoryFor(int bytes) {
        int needed = inputEnd - inputStart + bytes;
        int grown = Math.min(Frames.WINDOW_BYTES, 2 * input.length);
        return needed <= input.length ? 0 : Math.max(needed, grown) - input.length;
    }

    void put(byte[] from, int start, int bytes) {
        int held = inputEnd - inputStart;
        if (held + bytes > input.length) {
            byte[] larger = new byte[input.length + memoryFor(bytes)];
            System.arraycopy(input, inputStart, larger, 0, held);
            input = larger;
            inputStart = 0;
        } else if (inputEnd + bytes > input.length) {
            System.arraycopy(input, inputStart, input, 0, held);
            inputStart = 0;
        }
        inputEnd = inputStart + held;
        System.arraycopy(from, start, input, inputEnd, bytes);
        inputEnd += bytes;
    }

    /** What is here of the body. */
    int inputBytes() {
        return inputEnd - inputStart;
    }

    /** Whether a read would bring something that nobody reports again: bytes, or the end where only that says the length. */
    boolean isInputPending() {
        return !isShut && (inputBytes() > 0 || (isOpenEnded && isRemoteEnded && !isEndRead));
    }

    /** Nothing is here, and nothing comes. */
    boolean isEnd() {
        isEndRead = isRemoteEnded || isShut;
        return isEndRead;
    }

    int take(ByteBuffer to) {
        int bytes = Math.min(inputBytes(), to.remaining());
        to.put(input, inputStart, bytes);
        inputStart += bytes;
        return bytes;
    }

    /** Lets go of the memory of the input; how much that was. */
    int dropInput() {
        int bytes = input.length;
        input = NONE;
        inputStart = 0;
        inputEnd = 0;
        return bytes;
    }

    // The answer.

    boolean isHeadDue() {
        return answer == Answer.HEAD;
    }

    boolean isAnswered() {
        return answer == Answer.DONE;
    }

    /** Length of the answer's body, after its head; true if there is none. */
    boolean begin(long bytes) {
        bodyLeft = isHead ? 0 : bytes;
        answer = bodyLeft == 0 ? Answer.DONE : Answer.BODY;
        return bodyLeft == 0;
    }

    long bodyLeft() {
        return bodyLeft;
    }

    /** A part of the body is in the output; true if that was the last. */
    boolean sent(int bytes) {
        window -= bytes;
        bodyLeft -= bytes;
        if (bodyLeft == 0) {
            answer = Answer.DONE;
        }
        return bodyLeft == 0;
    }

    /** The client has not taken its answer in time. */
    public void setTimedOut() {
        failure = Http2Error.CANCEL;
    }

    Http2Error failure() {
        return failure;
    }

    @Override
    public String toString() {
        return "Stream[" + id + ", " + answer + ", isRemoteEnded=" + isRemoteEnded + ", window=" + window + "]";
    }
}
