// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.runtime.MelyRuntime;
import io.mely.runtime.RuntimeConfig;
import io.mely.spi.NanoClock;
import io.mely.spi.Poller;
import io.mely.spi.StageGroup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Describes a runtime. Every setter checks its value at once; {@link #build()} may be called several times.
 *
 * <p>Most programs set its size ({@link #cores}, {@link #colors}, {@link #pendingEventsMax}, {@link #blockingLimit}) and whether it is {@link #pinned}, if
 * anything. What schedules ({@link #policy}, {@link #timeSlice}, {@link #batchThresholdEvents}) is there to be measured, and for who has a reason; the {@link #hashSeed}, the {@link #clock}
 * and the {@link #sysfsRoot} are for tests.
 *
 * <p><b>Threads.</b> Not safe for use by several.
 */
public final class MelyBuilder {
    /** Largest number of cores. */
    public static final int CORES_MAX = 1024;

    private static final int WORKERS_PER_CORE_MAX = 1024;

    /** Largest number of colors. */
    public static final int COLORS_MAX = 1 << 24;

    /** The report's batch threshold: spec Mely §4. */
    public static final int BATCH_THRESHOLD_EVENTS = 10;

    private String name = "mely";
    private int cores;
    private boolean isPinned;
    private int colors = 1 << 16;
    private @Nullable Long hashSeed;
    private int batchThresholdEvents = Integer.MAX_VALUE;
    private long timeSliceNs = Duration.ofNanos(100_000).toNanos();
    private long spinNs = -1;
    private final Map<String, Policy> policies =
            new LinkedHashMap<>(Map.of(StageOptions.GROUP_DEFAULT, Policy.colored()));
    private @Nullable ErrorHandler errorHandler;
    private @Nullable Path sysfsRoot;
    private Poller.@Nullable Factory pollers;
    private NanoClock clock = NanoClock.SYSTEM;
    private int blockingLimit = 256;
    private int pendingEventsMax = 1 << 22;
    private long closeDeadlineNs = Duration.ofSeconds(10).toNanos();
    private @Nullable IntUnaryOperator placement;

    /** Guess: a thread costs some 100 KB, and who has more handlers that stand still at once should have them elsewhere. */
    private int workersPerCore = 16;

    private @Nullable Consumer<Thread> threadSetup;
    private long stallAfterNs = Duration.ofSeconds(10).toNanos();
    private @Nullable StallListener stallListener;
    private HandlerObserver.@Nullable Factory observers;

    MelyBuilder() {}

    /**
     * Sets the prefix of the threads' names. Default: mely.
     *
     * @param newName not blank
     * @return this
     */
    public MelyBuilder name(String newName) {
        check(!Objects.requireNonNull(newName, "name").isBlank(), "name must not be blank", "name", newName);
        name = newName;
        return this;
    }

    /**
     * Sets the number of cores. Default: the CPUs this process may use, limited by the container's CPU quota.
     *
     * @param count 1 to {@link #CORES_MAX}
     * @return this
     */
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
     *
     * @param enabled true pins
     * @return this
     */
    public MelyBuilder pinned(boolean enabled) {
        isPinned = enabled;
        return this;
    }

    /**
     * Sets the number of color slots. Default: 65,536, the paper's colour map. Each costs 8 bytes whether it is used or not. Keys that share a slot wait for each other and move
     * together, so that with long events among short ones few slots are slow, in a burst to one core up to twice.
     *
     * @param count a power of two, 2 to {@link #COLORS_MAX}
     * @return this
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

    /**
     * Sets the seed of the slot hash, for tests. Default: random, so that keys from untrusted input can't be steered.
     *
     * @param seed any
     * @return this
     */
    public MelyBuilder hashSeed(long seed) {
        hashSeed = seed;
        return this;
    }

    /**
     * Sets the most events of one color that run in a row while other colors wait. Default: no bound but what was pending in the color when its turn began, and a
     * {@link #timeSlice}.
     *
     * @param events &gt; 0
     * @return this
     */
    public MelyBuilder batchThresholdEvents(int events) {
        check(events > 0, "batchThresholdEvents must be > 0", "batchThresholdEvents", events);
        batchThresholdEvents = events;
        return this;
    }

    /**
     * Sets how long a busy core may run events before it polls. Default: 100 microseconds.
     *
     * @param slice &gt; 0
     * @return this
     */
    public MelyBuilder timeSlice(Duration slice) {
        Objects.requireNonNull(slice, "timeSlice");
        check(!slice.isNegative() && !slice.isZero(), "timeSlice must be > 0", "timeSlice", slice);
        timeSliceNs = TimeUnit.NANOSECONDS.convert(slice);
        return this;
    }

    /**
     * Sets how long an idle core spins before it blocks. Default: 20 microseconds, and zero under a CPU quota.
     *
     * @param time &gt;= 0
     * @return this
     */
    public MelyBuilder spin(Duration time) {
        Objects.requireNonNull(time, "spin");
        check(!time.isNegative(), "spin must be >= 0", "spin", time);
        spinNs = TimeUnit.NANOSECONDS.convert(time);
        return this;
    }

    /**
     * Sets how stages that name no group are scheduled. Default: {@link Policy#colored()}.
     *
     * @param choice which
     * @return this
     */
    public MelyBuilder policy(Policy choice) {
        return policy(StageOptions.GROUP_DEFAULT, choice);
    }

    /**
     * Adds a group of stages with a policy of its own, or replaces one: see {@link StageOptions#withGroup}. All groups share the cores, and so the stealing of colors, which the policy of the stages without
     * a group sets.
     *
     * @param group name
     * @param choice which
     * @return this
     */
    public MelyBuilder policy(String group, Policy choice) {
        policies.put(Objects.requireNonNull(group, "group"), Objects.requireNonNull(choice, "policy"));
        return this;
    }

    /**
     * Sets who is told of a handler that throws. Default: logged as an error.
     *
     * @param handler must not block
     * @return this
     */
    public MelyBuilder errorHandler(ErrorHandler handler) {
        errorHandler = Objects.requireNonNull(handler, "errorHandler");
        return this;
    }

    /**
     * Sets the folder in which the cache map is read, so that any machine can be described by files. Default: /sys.
     *
     * @param root holds devices/system/cpu
     * @return this
     */
    public MelyBuilder sysfsRoot(Path root) {
        sysfsRoot = Objects.requireNonNull(root, "sysfsRoot");
        return this;
    }

    /**
     * Sets what the cores poll and block in. Default: they park.
     *
     * @param factory makes one per core
     * @return this
     */
    public MelyBuilder pollers(Poller.Factory factory) {
        pollers = Objects.requireNonNull(factory, "pollers");
        return this;
    }

    /**
     * Sets the clock. Default: the system's.
     *
     * @param source the clock
     * @return this
     */
    public MelyBuilder clock(NanoClock source) {
        clock = Objects.requireNonNull(source, "clock");
        return this;
    }

    /**
     * Sets the most calls of {@link Mely#blocking} under way; one more is refused. Default: 256.
     *
     * @param calls &gt; 0
     * @return this
     */
    public MelyBuilder blockingLimit(int calls) {
        check(calls > 0, "blockingLimit must be > 0", "blockingLimit", calls);
        blockingLimit = calls;
        return this;
    }

    /**
     * Sets the most threads of a core. One of them runs the core. When a handler keeps it for more than about half a millisecond, another one takes over the core's
     * network loop, its timers and its other colors, and the first goes on with that handler alone. So handlers of different colors may run at once on one core: what they
     * share is safe in a {@link ThreadLocal}, and not in an array by core. Default: 16. With 1 a core never changes its thread.
     *
     * @param threads 1 to 1,024
     * @return this
     */
    public MelyBuilder workersPerCore(int threads) {
        check(
                threads >= 1 && threads <= WORKERS_PER_CORE_MAX,
                "workersPerCore must be 1 to " + WORKERS_PER_CORE_MAX,
                "workersPerCore",
                threads);
        workersPerCore = threads;
        return this;
    }

    /**
     * Sets the most events that may be pending, to within a few hundred for each sending thread; beyond it {@link Stage#send(Color, Object)} returns
     * false. Timers that are due come on top. Default: 4,194,304.
     *
     * @param events 1,024 to 2^30
     * @return this
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

    /**
     * Sets how long {@link Mely#close()} drains. Default: 10 seconds.
     *
     * @param deadline &gt;= 0
     * @return this
     */
    public MelyBuilder closeDeadline(Duration deadline) {
        Objects.requireNonNull(deadline, "closeDeadline");
        check(!deadline.isNegative(), "closeDeadline must be >= 0", "closeDeadline", deadline);
        closeDeadlineNs = TimeUnit.NANOSECONDS.convert(deadline);
        return this;
    }

    /**
     * Sets the first home of each color, for tests and benchmarks. Default: slot modulo cores. {@link #build} asks for all slots, and for some behind them, which are those of
     * single-threaded stages; what it throws is thrown there.
     *
     * @param homeOfSlot from a slot to a core; taken modulo the number of cores
     * @return this
     */
    public MelyBuilder placement(IntUnaryOperator homeOfSlot) {
        placement = Objects.requireNonNull(homeOfSlot, "placement");
        return this;
    }

    /**
     * Sets who is told of each handler that runs and of each event that is sent. Default: nobody. Experimental.
     *
     * @param factory makes an observer for each core and each thread that sends
     * @return this
     */
    public MelyBuilder observers(HandlerObserver.Factory factory) {
        observers = Objects.requireNonNull(factory, "observers");
        return this;
    }

    /**
     * Sets up the runtime's threads: whether they are daemons, for instance, which by default they are not, or their priority. A handler that changes its thread's name, priority or context
     * class loader changes them until its color's turn ends; then they are as this has left them.
     *
     * @param setup called with each thread before it starts; must not start it
     * @return this
     */
    public MelyBuilder threadSetup(Consumer<Thread> setup) {
        threadSetup = Objects.requireNonNull(setup, "threadSetup");
        return this;
    }

    /**
     * Sets who is told of handlers that take too long. Default: after 10 seconds it is logged as a warning, with the stage, the color and the stack.
     *
     * @param time &gt;= 0; zero: nobody is told
     * @param listener called once for each such handler
     * @return this
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
     *
     * @return a new runtime
     * @throws IllegalArgumentException if a folder given to {@link #sysfsRoot} describes no machine
     */
    public Mely build() {
        return new MelyRuntime(config());
    }

    RuntimeConfig config() {
        Policy main = policies.getOrDefault(StageOptions.GROUP_DEFAULT, Policy.colored());
        Map<String, StageGroup.@Nullable Factory> groups = new LinkedHashMap<>();
        policies.forEach((group, policy) -> {
            boolean isOfAll = policy.groups() != null || group.equals(StageOptions.GROUP_DEFAULT);
            check(
                    isOfAll || policy.stealing().equals(main.stealing()) || policy == Policy.colored(),
                    "stealing is that of group " + StageOptions.GROUP_DEFAULT + ": set it there, group=" + group,
                    "stealing",
                    policy.stealing());
            groups.put(group, policy.groups());
        });
        return new RuntimeConfig(
                name,
                cores,
                isPinned,
                colors,
                hashSeed,
                batchThresholdEvents,
                timeSliceNs,
                spinNs,
                main.stealing(),
                errorHandler,
                sysfsRoot,
                pollers,
                clock,
                blockingLimit,
                pendingEventsMax,
                closeDeadlineNs,
                placement,
                workersPerCore,
                groups,
                threadSetup,
                stallAfterNs,
                stallListener,
                observers);
    }

    private static void check(boolean isValid, String rule, String parameter, Object value) {
        if (!isValid) {
            throw new IllegalArgumentException(rule + ": " + parameter + "=" + value);
        }
    }
}
