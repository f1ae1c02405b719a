// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.queue.ColorIndex;

/**
 * Finds out whether the color that a core runs is better off on another: where the core it sends to lives.
 *
 * <p>Two colors on two cores that send to each other in turn pay a cache line's way or two for each hop, or a wake-up, and never run at once. On one
 * core a hop is a send and a run. No thief brings them together, as short events are not worth one, and hardly ever ready. So a core that has run one short
 * event of the same color and nothing else {@link #HOPS} times in a row, each of which sent one event, to the same color of the same core, gives its color to that core,
 * if that had nothing else to do whenever it was looked at.
 *
 * <p>Colors are given to cores of a lower index only, so that two of them do not swap.
 *
 * <p><b>Threads.</b> The core's. <b>Costs.</b> Some fields of its own for each send to another core and each group; a look at the other core, for half of the
 * hops. <b>Source.</b> None of the papers: a color is placed by the hash of its key there, and moved by thieves only (ADR 0020).
 */
final class Following {
    /** Guess: what a move costs is saved in so many. */
    static final int HOPS = 16;

    private final int core;

    // since the last group
    private int aways;
    private int to;
    private int home;

    // of the hops so far
    private int hops;
    private boolean isLookDue;
    private int color;
    private int peer;
    private int peerHome;
    private long acceptedBefore;

    Following(int core) {
        this.core = core;
    }

    /**
     * A handler has sent an event to another core.
     *
     * @param number of the color it is for
     * @param coreOfIt where that lives
     */
    void sentAway(int number, int coreOfIt) {
        aways++;
        to = number;
        home = coreOfIt;
    }

    /** Something else has run. */
    void reset() {
        aways = 0;
        hops = 0;
        isLookDue = false;
    }

    /**
     * A group of short events has run.
     *
     * @param count of them
     * @param number of the color of the last
     * @param accepted events sent by the core, twice
     */
    void ran(int count, int number, long accepted) {
        boolean isHop = count == 1 && aways == 1 && accepted == acceptedBefore + 2 && home < core;
        boolean isSame = number == color && to == peer && home == peerHome;
        hops = !isHop ? 0 : isSame ? hops + 1 : 1;
        color = number;
        peer = to;
        peerHome = home;
        isLookDue = hops >= HOPS / 2;
        acceptedBefore = accepted;
        aways = 0;
    }

    /** Whether the other core is to be looked at, after a hop: see {@link #looked}. */
    boolean isLookDue() {
        return isLookDue;
    }

    /** The core to be looked at. */
    int peerHome() {
        return peerHome;
    }

    /** The color there that is no reason to be busy. */
    int peer() {
        return peer;
    }

    /**
     * That core was looked at.
     *
     * @param isBusy whether it had anything else to do
     * @return the color to give to it; 0 if it is not time, or not worth it
     */
    int looked(boolean isBusy) {
        isLookDue = false;
        if (isBusy) {
            hops = 0;
        }
        if (hops < HOPS) {
            return ColorIndex.NONE;
        }
        hops = 0;
        return color;
    }
}
