// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Mely;
import io.mely.Policy;
import io.mely.QuietPoller;
import io.mely.StageOptions;
import io.mely.Stealing;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Cores and runtimes for the cases, small enough to be made for every sample. */
public final class StressParts {
    /** A weight that wakes a thief at any distance. */
    static final int HEAVY = 1_000_000;

    /** Two cores that do not spin, four colors. */
    public static final RuntimeConfig CONFIG = Hooks.config(Hooks.NONE
            .withHashSeed(1)
            .withClock(() -> 1)
            .withPendingEventsMax(128)
            .on(Mely.builder())
            .name("stress")
            .cores(2)
            .colors(4)
            .blockingLimit(1)
            .closeDeadline(Duration.ZERO)
            .policy(Policy.colored()
                    .withBatchThreshold(10)
                    .withSpin(Duration.ZERO)
                    .withThreadsPerCore(2))
            .pollers(seat -> new CountingPoller())
            .errorHandler(failure -> {})
            .stallAfter(Duration.ZERO, stall -> {}));

    /** Of all of them: looked at once. */
    public static final Machine MACHINE = Machine.of(CONFIG);

    /** Never started: stands behind cores that are made one by one. */
    static final MelyRuntime SHARED = runtime();

    private StressParts() {}

    static MelyRuntime runtime() {
        return new MelyRuntime(CONFIG, MACHINE);
    }

    /** A stage whose events weigh so much. */
    static StageImpl<Runnable> stage(int weight) {
        StageOptions options = new StageOptions(weight, 1, 3, false);
        return new StageImpl<>("stress", options, Stealing.mely(), Runnable::run, (ColorImpl) SHARED.defaultColor());
    }

    /** Cores of their own, with their own wake-ups. */
    static Core[] cores(int count, boolean canSteal) {
        StealCosts costs = new StealCosts(new int[] {0}, Stealing.mely());
        RecordDepot depot = new RecordDepot(2);
        CoreQueue[] queues = new CoreQueue[count];
        ColorHomes homes = new ColorHomes(count, slot -> slot);
        ColorIndex colors = new ColorIndex(homes);
        for (int i = 0; i < count; i++) {
            queues[i] = new CoreQueue(i, costs.intervals(), colors, depot.index());
        }
        CoreQueue.connect(queues, core -> {});
        Core[] cores = new Core[count];
        for (int i = 0; i < count; i++) {
            Thief thief = new Thief(
                    i,
                    queues,
                    core -> isEngaged(cores[core]),
                    new int[count][count],
                    Stealing.mely(),
                    costs,
                    CONFIG.hooks().clock());
            Core.Wiring wiring = new Core.Wiring(SHARED, queues[i], thief, canSteal, 0);
            cores[i] = new Core(i, wiring, seat -> new CountingPoller());
        }
        return cores;
    }

    private static boolean isEngaged(Core core) {
        return core.sleepFlag.get() == Wakeups.ENGAGED;
    }

    /** The wake-ups of {@link #cores}. */
    static Wakeups wakeups(Core[] cores, boolean canSteal) {
        Wakeups wakeups = new Wakeups(cores, canSteal, 10_000);
        for (Core core : cores) {
            wakeups.add(core);
        }
        return wakeups;
    }

    /** The color of {@link #cores} that lives on this one. */
    static ColorImpl color(Core home) {
        return new ColorImpl(SHARED, home.core());
    }

    /** Hands an event in, to the color of a core, and wakes whom it concerns: as {@link Sends#handIn}. */
    static void handIn(Core core, Wakeups wakeups, StageImpl<?> stage) {
        core.queue().inbox.offer(core.core() + 1, stage, null, null, 0, null);
        wakeups.handedIn(core.core(), stage.weight());
    }

    /** A core links an event of its own color. */
    static void link(Core core, StageImpl<?> stage) {
        core.worker().sender.pool.hasRecord();
        core.queue().lock();
        core.queue().send(core.queue().owner, core.core() + 1, stage, null, core.worker().sender.pool);
        core.queue().unlock();
    }

    static int wakeups(Core core) {
        return poller(core).wakeups();
    }

    /** Of a core or a runtime that was made of {@link #CONFIG}. */
    public static CountingPoller poller(Core core) {
        return (CountingPoller) core.poller();
    }

    /** Never blocks, and counts who calls. */
    public static final class CountingPoller extends QuietPoller {
        private final AtomicInteger wakeups = new AtomicInteger();

        /** How often it was called. */
        public int wakeups() {
            return wakeups.get();
        }

        @Override
        public void wakeup() {
            wakeups.incrementAndGet();
        }
    }
}
