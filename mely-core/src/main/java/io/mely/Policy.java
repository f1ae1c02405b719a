// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.policy.CentralQueue;
import io.mely.runtime.MelyRuntime;
import io.mely.runtime.RuntimeConfig;
import io.mely.runtime.Tuning;
import io.mely.spi.StageGroup;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a runtime decides what its cores run next. Under every policy events of one color run one at a time, in order, and nothing is lost.
 *
 * <p>The {@code with} methods tune the cores, which all groups share: they count for the policy of the stages without a group ({@link MelyBuilder#policy(Policy)}). They are there to be measured, and
 * for who has a reason. Experimental.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class Policy {
    /** The report's batch threshold: spec Mely §4. */
    public static final int BATCH_THRESHOLD_EVENTS = 10;

    /** The stage of what colors execute, which is in the group of stages without one. */
    static final String EXECUTE = MelyRuntime.EXECUTE;

    private static final int THREADS_PER_CORE_MAX = 1024;

    private static final Policy COLORED = new Policy("colored", null, Tuning.DEFAULTS);

    private final String name;
    private final StageGroup.@Nullable Factory groups;
    private final Tuning tuning;

    private Policy(String name, StageGroup.@Nullable Factory groups, Tuning tuning) {
        this.name = name;
        this.groups = groups;
        this.tuning = tuning;
    }

    /**
     * The default: a color lives on one core, and an idle core steals a whole color if the work left in it pays for the trip.
     *
     * @return the policy
     */
    public static Policy colored() {
        return COLORED;
    }

    /**
     * The same with some parts of stealing off. Experimental: for measurements.
     *
     * @param stealing which parts are on
     * @return the policy
     */
    public static Policy colored(Stealing stealing) {
        Objects.requireNonNull(stealing, "stealing");
        return COLORED.with(Tuning.DEFAULTS.with(stealing));
    }

    /**
     * One queue, first in first out, from which every core takes. Fair, and never idle beside work; all cores meet at its lock. An event that is sent without a color
     * has none: it runs beside others.
     *
     * @return the policy
     */
    public static Policy centralQueue() {
        return of("central-queue", CentralQueue::new);
    }

    /**
     * No queue: a send calls the handler on the sender's thread. So two stages become one event, and who sends to them does not see the difference, but for errors, which go to the error handler as ever, and for the time that
     * the send takes. An event that is called goes before those of its color that wait.
     *
     * <p>Two kinds of events wait in the group of the stages that name none instead: an event in another color than its sender runs, and so each event of a single-threaded stage; and an event for a stage whose handler
     * the sender is in, so that a cycle of stages ends. Not for the group of the stages that name none itself.
     *
     * @return the policy
     */
    public static Policy passThrough() {
        return of("pass-through", RuntimeConfig.CALLED);
    }

    /**
     * One queue, first in first out, from which the first core alone takes: a single event loop.
     *
     * @return the policy
     */
    public static Policy eventLoop() {
        return of("event-loop", workers -> new CentralQueue(workers, 1));
    }

    /**
     * A policy of one's own, or one of those in {@code io.mely.policy}.
     *
     * @param name for messages
     * @param groups makes the group of a runtime
     * @return the policy
     */
    public static Policy of(String name, StageGroup.Factory groups) {
        return new Policy(
                Objects.requireNonNull(name, "name"), Objects.requireNonNull(groups, "groups"), Tuning.DEFAULTS);
    }

    /**
     * Sets the most events of one color that run in a row while other colors wait. Default: no bound but what was pending in the color when its turn began, and a
     * {@linkplain #withTimeSlice time slice}.
     *
     * @param events &gt; 0
     * @return a changed copy
     */
    public Policy withBatchThreshold(int events) {
        MelyBuilder.check(events > 0, "batchThresholdEvents must be > 0", "batchThresholdEvents", events);
        return with(
                new Tuning(tuning.stealing(), events, tuning.timeSliceNs(), tuning.spinNs(), tuning.threadsPerCore()));
    }

    /**
     * Sets how long a busy core may run events before it polls. Default: 100 microseconds.
     *
     * @param slice &gt; 0
     * @return a changed copy
     */
    public Policy withTimeSlice(Duration slice) {
        Objects.requireNonNull(slice, "timeSlice");
        MelyBuilder.check(!slice.isNegative() && !slice.isZero(), "timeSlice must be > 0", "timeSlice", slice);
        return with(new Tuning(
                tuning.stealing(),
                tuning.batchThresholdEvents(),
                TimeUnit.NANOSECONDS.convert(slice),
                tuning.spinNs(),
                tuning.threadsPerCore()));
    }

    /**
     * Sets how long an idle core spins before it blocks. Default: 20 microseconds, and zero under a CPU quota.
     *
     * @param time &gt;= 0
     * @return a changed copy
     */
    public Policy withSpin(Duration time) {
        Objects.requireNonNull(time, "spin");
        MelyBuilder.check(!time.isNegative(), "spin must be >= 0", "spin", time);
        return with(new Tuning(
                tuning.stealing(),
                tuning.batchThresholdEvents(),
                tuning.timeSliceNs(),
                TimeUnit.NANOSECONDS.convert(time),
                tuning.threadsPerCore()));
    }

    /**
     * Sets the most threads of a core. One of them runs the core. When a handler keeps it for more than about a millisecond, or ten while all cores compute, another one takes over the core's
     * network loop, its timers and its other colors, and the first goes on with that handler alone. So handlers of different colors may run at once on one core: what they
     * share is safe in a {@link ThreadLocal}, and not in an array by core. Default: 16. With 1 a core never changes its thread.
     *
     * @param threads 1 to 1,024
     * @return a changed copy
     */
    public Policy withThreadsPerCore(int threads) {
        MelyBuilder.check(
                threads >= 1 && threads <= THREADS_PER_CORE_MAX,
                "threadsPerCore must be 1 to " + THREADS_PER_CORE_MAX,
                "threadsPerCore",
                threads);
        return with(new Tuning(
                tuning.stealing(), tuning.batchThresholdEvents(), tuning.timeSliceNs(), tuning.spinNs(), threads));
    }

    /** This policy on cores that another one tunes, unless it tunes them itself. */
    Policy onCoresOf(Policy other) {
        boolean isUntuned = tuning.equals(Tuning.DEFAULTS.with(tuning.stealing()));
        return isUntuned ? with(other.tuning.with(tuning.stealing())) : this;
    }

    private Policy with(Tuning changed) {
        return new Policy(name, groups, changed);
    }

    /**
     * The name.
     *
     * @return for messages
     */
    public String name() {
        return name;
    }

    boolean isPassThrough() {
        return groups == RuntimeConfig.CALLED;
    }

    /** See {@link StageGroup.Factory#threadsMax}. */
    int threadsMax(List<String> stages) {
        return groups == null || isPassThrough() ? 0 : groups.threadsMax(stages);
    }

    Tuning tuning() {
        return tuning;
    }

    /**
     * What makes the group of a runtime.
     *
     * @return null: the cores' own, which is colored
     */
    public StageGroup.@Nullable Factory groups() {
        return groups;
    }

    @Override
    public String toString() {
        return "Policy{" + name + ", " + tuning + "}";
    }
}
