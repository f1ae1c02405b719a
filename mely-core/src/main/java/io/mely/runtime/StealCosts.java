// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Stealing;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What a steal costs at each cache distance, measured by the thieves and smoothed.
 *
 * <p>The cheapest one is the bound of the stealing-queues; a thief asks for more than its own cost at its own distance. Without the
 * time-left heuristic nothing is measured and a color is worthy as soon as it holds one event of penalty 1.
 *
 * <p><b>Threads.</b> Any; updates may get lost, which smoothing forgives. <b>Units.</b> Nanoseconds. <b>Source.</b> spec: Mely §2
 * (steal-cost monitor), §11.2: the cost is per steal, as a steal moves a whole color.
 */
final class StealCosts {
    /** What a steal is taken to cost before one was measured, by distance class, near to far: 7 to 10 line transfers of 40 to 130 ns. */
    private static final long[] FIRST_NS = {400, 400, 500, 700, 1_000, 1_500};

    /** A waker pays 2 us, and the work begins 7 us later; measured on the development machine. */
    static final long WAKE_NS = 10_000;

    /**
     * Of the time-left of short events. Measured: loads that need no steals have colors of such at one to two times the cost, and few at more than eight. Not the report's, whose steals take
     * one color.
     */
    private static final int SHORTS_PART = 8;

    private static final long COST_NS_MIN = 100;
    private static final long COST_NS_MAX = 100_000;
    /** A sample counts at most this often its estimate: the thief may have been preempted. */
    private static final int OUTLIER_FACTOR = 4;

    private final AtomicLongArray costNs = new AtomicLongArray(FIRST_NS);
    private final int[] distances;
    private final boolean isMeasured;
    private final TimeLeftIntervals intervals;

    /** Starts from what was measured elsewhere, for the distance classes that occur between cores. */
    StealCosts(int[] distances, Stealing stealing) {
        this.distances = distances;
        isMeasured = stealing.timeLeft();
        intervals = isMeasured
                ? new TimeLeftIntervals(cheapest(), stealing.colorsMax() == 1 ? 1 : SHORTS_PART)
                : new TimeLeftIntervals(HandlerProfile.NOMINAL_WEIGHT - 1);
    }

    /** The intervals of every core's stealing-queue, shared by all cores. */
    TimeLeftIntervals intervals() {
        return intervals;
    }

    /**
     * What must lie ready to be worth waking a thief, in units of weight. If the time left is not measured, nothing is known about the length of an event, and every
     * worthy one counts.
     */
    static long wakeWeight(boolean isMeasured) {
        return isMeasured ? WAKE_NS : HandlerProfile.NOMINAL_WEIGHT - 1;
    }

    /** What a color must have left to be worth a steal at a distance, in units of weight. */
    long minLeft(int distance) {
        return isMeasured ? costNs.getOpaque(distance) : intervals.bound();
    }

    /** Takes one successful steal into account, from before the lock to after the release. */
    void sample(int distance, long elapsedNs) {
        if (!isMeasured) {
            return;
        }
        long old = costNs.getOpaque(distance);
        long cut = Math.max(COST_NS_MIN, Math.min(Math.min(elapsedNs, old * OUTLIER_FACTOR), COST_NS_MAX));
        costNs.setOpaque(distance, Math.max(COST_NS_MIN, old + (cut - old) / 8));
        moveBound();
    }

    /**
     * Goes half of the way back to the first estimates. A thief that found nothing: steals that were dear for a while, by code not compiled
     * yet or on a busy machine, would else have shown for good that none pays, as nobody measures what nobody tries.
     */
    void forget() {
        if (!isMeasured) {
            return;
        }
        for (int distance : distances) {
            long excess = costNs.getOpaque(distance) - FIRST_NS[distance];
            if (excess > 0) {
                costNs.setOpaque(distance, FIRST_NS[distance] + excess / 2);
            }
        }
        moveBound();
    }

    private void moveBound() {
        long cheapest = cheapest();
        if (cheapest != intervals.bound()) {
            intervals.setBound(cheapest);
        }
    }

    private long cheapest() {
        long cheapest = COST_NS_MAX;
        for (int distance : distances) {
            cheapest = Math.min(cheapest, costNs.getOpaque(distance));
        }
        return cheapest;
    }
}
