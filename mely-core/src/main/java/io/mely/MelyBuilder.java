// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.runtime.Hooks;
import io.mely.runtime.MelyRuntime;
import io.mely.runtime.RuntimeConfig;
import io.mely.runtime.Tuning;
import io.mely.spi.Poller;
import io.mely.spi.StageGroup;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Describes a runtime. Every setter checks its value at once; {@link #build()} may be called several times.
 *
 * <p>Most programs set its size ({@link #cores}, {@link #colors}, {@link #pendingEventsMax}, {@link #blockingLimit}) and whether it is {@link #pinned}, if
 * anything. How the cores schedule is a {@link #policy}.
 *
 * <p><b>Threads.</b> Not safe for use by several.
 */
public final class MelyBuilder {
    /** Largest number of cores. */
    public static final int CORES_MAX = 1024;

    /** Largest number of colors. */
    public static final int COLORS_MAX = 1 << 24;

    private String name = "mely";
    private int cores;
    private boolean isPinned;
    private int colors = 1 << 16;
    final Map<String, Policy> policies = new LinkedHashMap<>(Map.of(StageOptions.GROUP_DEFAULT, Policy.colored()));
    Deployment deployment = new Deployment();
    private @Nullable ErrorHandler errorHandler;
    private Poller.@Nullable Factory pollers;
    private int blockingLimit = 256;
    private int pendingEventsMax = 1 << 22;
    private long closeDeadlineNs = Duration.ofSeconds(10).toNanos();

    private @Nullable Consumer<Thread> threadSetup;
    private long stallAfterNs = Duration.ofSeconds(10).toNanos();
    private @Nullable StallListener stallListener;

    /** Set by tests. */
    Hooks hooks = Hooks.NONE;

    MelyBuilder() {}

    /** Sets the prefix of the threads' names, which must not be blank. Default: mely. */
    public MelyBuilder name(String newName) {
        check(!Objects.requireNonNull(newName, "name").isBlank(), "name must not be blank", "name", newName);
        name = newName;
        return this;
    }

    /** Sets the number of cores, 1 to {@link #CORES_MAX}. Default: the CPUs this process may use, limited by the container's CPU quota. */
    public MelyBuilder cores(int count) {
        check(count >= 1 && count <= CORES_MAX, "cores must be 1 to " + CORES_MAX, "cores", count);
        cores = count;
        return this;
    }

    /**
     * Sets whether each core's thread is pinned to a CPU of its own. Default: false, the kernel moves the threads.
     *
     * <p>Pin where the process has its CPUs for itself, and several caches to keep warm. A pinned core whose CPU somebody else needs waits for it while
     * others idle. That somebody may be another library's thread, a client on the same host, a container's CPU quota, or a second runtime, which pins to
     * the same CPUs (ADR 0016). With more cores than CPUs nothing is pinned, and a warning says so.
     *
     * <p>On Linux a thread begins with the CPUs of the thread that starts it. A thread that a handler on a pinned core starts is set free within 0.1 s or so, be
     * it of a pool, of the JVM's common pool, or a carrier of virtual threads. So is a thread that binds itself to a core's CPU as soon as it starts. A
     * <em>process</em> that a handler starts keeps the core's CPU: start it in {@link Mely#blocking}.
     */
    public MelyBuilder pinned(boolean enabled) {
        isPinned = enabled;
        return this;
    }

    /**
     * Sets the number of color slots, a power of two, 2 to {@link #COLORS_MAX}. Default: 65,536, the paper's colour map. Each costs 8 bytes whether it is used or not. Keys that share a slot wait for each other and move
     * together, so that with long events among short ones few slots are slow, in a burst to one core up to twice.
     */
    public MelyBuilder colors(int count) {
        check(
                count >= 2 && count <= COLORS_MAX && Integer.bitCount(count) == 1,
                "colors must be a power of two, 2 to " + COLORS_MAX,
                "colors",
                count);
        colors = count;
        return this;
    }

    /** Sets how stages that name no group are scheduled. Default: {@link Policy#colored()}. */
    public MelyBuilder policy(Policy choice) {
        return policy(StageOptions.GROUP_DEFAULT, choice);
    }

    /**
     * Adds a group of stages with a policy of its own, or replaces one: see {@link StageOptions#withGroup}. All groups share the cores, which the policy of the stages without
     * a group tunes.
     */
    public MelyBuilder policy(String group, Policy choice) {
        checkGroup(group, choice);
        policies.put(group, choice);
        return this;
    }

    /** Sets who is told of a handler that throws, and must not block. Default: logged as an error. */
    public MelyBuilder errorHandler(ErrorHandler handler) {
        errorHandler = Objects.requireNonNull(handler, "errorHandler");
        return this;
    }

    /** Sets what the cores poll and block in: the factory makes one per core. Default: they park. */
    public MelyBuilder pollers(Poller.Factory factory) {
        pollers = Objects.requireNonNull(factory, "pollers");
        return this;
    }

    /** Sets the most calls of {@link Mely#blocking} under way, &gt; 0; one more is refused. Default: 256. */
    public MelyBuilder blockingLimit(int calls) {
        check(calls > 0, "blockingLimit must be > 0", "blockingLimit", calls);
        blockingLimit = calls;
        return this;
    }

    /**
     * Sets the most events that may be pending, 1,024 to 2^30, to within a few hundred for each sending thread; beyond it {@link Stage#send(Color, Object)} returns
     * false. Timers that are due come on top. Default: 4,194,304.
     */
    public MelyBuilder pendingEventsMax(int events) {
        check(
                events >= 1024 && events <= 1 << 30,
                "pendingEventsMax must be 1024 to 1073741824",
                "pendingEventsMax",
                events);
        pendingEventsMax = events;
        return this;
    }

    /** Sets how long {@link Mely#close()} drains, &gt;= 0. Default: 10 seconds. */
    public MelyBuilder closeDeadline(Duration deadline) {
        Objects.requireNonNull(deadline, "closeDeadline");
        check(!deadline.isNegative(), "closeDeadline must be >= 0", "closeDeadline", deadline);
        closeDeadlineNs = TimeUnit.NANOSECONDS.convert(deadline);
        return this;
    }

    /**
     * Sets up the runtime's threads: whether they are daemons, for instance, which by default they are not, or their priority. Called with each thread before it starts; must not start it. A handler that changes its
     * thread's name, priority or context class loader changes them until its color's turn ends; then they are as this has left them.
     */
    public MelyBuilder threadSetup(Consumer<Thread> setup) {
        threadSetup = Objects.requireNonNull(setup, "threadSetup");
        return this;
    }

    /**
     * Sets after what time, &gt;= 0, who is told of a handler that takes too long, once for each such handler; zero: nobody is told. Default: after 10 seconds it is logged as a warning, with the stage, the color and the
     * stack.
     */
    public MelyBuilder stallAfter(Duration time, StallListener listener) {
        Objects.requireNonNull(time, "stallAfter");
        check(!time.isNegative(), "stallAfter must be >= 0", "stallAfter", time);
        stallAfterNs = TimeUnit.NANOSECONDS.convert(time);
        stallListener = Objects.requireNonNull(listener, "stallListener");
        return this;
    }

    /**
     * Builds the runtime. It accepts events at once and runs them after {@link Mely#start()}. Handlers and {@link Mely#blocking} work have the context class
     * loader of the thread that calls this.
     */
    public Mely build() {
        return new Mely(new MelyRuntime(config()));
    }

    RuntimeConfig config() {
        Map<String, Policy> all = deployment.policies(policies);
        Tuning tuning =
                all.getOrDefault(StageOptions.GROUP_DEFAULT, Policy.colored()).tuning();
        Map<String, StageGroup.@Nullable Factory> groups = new LinkedHashMap<>();
        all.forEach((group, policy) -> {
            check(
                    policy.tuning().equals(tuning) || policy.tuning().equals(Tuning.DEFAULTS),
                    "the cores are tuned by the policy of group " + StageOptions.GROUP_DEFAULT
                            + ": set it there, group=" + group,
                    "policy",
                    policy);
            groups.put(group, policy.groups());
        });
        return new RuntimeConfig(
                name,
                cores,
                isPinned,
                colors,
                blockingLimit,
                pendingEventsMax,
                closeDeadlineNs,
                tuning,
                groups,
                deployment::change,
                errorHandler,
                pollers,
                threadSetup,
                stallAfterNs,
                stallListener,
                hooks);
    }

    static void checkGroup(String group, Policy choice) {
        boolean isCalled = Objects.requireNonNull(choice, "policy").isPassThrough();
        boolean isMain = Objects.requireNonNull(group, "group").equals(StageOptions.GROUP_DEFAULT);
        check(!isCalled || !isMain, "the policy of stages without a group must have a queue", "policy", choice.name());
    }

    static void check(boolean isValid, String rule, String parameter, Object value) {
        if (!isValid) {
            throw new IllegalArgumentException(rule + ": " + parameter + "=" + value);
        }
    }
}
