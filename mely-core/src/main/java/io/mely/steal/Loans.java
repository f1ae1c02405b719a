// SPDX-License-Identifier: Apache-2.0
package io.mely.steal;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How many colors rescues took from whom, or were given or gathered, and how many have been taken back.
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

    /** By core: 1 + who keeps what it owes it, 0 if nobody does. */
    private final AtomicIntegerArray keepers;

    /**
     * Nobody has taken anything.
     *
     * @param cores their number
     */
    public Loans(int cores) {
        this.cores = cores;
        taken = new AtomicIntegerArray(cores * cores);
        keepers = new AtomicIntegerArray(cores);
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
     * How many colors an idle core may take back.
     *
     * @param core whose colors they were
     * @param holder who took them
     * @return 0 or less if there is nothing to take back, or the holder keeps it
     */
    int due(int core, int holder) {
        return isKept(core, holder) ? 0 : owed(core, holder);
    }

    /**
     * How many more colors one took from the other than the other way.
     *
     * @param core whose colors they were
     * @param holder who took them
     * @return less than 0 if it is the other way
     */
    public int owed(int core, int holder) {
        return taken.getOpaque(holder * cores + core) - taken.getOpaque(core * cores + holder);
    }

    /**
     * From now on what is owed to a core stays where it is. The holder's thread, while nobody else keeps any of that core's.
     *
     * @param core whose colors they are
     * @param holder who has them
     */
    public void keep(int core, int holder) {
        keepers.setOpaque(core, holder + 1);
    }

    boolean isKept(int core, int holder) {
        return keepers.getOpaque(core) == holder + 1;
    }

    /**
     * The same no longer. The holder's thread.
     *
     * @param core whose colors they are
     */
    public void release(int core) {
        keepers.setOpaque(core, 0);
    }
}
