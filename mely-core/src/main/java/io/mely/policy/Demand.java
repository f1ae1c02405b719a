// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.util.concurrent.atomic.LongAdder;

/**
 * How many cores a load needs so that what waits is run in time: one more at once when too much waits, one fewer when the rest has been little busy for a while.
 *
 * <p>What waits is expected to take the number of lanes times what those that were taken since the last change took, or the time of an event if that is more, over the cores. More than a quarter of the goal is too much: arrivals come in heaps, and an event takes its time after the wait.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §14, item 3.
 */
final class Demand {
    /** Of the goal. Guess: with Poisson arrivals a queue is four times its mean one time in a hundred. */
    private static final double WAIT_SHARE = 0.25;

    /** A core is given up if the others are busy no more than so much without it. */
    private static final double BUSY_MAX = 0.6;

    /** Over as long, so that a core does not go and come with each heap. */
    private static final long PERIOD_NS = 100_000_000;

    private final int cores;
    private final double waitNsMax;
    private final LongAdder takenNs = new LongAdder();
    private final LongAdder taken = new LongAdder();
    private volatile int active = 1;

    // guarded by this
    private long beganNs;
    private long busyBefore;
    private boolean hasBegun;

    Demand(int cores, long goalNs) {
        this.cores = cores;
        waitNsMax = goalNs * WAIT_SHARE;
    }

    /** How many cores are to run: 1 to all, the first ones. */
    int active() {
        return active;
    }

    /** A lane was taken that is expected to take as long, with all its events. */
    void taken(long laneNs) {
        takenNs.add(laneNs);
        taken.increment();
    }

    /** So many lanes wait, of events that take as long. True if there is one more core from now on. */
    boolean waits(int lanes, long eventNs) {
        int before = active;
        if (before == cores || lanes == 0) {
            return false;
        }
        double laneNs = Math.max((double) eventNs, (double) takenNs.sum() / Math.max(1, taken.sum()));
        return lanes * laneNs / before > waitNsMax && grow(before);
    }

    private void forgetTaken() {
        takenNs.reset();
        taken.reset();
    }

    private synchronized boolean grow(int before) {
        if (active != before) {
            return false; // somebody else has just done it
        }
        active = before + 1;
        forgetTaken();
        hasBegun = false; // the busy time counts from now
        return true;
    }

    /** A core has worked; all have been busy for so long in all. True if there is one core fewer from now on. */
    boolean worked(long nowNs, long busyNs) {
        return active > 1 && look(nowNs, busyNs);
    }

    private synchronized boolean look(long nowNs, long busyNs) {
        if (!hasBegun) {
            hasBegun = true;
            beganNs = nowNs;
            busyBefore = busyNs;
            return false;
        }
        long periodNs = nowNs - beganNs;
        if (periodNs < PERIOD_NS) {
            return false;
        }
        int before = active;
        boolean isOneTooMany = before > 1 && busyNs - busyBefore < BUSY_MAX * (before - 1) * periodNs;
        if (isOneTooMany) {
            active = before - 1;
        }
        beganNs = nowNs;
        busyBefore = busyNs;
        forgetTaken();
        return isOneTooMany;
    }
}
