// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.queue.ColorIndex;
import io.mely.queue.CoreQueue;
import io.mely.queue.RecordDepot;
import io.mely.spi.NanoClock;
import io.mely.spi.Poller;
import io.mely.steal.StealCosts;
import io.mely.steal.Thief;
import java.util.concurrent.atomic.AtomicInteger;

/** Cores and runtimes for the cases, small enough to be made for every sample. */
final class StressParts {
    /** A weight that wakes a thief at any distance. */
    static final int HEAVY = 1_000_000;

    private static final NanoClock CLOCK = () -> 1;
    private static final RuntimeConfig CONFIG = new RuntimeConfig(
            "stress",
            2,
            false,
            2,
            1L,
            10,
            100_000,
            0,
            Stealing.mely(),
            failure -> {},
            null,
            seat -> new CountingPoller(),
            CLOCK,
            1,
            128,
            0,
            null);

    private static final Machine MACHINE = Machine.of(CONFIG);

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
        StealCosts costs = new StealCosts(new int[] {0}, true);
        ColorIndex index = new ColorIndex();
        CoreQueue[] queues = new CoreQueue[count];
        for (int i = 0; i < count; i++) {
            queues[i] = new CoreQueue(i, costs.intervals(), index);
        }
        Core[] cores = new Core[count];
        for (int i = 0; i < count; i++) {
            Thief thief = new Thief(i, queues, new int[count][count], Stealing.mely(), costs, CLOCK);
            Core.Wiring wiring = new Core.Wiring(
                    SHARED, queues[i], thief, costs.intervals(), canSteal, new Sender(new RecordDepot(2)), CONFIG, 0);
            cores[i] = new Core(i, wiring, seat -> new CountingPoller());
        }
        return cores;
    }

    /** An idle color. */
    static ColorImpl color(Core home) {
        return new ColorImpl(SHARED, 0, home.core(), home.sender().pool.index());
    }

    /** A color with one event, opened and in no queue. */
    static ColorImpl opened(Core home, int weight) {
        ColorImpl color = color(home);
        var record = home.sender().pool.take();
        record.set(stage(weight), null, weight);
        color.append(record);
        color.opened(weight, 3);
        return color;
    }

    static int wakeups(Core core) {
        return ((CountingPoller) core.poller()).wakeups.get();
    }

    /** Never blocks, and counts who calls. */
    static final class CountingPoller implements Poller {
        final AtomicInteger wakeups = new AtomicInteger();

        @Override
        public int poll() {
            return 0;
        }

        @Override
        public int block(long timeoutNs) {
            return 0;
        }

        @Override
        public void wakeup() {
            wakeups.incrementAndGet();
        }
    }
}
