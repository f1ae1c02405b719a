// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

/**
 * Finds the colors of a core that have had no event in their queues for long, and lets go of these: then such a color costs no more than one that was never used. The
 * next event that needs a queue makes another (ADR 0021).
 *
 * <p>It looks at all numbers in turn, a few at a time. What is idle at two looks, and was not used in between, goes. A pass begins a while after the last one has ended, so at
 * least that is between the two looks.
 *
 * <p><b>Threads.</b> The core's. <b>Costs.</b> One hold of the core's lock a look; two loads for each number; a cache miss or two for each color of the core; one monitor a look.
 */
public final class IdleColors {
    /** Most numbers at a time: bounds how long the lock is held. Guess: 5 us of cache misses. */
    private static final int LOOKS_MAX = 64;

    private final CoreQueue queue;
    private final int core;
    private final ColorIndex index;
    private final ColorHomes homes;
    private final long keptNs;

    private int next = ColorIndex.NONE; // the number to look at; none between two passes
    private boolean hasPassed;
    private long passEndedNs;
    private final int[] unused = new int[LOOKS_MAX];

    /**
     * Looks at nothing yet.
     *
     * @param queue of the core
     * @param keptNs how long a color without an event keeps its queue, at least; {@link Long#MAX_VALUE}: for good
     */
    public IdleColors(CoreQueue queue, long keptNs) {
        this.queue = queue;
        core = queue.core;
        index = queue.index;
        homes = queue.homes;
        this.keptNs = keptNs;
    }

    /**
     * Whether there is anything to look for.
     *
     * @return false if colors keep their queues for good
     */
    public boolean isOn() {
        return keptNs != Long.MAX_VALUE;
    }

    /**
     * Looks at some colors, unless the last pass has just ended. Takes the lock of the core.
     *
     * @param nowNs by the runtime's clock
     */
    public void look(long nowNs) {
        if (isDue(nowNs)) {
            queue.lock();
            try {
                lookAtSome(nowNs);
            } finally {
                queue.unlock();
            }
        }
    }

    private boolean isDue(long nowNs) {
        return next != ColorIndex.NONE || !hasPassed || nowNs - passEndedNs >= keptNs;
    }

    /** The holder of the lock guards the colors that live here. */
    private void lookAtSome(long nowNs) {
        int from = Math.max(next, ColorIndex.NONE + 1);
        int length = index.length();
        int end = Math.min(from + LOOKS_MAX, length);
        int count = 0;
        for (int number = from; number < end; number++) {
            if (isUnusedSince(number)) {
                unused[count++] = number;
            }
        }
        if (count != 0) {
            index.drop(unused, count);
        }
        next = end;
        if (end == length) {
            next = ColorIndex.NONE;
            hasPassed = true;
            passEndedNs = nowNs;
        }
    }

    /** Since the last pass; else marks it. */
    private boolean isUnusedSince(int number) {
        ColorQueue color = index.peek(number);
        if (color == null || homes.coreOfColor(number) != core || color.home() != core || !color.isUnused()) {
            return false;
        }
        boolean isSo = color.isAged;
        color.isAged = true;
        return isSo;
    }
}
