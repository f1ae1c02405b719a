// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Bytes from one thread to another, whole lines at a time. JCTools has rings of references, which would cost an object for each line.
 *
 * <p><b>Threads.</b> {@link #offer} and {@link #used}: the producer; {@link #poll}: the consumer. The fields need no padding: the
 * consumer comes by a hundred times a second at most. <b>Costs.</b> One copy, one release store. <b>Bounds.</b> Its capacity.
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

    /** @param capacity a power of two */
    LogRing(int capacity) {
        assert Integer.bitCount(capacity) == 1 : capacity;
        bytes = new byte[capacity];
        mask = capacity - 1;
    }

    /** False if there is no room. */
    boolean offer(byte[] line, int length) {
        long end = tail;
        if (end + length - headSeen > bytes.length) {
            headSeen = headAcquire();
            if (end + length - headSeen > bytes.length) {
                return false;
            }
        }
        int at = (int) end & mask;
        int first = Math.min(length, bytes.length - at);
        System.arraycopy(line, 0, bytes, at, first);
        System.arraycopy(line, first, bytes, 0, length - first);
        tailRelease(end + length);
        return true;
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
        return bytes.length;
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
        int first = Math.min(length, bytes.length - at);
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

    /** Pairs with the release in offer: what is read has been written. */
    private long tailAcquire() {
        return (long) TAIL.getAcquire(this);
    }

    private void tailRelease(long value) {
        TAIL.setRelease(this, value);
    }
}
