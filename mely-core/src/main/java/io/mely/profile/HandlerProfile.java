// SPDX-License-Identifier: Apache-2.0
package io.mely.profile;

import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.memory.HeadPad;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What is known about a handler: how long an event takes, and how much one pending event adds to its color's time-left.
 *
 * <p>An annotated time stands. Otherwise a sampled few of the runs are timed and smoothed. The fields are written without
 * synchronisation by whichever core took a sample: a lost sample is harmless, and a torn one cannot be (each field is one word
 * and is read alone).
 *
 * <p><b>Units.</b> Times in nanoseconds; the weight in nanoseconds divided by the penalty. <b>Source.</b> spec: Mely §3.3, §3.4.
 */
public class HandlerProfile extends HeadPad {
    /** Time assumed until the first sample. Guess: between a counter update (50 ns) and a small request (5 us). */
    public static final long GUESS_NS = 1_000;

    /** A longer event is no short one, whatever a steal costs. Guess: a fiftieth of a time slice. */
    public static final int SHORT_NS_MAX = 2_000;

    /** Weight of an event when time is not looked at, so that a time-left is a count of events. */
    public static final int NOMINAL_WEIGHT = 1_000;

    /** What an event without penalty takes of a batch. */
    public static final int BATCH_SHARE_MAX = 1_000;

    private static final int WEIGHT_MAX = 1 << 30;

    /** No event is thought to take longer: eighteen minutes. What a core has run is a sum of such times. */
    private static final long TIME_NS_MAX = 1L << 40;

    /**
     * Alone, an event that waits for memory takes so many times as long as in a group whose data is loaded at once; what counts is the latter, which nobody knows before it has run in one (ADR 0025).
     * Guess: misses that a CPU has under way.
     */
    private static final int PREFETCHED_PART = 4;

    private static final int WARM_SAMPLES = 8;
    /** A sample counts at most this often its estimate: the thread may have been preempted inside the handler. */
    private static final int OUTLIER_FACTOR = 8;

    private static final VarHandle TIME;
    private static final VarHandle WEIGHT;
    private static final VarHandle SAMPLES;
    private static final VarHandle SHORT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TIME = lookup.findVarHandle(HandlerProfile.class, "processingTimeNs", long.class);
            WEIGHT = lookup.findVarHandle(HandlerProfile.class, "weight", int.class);
            SAMPLES = lookup.findVarHandle(HandlerProfile.class, "samples", int.class);
            SHORT = lookup.findVarHandle(HandlerProfile.class, "shortNs", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String name;
    private final StageOptions options;
    private final Stealing stealing;
    private final boolean isAnnotated;
    private final int batchShare;

    private long processingTimeNs;
    private int weight;
    private int samples;
    private int shortNs;
    private boolean isPrefetched;

    /**
     * Starts a profile.
     *
     * @param name for messages
     * @param options annotations
     * @param stealing which heuristics make up the weight
     */
    public HandlerProfile(String name, StageOptions options, Stealing stealing) {
        this.name = name;
        this.options = options;
        this.stealing = stealing;
        isAnnotated = options.processingTimeNs() > 0;
        batchShare = Math.max(1, BATCH_SHARE_MAX / options.penalty());
        samples = isAnnotated ? WARM_SAMPLES : 0;
        setTime(isAnnotated ? options.processingTimeNs() : GUESS_NS);
    }

    /**
     * The name.
     *
     * @return as given
     */
    public final String name() {
        return name;
    }

    /**
     * The annotations.
     *
     * @return as given
     */
    final StageOptions options() {
        return options;
    }

    /**
     * The priority of its events.
     *
     * @return 0 to 7
     */
    public final int priority() {
        return options.priority();
    }

    /**
     * Expected time of one event.
     *
     * @return nanoseconds, &gt;= 1
     */
    public final long processingTimeNs() {
        return (long) TIME.getOpaque(this);
    }

    /**
     * What one pending event adds to its color's time-left.
     *
     * @return &gt;= 1
     */
    public final int weight() {
        return (int) WEIGHT.getOpaque(this);
    }

    /**
     * The expected time of an event that is like most others: of the default priority, without a penalty, and not a guess. A quarter of it if events are {@link #prefetched}.
     *
     * @return nanoseconds, &gt;= 1; {@link Integer#MAX_VALUE} of any other event
     */
    public final int shortNs() {
        return (int) SHORT.getOpaque(this);
    }

    /**
     * What one event takes of its color's batch, in thousandths of an event. Less with a penalty: another color on the same core would push the data
     * out of its cache just as a thief would. The time slice bounds the batch all the same.
     *
     * @return 1 to {@link #BATCH_SHARE_MAX}
     */
    public final int batchShare() {
        return batchShare;
    }

    /**
     * Says whether the data of several events is loaded at once before they run.
     *
     * @param value false at first
     */
    protected final void prefetched(boolean value) {
        isPrefetched = value;
        setTime(processingTimeNs());
    }

    /**
     * Whether the data of several events is loaded at once before they run.
     *
     * @return as said last
     */
    public final boolean isPrefetched() {
        return isPrefetched;
    }

    /**
     * Whether its time is given.
     *
     * @return true if no run of it need be timed
     */
    public final boolean isAnnotated() {
        return isAnnotated;
    }

    /**
     * Whether each run should be timed, because there are hardly any samples.
     *
     * @return true for the first few runs of a handler without annotation
     */
    public final boolean isCold() {
        return (int) SAMPLES.getOpaque(this) < WARM_SAMPLES;
    }

    /**
     * Takes one timed run into account: exponential smoothing by 1/8, outliers cut.
     *
     * @param elapsedNs what the run took
     */
    public final void sample(long elapsedNs) {
        if (isAnnotated) {
            return;
        }
        int seen = (int) SAMPLES.getOpaque(this);
        long old = processingTimeNs();
        long cut = Math.max(1, Math.min(elapsedNs, old * OUTLIER_FACTOR));
        if (seen < WARM_SAMPLES) {
            SAMPLES.setOpaque(this, seen + 1);
        }
        setTime(seen == 0 ? cut : Math.max(1, old + (cut - old) / 8));
    }

    /** Writes only what changes: all who send the stage's events read its line. */
    private void setTime(long newTimeNs) {
        long timeNs = Math.min(newTimeNs, TIME_NS_MAX);
        long base = stealing.timeLeft() ? timeNs : NOMINAL_WEIGHT;
        long divided = stealing.penalty() ? base / options.penalty() : base;
        int newWeight = (int) Math.max(1, Math.min(divided, WEIGHT_MAX));
        boolean isPlain = options.penalty() == 1 && options.priority() == StageOptions.PRIORITY_DEFAULT && !isCold();
        long alone = isPrefetched && timeNs <= SHORT_NS_MAX ? timeNs / PREFETCHED_PART : timeNs;
        int newShortNs = isPlain ? (int) Math.max(1, Math.min(alone, Integer.MAX_VALUE)) : Integer.MAX_VALUE;
        if (processingTimeNs() != timeNs) {
            TIME.setOpaque(this, timeNs);
        }
        if (weight() != newWeight) {
            WEIGHT.setOpaque(this, newWeight);
        }
        if (shortNs() != newShortNs) {
            SHORT.setOpaque(this, newShortNs);
        }
    }

    @Override
    public String toString() {
        return name + "{processingTimeNs=" + processingTimeNs() + ", weight=" + weight() + "}";
    }
}
