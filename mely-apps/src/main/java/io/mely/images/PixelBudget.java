// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The memory of pictures in work. Whoever finds it used up waits in line, and is refused if the line is too long; nobody overtakes, so that a large picture has its
 * turn, too.
 *
 * <p><b>Threads.</b> Any; guarded by itself.
 */
final class PixelBudget {
    /** What became of a request. */
    enum Grant {
        /** It is taken, and must be given back. */
        TAKEN,
        /** It will be called when it is taken. */
        WAITS,
        /** Too many wait. */
        REFUSED
    }

    private record Waiting(long bytes, Runnable taken) {}

    private final long bytesMax;
    private final int waitingMax;
    private final Deque<Waiting> line = new ArrayDeque<>();
    private long usedBytes;

    PixelBudget(long bytesMax, int waitingMax) {
        this.bytesMax = bytesMax;
        this.waitingMax = waitingMax;
    }

    /**
     * Takes memory, or gets in line for it.
     *
     * @param bytes at most {@link #bytesMax}, or nobody would ever get it
     * @param taken called once, by another thread, if it has to wait
     */
    synchronized Grant take(long bytes, Runnable taken) {
        assert bytes <= bytesMax : bytes;
        if (line.isEmpty() && usedBytes + bytes <= bytesMax) {
            usedBytes += bytes;
            return Grant.TAKEN;
        }
        if (isFull()) {
            return Grant.REFUSED;
        }
        line.add(new Waiting(bytes, taken));
        return Grant.WAITS;
    }

    void giveBack(long bytes) {
        for (Waiting next : release(bytes)) {
            next.taken.run();
        }
    }

    private synchronized List<Waiting> release(long bytes) {
        usedBytes -= bytes;
        assert usedBytes >= 0 : usedBytes;
        List<Waiting> served = new ArrayList<>();
        while (!line.isEmpty() && usedBytes + line.element().bytes <= bytesMax) {
            Waiting next = line.remove();
            usedBytes += next.bytes;
            served.add(next);
        }
        return served;
    }

    /** Whether the next one who finds it used up is refused. */
    synchronized boolean isFull() {
        return line.size() >= waitingMax;
    }

    long bytesMax() {
        return bytesMax;
    }

    synchronized long usedBytes() {
        return usedBytes;
    }
}
