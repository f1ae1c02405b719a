// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

/**
 * Finds the colors of a core that have had no event for long, and lets go of their queues: then such a color costs no more than one that was never used. Its
 * next event makes it a new queue (ADR 0021).
 *
 * <p>It looks at all numbers in turn, a few at a time. What is idle at two looks, and was not used in between, goes.
 *
 * <p><b>Threads.</b> The holder of the core's lock, which guards the colors that live here. <b>Costs.</b> A load for each number, a cache miss for each queue.
 */
final class IdleColors {
    /** Most numbers at a time: bounds how long the lock is held. Guess: 5 us of cache misses. */
    private static final int LOOKS_MAX = 64;

    private final int core;
    private final ColorIndex index;

    private int next = ColorIndex.NONE; // the number to look at; none between two passes
    private boolean hasLooked;
    private long passBeganNs;

    IdleColors(int core, ColorIndex index) {
        this.core = core;
        this.index = index;
    }

    /**
     * Looks at some numbers.
     *
     * @param nowNs by the runtime's clock
     * @param keptNs least time between the beginnings of two passes
     */
    void look(long nowNs, long keptNs) {
        if (next == ColorIndex.NONE && !mayBegin(nowNs, keptNs)) {
            return;
        }
        int end = Math.min(next + LOOKS_MAX, index.length());
        while (next < end) {
            look(next++);
        }
        if (next == index.length()) {
            next = ColorIndex.NONE;
        }
    }

    private boolean mayBegin(long nowNs, long keptNs) {
        if (hasLooked && nowNs - passBeganNs < keptNs) {
            return false;
        }
        hasLooked = true;
        passBeganNs = nowNs;
        next = ColorIndex.NONE + 1;
        return true;
    }

    private void look(int number) {
        ColorQueue color = index.peek(number);
        if (color == null || color.home() != core || !color.isUnused()) {
            return;
        }
        if (color.isAged) {
            index.drop(number);
        } else {
            color.isAged = true;
        }
    }
}
