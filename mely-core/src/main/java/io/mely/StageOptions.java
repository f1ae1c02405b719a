// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static io.mely.MelyBuilder.check;

import io.mely.admission.Admission;
import io.mely.spi.Supply;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The annotations of a stage. Immutable; start from {@link #defaults()}.
 *
 * <p><b>Source.</b> spec: Mely §1 (annotations), §3.4 (penalty), stages §12b (single-threaded).
 *
 * @param processingTimeNs expected run time of one event in nanoseconds, &gt;= 1; 0 means: measure it. Best given for a stage that takes 50 us or more, as its first
 *     events are taken for short else. What waits behind an event of that length, however short, is run by another core, also by one that sleeps. More than eighteen minutes
 *     count as those
 * @param penalty divides the stage's worth as loot, because its data would move with it, and its share of a batch, because another color would push it out of the
 *     cache; 1 (neutral) to 1,000,000
 * @param priority 0 (last) to 7 (first); a hint, per core
 * @param singleThreaded true gives the stage one color of its own
 * @param dataBytes about how much of its color's data an event reads and writes; for profiles only: a simulated machine moves so
 *     much when a color moves, the runtime does not look at it. 0 (nothing worth counting) to 1 GiB
 * @param group which of the runtime's groups it belongs to: see {@link MelyBuilder#policy(String, Policy)}
 * @param capacity most of its events that may wait; what is sent beyond is refused, but for timers that are due. 0: no bound but that of the runtime. A bound is exact, and one
 *     line of memory that all who send to the stage or run it write
 * @param admission makes what decides which events are let in, but those of timers; null: all are. The time of each event of such a stage is taken, and how many wait is counted as for a capacity
 * @param dropHandler told of each event that the stage refuses; null: the sender alone is told
 * @param supply what an event needs before it runs; null: nothing
 */
public record StageOptions(
        long processingTimeNs,
        int penalty,
        int priority,
        boolean singleThreaded,
        long dataBytes,
        String group,
        int capacity,
        Admission.@Nullable Factory admission,
        @Nullable DropHandler dropHandler,
        @Nullable Supply supply) {
    /** The group of a stage that names none. */
    public static final String GROUP_DEFAULT = "main";

    /** Number of priority levels. */
    public static final int PRIORITIES = 8;

    /** The priority of a stage that says nothing of it. */
    public static final int PRIORITY_DEFAULT = 3;

    /** Largest penalty. */
    public static final int PENALTY_MAX = 1_000_000;

    /** Largest data of an event. */
    public static final long DATA_BYTES_MAX = 1L << 30;

    private static final StageOptions DEFAULTS = new StageOptions(0, 1, PRIORITY_DEFAULT, false);

    /** Checks the values. Fails naming the one that is out of range. */
    public StageOptions {
        Objects.requireNonNull(group, "group");
        check(
                processingTimeNs >= 0,
                "processingTimeNs must be >= 0 (0 means: measure)",
                "processingTimeNs",
                processingTimeNs);
        check(penalty >= 1 && penalty <= PENALTY_MAX, "penalty must be 1 to " + PENALTY_MAX, "penalty", penalty);
        check(
                priority >= 0 && priority < PRIORITIES,
                "priority must be 0 to " + (PRIORITIES - 1),
                "priority",
                priority);
        check(capacity >= 0, "capacity must be >= 0", "capacity", capacity);
        check(
                dataBytes >= 0 && dataBytes <= DATA_BYTES_MAX,
                "dataBytes must be 0 to " + DATA_BYTES_MAX,
                "dataBytes",
                dataBytes);
    }

    /** Of the group of stages that name none, without data worth counting and without a bound. */
    public StageOptions(long processingTimeNs, int penalty, int priority, boolean singleThreaded) {
        this(processingTimeNs, penalty, priority, singleThreaded, 0, GROUP_DEFAULT, 0, null, null, null);
    }

    /** Measured time, neutral penalty, priority 3, any color. */
    public static StageOptions defaults() {
        return DEFAULTS;
    }

    /** A copy with an expected processing time, &gt; 0, which overrides measurement. */
    public StageOptions withProcessingTime(Duration time) {
        Objects.requireNonNull(time, "processingTime");
        check(!time.isNegative() && !time.isZero(), "processingTime must be > 0", "processingTime", time);
        Copy copy = new Copy(this);
        copy.processingTimeNs = TimeUnit.NANOSECONDS.convert(time);
        return copy.make();
    }

    /** A copy with a stealing penalty, 1 to 1,000,000. */
    public StageOptions withPenalty(int newPenalty) {
        Copy copy = new Copy(this);
        copy.penalty = newPenalty;
        return copy.make();
    }

    /** A copy with a priority, 0 (last) to 7 (first). */
    public StageOptions withPriority(int newPriority) {
        Copy copy = new Copy(this);
        copy.priority = newPriority;
        return copy.make();
    }

    /** A copy that says how much of its color's data an event reads and writes, for profiles: 0 to 1 GiB. */
    public StageOptions withDataBytes(long bytes) {
        Copy copy = new Copy(this);
        copy.dataBytes = bytes;
        return copy.make();
    }

    /** A copy whose stage gets one color of its own, so that its events never overlap. */
    public StageOptions asSingleThreaded() {
        Copy copy = new Copy(this);
        copy.singleThreaded = true;
        return copy.make();
    }

    /** A copy in a group of the runtime. */
    public StageOptions withGroup(String name) {
        Copy copy = new Copy(this);
        copy.group = name;
        return copy.make();
    }

    /** A copy with a bound on how many of the stage's events may wait, &gt; 0. */
    public StageOptions withCapacity(int events) {
        check(events > 0, "capacity must be > 0", "capacity", events);
        Copy copy = new Copy(this);
        copy.capacity = events;
        return copy.make();
    }

    /** A copy that decides on each event whether it is let in. */
    public StageOptions withAdmission(Admission.Factory factory) {
        Copy copy = new Copy(this);
        copy.admission = Objects.requireNonNull(factory, "admission");
        return copy.make();
    }

    /** A copy that is told of each event that the stage refuses. */
    public StageOptions withDropHandler(DropHandler handler) {
        Copy copy = new Copy(this);
        copy.dropHandler = Objects.requireNonNull(handler, "dropHandler");
        return copy.make();
    }

    /**
     * A copy whose events take what they need before they run, and wait until it is there: see {@link Supply}. Experimental.
     */
    public StageOptions withSupply(Supply newSupply) {
        Copy copy = new Copy(this);
        copy.supply = Objects.requireNonNull(newSupply, "supply");
        return copy.make();
    }

    /** A copy before it is made. */
    private static final class Copy {
        private long processingTimeNs;
        private int penalty;
        private int priority;
        private boolean singleThreaded;
        private long dataBytes;
        private String group;
        private int capacity;
        private Admission.@Nullable Factory admission;
        private @Nullable DropHandler dropHandler;
        private @Nullable Supply supply;

        Copy(StageOptions of) {
            processingTimeNs = of.processingTimeNs;
            penalty = of.penalty;
            priority = of.priority;
            singleThreaded = of.singleThreaded;
            dataBytes = of.dataBytes;
            group = of.group;
            capacity = of.capacity;
            admission = of.admission;
            dropHandler = of.dropHandler;
            supply = of.supply;
        }

        StageOptions make() {
            return new StageOptions(
                    processingTimeNs,
                    penalty,
                    priority,
                    singleThreaded,
                    dataBytes,
                    group,
                    capacity,
                    admission,
                    dropHandler,
                    supply);
        }
    }
}
