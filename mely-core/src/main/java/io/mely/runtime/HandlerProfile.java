// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.spi.StageGroup;
import io.mely.spi.Supply;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a handler: how long an event takes, and how much one pending event adds to its color's time-left.
 *
 * <p>An annotated time stands. Otherwise runs are timed: all of those that are expected to take {@link #TIMED_NS} or more, as a reading of the clock is cheap beside them, and a
 * sampled few of the shorter ones. The estimates are the mean of the last {@link #WINDOW} samples or so, and the mean of their squares.
 *
 * <p>Who finds a core in a handler waits for the rest of it, which is E[S²] / 2E[S] on average, and so for much longer than the mean if the times are uneven (the inspection paradox). That
 * is {@link #residualNs}.
 *
 * <p>The fields are written without synchronisation by whichever core took a sample: a lost sample is harmless, and a torn one cannot be, as each field is one word and is read alone.
 *
 * <p><b>Units.</b> Times in nanoseconds; the weight in nanoseconds divided by the penalty. <b>Source.</b> spec: Mely §3.3, §3.4.
 */
class HandlerProfile extends HeadPad {
    /** Time assumed until the first sample: of the shortest events that the runtime is made for. */
    static final long UNKNOWN_NS = 1_000;

    /** Each run of a handler that is expected to take as long is timed: a clock read takes a thirtieth of that. */
    static final long TIMED_NS = 1_000;

    /** Of a stage whose events take as long, how long each waits is taken, too. */
    private static final long STAMPED_NS = 10_000;

    /** Weight of an event when time is not looked at, so that a time-left is a count of events. */
    static final int NOMINAL_WEIGHT = 1_000;

    /** Samples that the means are of. Guess: of one long event in twenty it sees a few; a time that changes is known after some tens of events. */
    private static final int WINDOW = 64;

    private static final int WEIGHT_MAX = 1 << 30;

    /** No event is thought to take longer: eighteen minutes. */
    private static final long TIME_NS_MAX = 1L << 40;

    private static final int WARM_SAMPLES = 8;

    private static final AtomicLongFieldUpdater<HandlerProfile> TIME =
            AtomicLongFieldUpdater.newUpdater(HandlerProfile.class, "processingTimeNs");
    private static final AtomicLongFieldUpdater<HandlerProfile> RESIDUAL =
            AtomicLongFieldUpdater.newUpdater(HandlerProfile.class, "residualNs");
    private static final AtomicIntegerFieldUpdater<HandlerProfile> WEIGHT =
            AtomicIntegerFieldUpdater.newUpdater(HandlerProfile.class, "weight");
    private static final AtomicIntegerFieldUpdater<HandlerProfile> SAMPLES =
            AtomicIntegerFieldUpdater.newUpdater(HandlerProfile.class, "samples");

    private final String name;
    private final StageOptions options;
    private final Stealing stealing;
    private final boolean isAnnotated;

    /** Where its events wait, if it is a stage of another group than the colored one. Set before the first event. */
    StageGroup.@Nullable Sink sink;

    /** What its events need before they run; null: nothing. */
    final @Nullable Supply supply;

    private volatile long processingTimeNs;
    private volatile long residualNs;
    private volatile int weight;
    private volatile int samples;
    private int stampSteps = 1; // racy
    private double meanNs;
    private double meanSquare; // ns^2

    /**
     * Starts a profile.
     *
     * @param name for messages
     * @param options annotations
     * @param stealing which heuristics make up the weight
     */
    HandlerProfile(String name, StageOptions options, Stealing stealing) {
        this.name = name;
        this.options = options;
        this.stealing = stealing;
        supply = options.supply();
        isAnnotated = options.processingTimeNs() > 0;
        samples = isAnnotated ? WARM_SAMPLES : 0;
        long timeNs = Math.min(isAnnotated ? options.processingTimeNs() : UNKNOWN_NS, TIME_NS_MAX);
        setTime(timeNs, timeNs / 2);
    }

    /** The name, as given. */
    public final String name() {
        return name;
    }

    /** The annotations, as given. */
    public final StageOptions options() {
        return options;
    }

    /** The priority of its events: 0 to 7. */
    final int priority() {
        return options.priority();
    }

    /** Whether its events have a penalty. */
    final boolean hasPenalty() {
        return options.penalty() > 1;
    }

    /** Expected time of one event: nanoseconds, &gt;= 1. */
    public final long processingTimeNs() {
        return processingTimeNs;
    }

    /** How long the rest of a run is expected to take for who finds a core in it: nanoseconds. */
    final long residualNs() {
        return residualNs;
    }

    /** What one pending event adds to its color's time-left: &gt;= 1. */
    final int weight() {
        return weight;
    }

    /** Whether each run should be timed: of a handler without annotation the first few, and those that are worth it. */
    final boolean isTimed() {
        return !isAnnotated && (isWorthTiming() || samples < WARM_SAMPLES);
    }

    /** Whether a clock read is cheap beside a run. */
    final boolean isWorthTiming() {
        return processingTimeNs() >= TIMED_NS;
    }

    /** How far an event brings its sender to the next one whose time it takes, see {@link Sender#stamped}: one step, or all of them if the stage's events are long. */
    final int stampSteps() {
        return stampSteps;
    }

    /** Takes one timed run into account. */
    final void sample(long elapsedNs) {
        if (isAnnotated) {
            return;
        }
        int count = Math.min(samples + 1, WINDOW);
        SAMPLES.lazySet(this, count);
        double ns = Math.max(1, Math.min(elapsedNs, TIME_NS_MAX));
        meanNs += (ns - meanNs) / count;
        meanSquare += (ns * ns - meanSquare) / count;
        setTime(Math.max(1, (long) meanNs), (long) (meanSquare / (2 * meanNs)));
    }

    /** Writes only what changes: all who send the stage's events read its line. */
    private void setTime(long timeNs, long newResidualNs) {
        long base = stealing.timeLeft() ? timeNs : NOMINAL_WEIGHT;
        long divided = stealing.penalty() ? base / options.penalty() : base;
        int newWeight = (int) Math.max(1, Math.min(divided, WEIGHT_MAX));
        if (processingTimeNs() != timeNs) {
            TIME.lazySet(this, timeNs);
            stampSteps = timeNs < STAMPED_NS && options.admission() == null ? 1 : Sender.SAMPLE_INTERVAL;
        }
        if (residualNs() != newResidualNs) {
            RESIDUAL.lazySet(this, newResidualNs);
        }
        if (weight() != newWeight) {
            WEIGHT.lazySet(this, newWeight);
        }
    }

    @Override
    public String toString() {
        return name + "{processingTimeNs=" + processingTimeNs() + ", weight=" + weight() + "}";
    }
}
