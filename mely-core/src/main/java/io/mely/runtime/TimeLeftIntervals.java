// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/**
 * The bound above which a color is worth a steal, and the three intervals above it.
 *
 * <p>Bounds are relative to the measured cost of the cheapest steal: {@code (1x, 15x], (15x, 30x], above}, the ratios of the public
 * Mely (1,000, 15,000 and 30,000 cycles). No order inside an interval: constant insertion against an approximate longest-first.
 *
 * <p>An event that is not worth a steal itself adds only a part of its time, but in the report's way: many short events are over in a moment, and the color has
 * moved for good (ADR 0022).
 *
 * <p><b>Threads.</b> Any; the bound is one word that changes slowly. <b>Units.</b> Weights, see
 * {@link io.mely.runtime.HandlerProfile}. <b>Source.</b> spec: Mely §3.3, §11.1.
 */
final class TimeLeftIntervals extends HeadPad {
    /** Number of intervals of worthy colors; interval 0 is "not worthy". */
    static final int COUNT = 3;

    private static final int MEDIUM = 15;
    private static final int HIGH = 30;

    /** The floor of the long interval: where steals are so cheap that 30 of them are less than a wake-up, that is the longer one. */
    private static final long HIGH_MIN = 10_000;

    /** So that the floors above it are numbers, too. */
    private static final long BOUND_MAX = Long.MAX_VALUE / HIGH;

    private final int shortsShift;
    private volatile long bound;

    /** Starts with a bound, the report's way: a color must have more left. */
    TimeLeftIntervals(long bound) {
        this(bound, 1);
    }

    /** The same; an event below the bound counts for this part, of one, of its time: a power of two. */
    TimeLeftIntervals(long bound, int shortsPart) {
        this.bound = Math.min(bound, BOUND_MAX);
        shortsShift = Integer.numberOfTrailingZeros(shortsPart);
    }

    /** The bound: a color must have more left than this. */
    long bound() {
        return bound;
    }

    /** Moves the bound. Colors are classified anew when they are next touched. */
    void setBound(long newBound) {
        bound = Math.min(newBound, BOUND_MAX);
    }

    /** Classifies a time-left: 0 if not worthy, else 1 (short) to 3 (long): one for each floor that it exceeds. Without branches, as which of them are taken changes with the load. */
    int intervalOf(long timeLeft) {
        long unit = bound;
        return isMore(timeLeft, unit) + isMore(timeLeft, unit * MEDIUM) + isMore(timeLeft, highFloor(unit));
    }

    private static int isMore(long timeLeft, long floor) {
        return (int) ((floor - timeLeft) >>> 63);
    }

    /** What an event of so much weight adds to the time-left of its color. */
    int weightOf(int weight) {
        return Math.max(1, weight >> (shortsShift * (1 - isMore(weight, bound))));
    }

    /** A floor of the work of so many colors in the intervals 1, 2 and 3, in units of weight. */
    long floorOf(int low, int medium, int high) {
        long unit = bound();
        return unit * (low + (long) MEDIUM * medium) + highFloor(unit) * high;
    }

    private static long highFloor(long unit) {
        return Math.max(unit * HIGH, HIGH_MIN);
    }
}
