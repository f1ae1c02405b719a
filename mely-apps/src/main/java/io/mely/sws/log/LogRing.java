// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Bytes from one thread to another, whole lines at a time. JCTools has rings of references, which would cost an object for each line.
 *
 * <p><b>Threads.</b> {@link #claim}, {@link #publish} and {@link #used}: the producer; {@link #poll}: the consumer. The fields need no
 * padding: the consumer comes by a hundred times a second at most. <b>Costs.</b> One release store a line. <b>Bounds.</b> Its capacity.
 *
 * <p><b>Shape.</b> Lines are written where they stay, in one piece: the array is longer than the ring by the longest line, and what has been
 * written beyond the ring's end is moved to its beginning.
 */
final class LogRing {
    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(LogRing.class, "head", long.class);
            TAIL = lookup.findVarHandle(LogRing.class, "tail", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final byte[] bytes;
    private final int mask;

    /** Bytes taken out so far: written by the consumer. */
    private long head;

    /** Bytes put in so far: written by the producer. */
    private long tail;

    /** The producer's last look at head. */
    private long headSeen;

    /** The longest line. */
    private final int claimMax;

    /**
     * Makes an empty one.
     *
     * @param capacity a power of two
     * @param claimMax the longest line, at most that
     */
    LogRing(int capacity, int claimMax) {
        assert Integer.bitCount(capacity) == 1 && claimMax <= capacity : capacity + ", " + claimMax;
        bytes = new byte[capacity + claimMax];
        mask = capacity - 1;
        this.claimMax = claimMax;
    }

    /** Where the producer writes what it has claimed. */
    byte[] bytes() {
        return bytes;
    }

    /**
     * Makes room for a line.
     *
     * @param length its own at most
     * @return where it may be written in {@link #bytes}; -1 if there is no room
     */
    int claim(int length) {
        assert length <= claimMax : length;
        long end = tail;
        if (end + length - headSeen > capacity()) {
            headSeen = headAcquire();
            if (end + length - headSeen > capacity()) {
                return -1;
            }
        }
        return (int) end & mask;
    }

    /**
     * Hands over the line that stands at the claimed place.
     *
     * @param length what has been written, at most what was claimed
     */
    void publish(int length) {
        long end = tail;
        int beyond = ((int) end & mask) + length - capacity();
        if (beyond > 0) {
            System.arraycopy(bytes, capacity(), bytes, 0, beyond);
        }
        assert end + length - headSeen <= capacity() : length;
        tailRelease(end + length);
    }

    /** Bytes that may be waiting, at most; exact after a look at the consumer if that is more than a limit. */
    long used(long limit) {
        long used = tail - headSeen;
        if (used > limit) {
            headSeen = headAcquire();
            used = tail - headSeen;
        }
        return used;
    }

    int capacity() {
        return mask + 1;
    }

    /** Where the lines that have been offered end. */
    long end() {
        return tailAcquire();
    }

    /** Moves what fits and lies before an {@link #end}; false when that is reached. */
    boolean poll(ByteBuffer out, long end) {
        long from = head;
        int length = (int) Math.min(end - from, out.remaining());
        int at = (int) from & mask;
        int first = Math.min(length, capacity() - at);
        out.put(bytes, at, first).put(bytes, 0, length - first);
        headRelease(from + length);
        return from + length != end;
    }

    /** Pairs with the release in poll: what is overwritten has been read. */
    private long headAcquire() {
        return (long) HEAD.getAcquire(this);
    }

    private void headRelease(long value) {
        HEAD.setRelease(this, value);
    }

    /** Pairs with the release in publish: what is read has been written. */
    private long tailAcquire() {
        return (long) TAIL.getAcquire(this);
    }

    private void tailRelease(long value) {
        TAIL.setRelease(this, value);
    }
}
