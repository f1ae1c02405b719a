// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The core set: in which order a thief tries its victims.
 *
 * <p>With locality by increasing cache distance, rotated inside a class so that neighbours do not all fall on the same victim; without,
 * from the most loaded core upwards, as libasync-smp does. Load is the number of ready colors: events pending per core are not counted
 * anywhere, for a sender would have to touch a counter of another core on each send.
 *
 * <p><b>Looks are bounded.</b> What a look reads of a busy victim its core has just written: a line of another cache, or two. So with locality, and more
 * than {@link #WHOLE_MAX} victims, a look is at those that share a cache with the thief, and at {@link #TURN} of the others in turn, from near to
 * far. That no work is left does not rest on it: see {@link Thief#steal}.
 *
 * <p><b>Threads.</b> The thief only. <b>Costs.</b> O(1) with locality, O(cores) without. <b>Source.</b> spec: Mely §3.5, §3.6; ADR 0014.
 */
final class VictimOrder {
    /** So many victims are looked at each time: two groups of eight, as before there was a bound. */
    private static final int WHOLE_MAX = 16;

    /** Of more victims, at most so many near ones are looked at each time, as a cache that all cores share bounds nothing, and so many of the others. Simulated with 4, 8 and 16: ADR 0014. */
    private static final int TURN = 8;

    /** Up to this distance two cores share a cache: the ordinal of {@code SHARED_L3} in the cache map. */
    static final int SHARED_CACHE = 3;

    private final int thief;
    private final boolean isLocal;
    private final CoreQueue[] cores;
    private final int[] order; // all victims, the nearest first
    private final int near;
    private int turn; // where in the order the next look goes after the near ones; its end if these are all

    /** Prepares the order, by the distances from the thief to each core; {@code isLocal}: whether they decide. */
    VictimOrder(int thief, CoreQueue[] cores, int[] distances, boolean isLocal) {
        this.thief = thief;
        this.cores = cores;
        this.isLocal = isLocal;
        int count = cores.length;
        order = IntStream.range(1, count)
                .map(i -> (thief + i) % count)
                .boxed()
                .sorted(Comparator.comparingInt(core -> distances[core])) // stable: keeps the rotation
                .mapToInt(Integer::intValue)
                .toArray();
        near = !isLocal || order.length <= WHOLE_MAX ? order.length : countNear(distances);
        turn = near;
    }

    private int countNear(int[] distances) {
        int count = 0;
        while (count < TURN && distances[order[count]] <= SHARED_CACHE) {
            count++;
        }
        return count;
    }

    /** Whether looks are at a part of the victims. */
    boolean isInTurns() {
        return near < order.length;
    }

    /** All victims, with locality or without: not to be changed. */
    int[] nearestFirst() {
        return order;
    }

    /** Fixes the order of one look: where it starts, for {@link #victim}. */
    int begin() {
        return isLocal ? turn : mostLoaded(cores);
    }

    /** How many victims the next look has. */
    int size() {
        return near + Math.min(TURN, order.length - turn);
    }

    /** The i-th victim of a look, below its {@link #size}. */
    int victim(int start, int i) {
        if (isLocal) {
            return order[i < near ? i : start + i - near];
        }
        int count = cores.length;
        int offset = Math.floorMod(thief - start, count); // where the thief itself stands in the round
        return (start + (i < offset ? i : i + 1)) % count;
    }

    /** After a look that found nothing: the next one goes to others. */
    void nextTurn() {
        turn = order.length - turn > TURN ? turn + TURN : near;
    }

    /** Lets the next look go to a victim, among others. */
    void turnTo(int victim) {
        for (int at = near; at < order.length; at++) {
            if (order[at] == victim) {
                turn = at - (at - near) % TURN;
                return;
            }
        }
    }

    private static int mostLoaded(CoreQueue[] cores) {
        int best = 0;
        for (int core = 1; core < cores.length; core++) {
            if (cores[core].ready.count() > cores[best].ready.count()) {
                best = core;
            }
        }
        return best;
    }
}
