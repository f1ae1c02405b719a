// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.Timer;
import io.mely.runtime.CoreThread;
import io.mely.runtime.Hooks;
import io.mely.runtime.Reins;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One simulated run of a runtime: many cores and outside threads on one thread, in virtual time, in an order that the seed decides.
 *
 * <pre>{@code
 * Simulation.ofSeed(42).cores(3).run(world -> {
 *     Stage<Integer> count = world.mely().stage("count", n -> total += n);
 *     int[] left = {100};
 *     world.outsideThread("client", () -> {
 *         count.offer(world.mely().colorAt(1), 1);
 *         return --left[0] > 0;
 *     });
 *     world.checkAtEnd(() -> assertThat(total).isEqualTo(100));
 * });
 * }</pre>
 *
 * <p>Exclusion, soundness of the queues, sleeps, the books and liveness are checked for any workload. Order and what else a workload
 * promises are for its own checks, see {@link Ledger}.
 *
 * <p><b>Bounds.</b> A run takes at most {@link #actions} random actions, then settles. <b>Errors.</b> {@link Violation}, whose message says
 * how to repeat it. {@code Mely.blocking} is not simulated: its threads are not the simulation's.
 */
public final class Simulation {
    /** Unless the settings say otherwise. The runtime's own default would make most of a run's memory. */
    private static final int PENDING_EVENTS_MAX = 1 << 14;

    private final long seed;
    private int @Nullable [] replayed;
    private int cores = 2;
    private int actions = 400;
    private boolean isStealing = true;
    private int pendingEventsMax;
    private UnaryOperator<MelyBuilder> settings = UnaryOperator.identity();
    private Set<Fault> faults = EnumSet.allOf(Fault.class);
    private Set<Check> checks = EnumSet.allOf(Check.class);
    private boolean isTraced;

    private Simulation(long seed) {
        this.seed = seed;
    }

    /** A run decided by a seed. */
    public static Simulation ofSeed(long seed) {
        return new Simulation(seed);
    }

    /**
     * A run decided by a list of choices. What the list does not hold is the plainest choice.
     *
     * @param seed of the run they come from
     * @param choices as a violation or a {@link Result} prints them: {@code 3,0x12,5}
     */
    public static Simulation ofChoices(long seed, String choices) {
        return ofChoices(seed, Choices.read(choices));
    }

    static Simulation ofChoices(long seed, int[] choices) {
        Simulation simulation = new Simulation(seed);
        simulation.replayed = choices;
        return simulation;
    }

    /** Number of cores; 2 if not set. */
    public Simulation cores(int count) {
        cores = count;
        return this;
    }

    /** Changes settings of the runtime. Cores, clock, poller, pinning and hash seed are the simulation's. */
    public Simulation settings(UnaryOperator<MelyBuilder> change) {
        settings = change;
        return this;
    }

    /** A bound on pending events that may be lower than what the builder allows. */
    public Simulation pendingEventsMax(int events) {
        pendingEventsMax = events;
        return this;
    }

    /** Most random actions before everything must settle; 400 if not set. */
    public Simulation actions(int count) {
        actions = count;
        return this;
    }

    /** What may go wrong; everything if not set. */
    public Simulation faults(Set<Fault> some) {
        faults = some;
        return this;
    }

    /** What is checked; everything if not set. */
    public Simulation checks(Set<Check> some) {
        checks = some;
        return this;
    }

    /** Keeps a line for each action. */
    public Simulation traced() {
        isTraced = true;
        return this;
    }

    /** Runs it; throws the {@link Violation}, if there is one. */
    public Result run(Consumer<World> workload) {
        Result result = tryRun(workload);
        Violation violation = result.violation;
        if (violation != null) {
            throw new Violation(violation.check(), violation.getMessage() + "; repeat it with " + repeat(), violation);
        }
        return result;
    }

    private String repeat() {
        int[] list = replayed;
        return list == null
                ? "Simulation.ofSeed(" + seed + "L)"
                : "Simulation.ofChoices(" + seed + "L, \"" + Choices.write(list) + "\")";
    }

    /**
     * Looks for a shorter run that fails the same check.
     *
     * @param failed a result of {@link #tryRun}
     * @param workload the same; it must begin anew each time
     * @return the shortest that was found, traced
     */
    public Result shrink(Result failed, Consumer<World> workload) {
        Violation violation = failed.violation;
        if (violation == null) {
            throw new IllegalArgumentException("nothing to shrink: seed=" + failed.seed);
        }
        int[] before = replayed;
        boolean wasTraced = isTraced;
        try {
            int[] shrunk = Shrinker.shrink(failed.choices, list -> {
                replayed = list;
                Violation other = tryRun(workload).violation;
                return other != null && other.check() == violation.check();
            });
            replayed = shrunk;
            isTraced = true;
            return tryRun(workload);
        } finally {
            replayed = before;
            isTraced = wasTraced;
        }
    }

    /** Runs it; the result holds the violation, if there is one. */
    public Result tryRun(Consumer<World> workload) {
        if (Thread.currentThread() instanceof CoreThread) {
            return runHere(workload);
        }
        List<Object> outcome = new ArrayList<>();
        CoreThread thread = new CoreThread(
                () -> {
                    try {
                        outcome.add(runHere(workload));
                    } catch (Throwable e) {
                        outcome.add(e);
                    }
                },
                "simulation");
        thread.start();
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        if (outcome.get(0) instanceof Result result) {
            return result;
        }
        throw new AssertionError("the workload could not be set up: seed=" + seed, (Throwable) outcome.get(0));
    }

    private Result runHere(Consumer<World> workload) {
        int[] list = replayed;
        Choices choices = list == null ? Choices.ofSeed(seed) : Choices.ofList(list);
        VirtualClock clock = new VirtualClock();
        List<String> trace = isTraced ? new ArrayList<>() : null;
        Scheduler scheduler = new Scheduler(choices, clock, faults, checks, actions, trace);
        World world = new World(choices, clock, scheduler);
        MelyBuilder builder = settings.apply(Mely.builder().pendingEventsMax(PENDING_EVENTS_MAX))
                .cores(cores)
                .pinned(false)
                .pollers(seat -> scheduler.newPoller())
                .errorHandler(world::handlerFailed);
        Hooks hooks = Hooks.of(builder).withHashSeed(seed).withClock(clock).withPendingEventsMax(pendingEventsMax);
        Reins reins = new Reins(Hooks.config(hooks.on(builder)));
        world.mely = reins.mely();
        scheduler.drive(reins);
        Violation violation;
        try {
            workload.accept(world);
            violation = scheduler.run();
        } finally {
            Yield.use(null);
            reins.forgetSelf();
        }
        return new Result(seed, violation, choices.taken(), choices.size(), scheduler.reached(), trace);
    }

    /**
     * What a run did.
     *
     * @param seed that decided it
     * @param violation null if every check held
     * @param choices all decisions but for the zeros at the end
     * @param decisions how many there were
     * @param faults how often each fault was used, by ordinal
     * @param trace a line for each action, if asked for
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    public record Result(
            long seed,
            @Nullable Violation violation,
            int[] choices,
            int decisions,
            long[] faults,
            @Nullable List<String> trace) {
        /** The choices as {@link Simulation#ofChoices} takes them. */
        public String choicesText() {
            return Choices.write(choices);
        }

        /** The decisions that were not the plainest. */
        public int disturbances() {
            int count = 0;
            for (int choice : choices) {
                count += choice != 0 ? 1 : 0;
            }
            return count;
        }
    }

    /** What a workload sees. <b>Threads.</b> The simulation's. */
    public static final class World {
        private final Choices choices;
        private final VirtualClock clock;
        private final Scheduler scheduler;
        private Mely mely;
        private Consumer<io.mely.ErrorHandler.Failure> onFailure = failure -> {};

        private World(Choices choices, VirtualClock clock, Scheduler scheduler) {
            this.choices = choices;
            this.clock = clock;
            this.scheduler = scheduler;
        }

        private void handlerFailed(io.mely.ErrorHandler.Failure failure) {
            Throwable cause = failure.cause();
            if (cause instanceof Scheduler.Abandoned) {
                return;
            }
            if (cause instanceof AssertionError) {
                scheduler.fail(Check.ASSERTION, "in a handler: " + cause.getMessage(), cause);
            } else {
                onFailure.accept(failure);
            }
        }

        /** The runtime under simulation: built and started. */
        public Mely mely() {
            return mely;
        }

        /** A decision of the seed, 0 to bound - 1; let 0 be the plainest. */
        public int choose(int bound) {
            return choices.next(bound);
        }

        /** Virtual time. */
        public long nanoTime() {
            return clock.nanoTime();
        }

        /** Adds a thread that is not a core. Each call is one of its actions; false ends it. */
        public void outsideThread(String name, BooleanSupplier step) {
            scheduler.addOutsider(name, step);
        }

        /** Lets something arrive at a core's poller, which runs it on the core: it may send. */
        public void arrive(int core, Runnable what) {
            scheduler.arrive(core, what);
        }

        /** Whether the seed wants a fault here: once in so many. */
        public boolean fault(Fault fault, int oneIn) {
            return scheduler.fault(fault, oneIn);
        }

        /** A point inside a handler where others may run. */
        public void yieldPoint() {
            scheduler.yieldPoint();
        }

        /** The handler works for so long, and nobody else does anything. */
        public void work(Duration time) {
            clock.advance(time.toNanos());
        }

        /** The handler takes so long, while others go on. */
        public void stall(Duration time) {
            scheduler.stall(time.toNanos());
        }

        /** Wants a timer watched: no core may sleep past it, and none may be left at the end. */
        public Timer watch(Timer timer) {
            scheduler.watch(timer);
            return timer;
        }

        /** Plans a close: after so many actions, by a thread of its own. Without one, the close comes when all is quiet. */
        public void closeAfter(int actions, @Nullable Duration deadline) {
            scheduler.planClose(actions, deadline == null ? Long.MAX_VALUE : deadline.toNanos());
        }

        /** What the close reported; null before its end. */
        public Mely.@Nullable CloseReport closeReport() {
            return scheduler.report();
        }

        /** Adds a line to the trace, if there is one: what a handler did, for instance. */
        public void note(String line) {
            scheduler.note(line);
        }

        /** Checked between actions. */
        public void checkAfterSteps(Runnable check) {
            scheduler.addStepCheck(check);
        }

        /** Checked after the close. */
        public void checkAtEnd(Runnable check) {
            scheduler.addEndCheck(check);
        }

        /** Hears of every handler that threw. */
        public void onFailure(Consumer<io.mely.ErrorHandler.Failure> listener) {
            onFailure = listener;
        }

        /** Fails the run unless something is true. */
        public void check(Check what, boolean isTrue, String message) {
            scheduler.check(what, isTrue, message);
        }
    }
}
