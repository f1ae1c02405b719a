// SPDX-License-Identifier: Apache-2.0
package io.mely.steal;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How many colors rescues took from whom, or were given, and how many have been taken back.
 *
 * <p>A rescue moves short colors, which no steal pays for: without a way back they gather, over many preemptions, on one core, and
 * those that have few wait for it.
 *
 * <p><b>Threads.</b> Any reads; each core writes what it took itself. A count that is read late takes a color back too early or too late, no more.
 */
public final class Loans {
    private final int cores;

    /** By thief, then victim. Only differences of two counts are read, so an overflow is harmless. */
    private final AtomicIntegerArray taken;

    /**
     * Nobody has taken anything.
     *
     * @param cores their number
     */
    public Loans(int cores) {
        this.cores = cores;
        taken = new AtomicIntegerArray(cores * cores);
    }

    /**
     * Notes a rescue, or what was taken back; less than nothing for what was given. The thief's, or giver's, thread.
     *
     * @param thief index of a core
     * @param victim index of another
     * @param colors how many
     */
    void took(int thief, int victim, int colors) {
        int entry = thief * cores + victim;
        taken.setOpaque(entry, taken.getPlain(entry) + colors);
    }

    /**
     * How many more colors one took from the other than the other way.
     *
     * @param core whose colors they were
     * @param holder who took them
     * @return 0 or less if there is nothing to take back
     */
    int owed(int core, int holder) {
        return taken.getOpaque(holder * cores + core) - taken.getOpaque(core * cores + holder);
    }
}
