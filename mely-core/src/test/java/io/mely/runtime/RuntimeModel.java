// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Handler;
import io.mely.Mely;
import io.mely.ModelCheck;
import io.mely.Policy;
import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.spi.Poller;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A runtime for Lincheck: built and not started, its clock stands still, and its cores are stepped by the operations of a model. All
 * colors start on core 0. The threads of Lincheck are outside senders.
 */
abstract class RuntimeModel {
    /** What the models do not look into: it reads the machine, or is a count of its own under a monitor. */
    private static final String[] STEPS = {
        "io.mely.runtime.RecordDepot",
        "io.mely.runtime.ColorTable",
        "io.mely.runtime.Machine",
        "io.mely.runtime.Machines",
        "io.mely.runtime.OutsideSenders",
        "io.mely.runtime.RuntimeConfig",
        "io.mely.runtime.Hooks",
        "io.mely.runtime.Tuning",
        "io.mely.runtime.StealCosts"
    };

    final MelyRuntime runtime;

    /** What a handler threw: to be looked at in the end, as a core goes on. */
    volatile @Nullable Throwable thrown;

    RuntimeModel(int cores, Stealing stealing, Poller.Factory pollers) {
        Hooks hooks = Hooks.NONE
                .withHashSeed(1)
                .withClock(() -> 1)
                .withPlacement(slot -> 0)
                .withPendingEventsMax(64);
        RuntimeConfig config = Hooks.config(hooks.on(Mely.builder())
                .name("model")
                .cores(cores)
                .colors(4)
                .blockingLimit(1)
                .closeDeadline(Duration.ZERO)
                .policy(Policy.colored(stealing)
                        .withBatchThreshold(10)
                        .withSpin(Duration.ZERO)
                        .withThreadsPerCore(2))
                .pollers(pollers)
                .errorHandler(failure -> thrown = failure.cause())
                .stallAfter(Duration.ZERO, stall -> {}));
        runtime = new MelyRuntime(config, Machines.of(config));
        runtime.life().startAccepting();
    }

    static ModelCheck check(Class<?> model, Class<?> specification) {
        return ModelCheck.of(model, specification).asSteps(STEPS);
    }

    final ColorImpl color(int slot) {
        return (ColorImpl) runtime.colorAt(slot);
    }

    /** A stage whose events are known to take so long. */
    final StageImpl<Integer> stage(long timeNs, Handler<Integer> handler) {
        return new StageImpl<>("model", new StageOptions(timeNs, 1, 3, false), Stealing.mely(), handler, color(0));
    }

    static void check(boolean isTrue, String what) {
        if (!isTrue) {
            throw new AssertionError(what);
        }
    }

    /**
     * Sleeps until it is woken, without a timeout (but for the short nap of a thief that did not get what it saw) and, unlike a bare park,
     * never less: a lost wake-up is a deadlock, which Lincheck reports.
     */
    static class DeepSleep implements Poller {
        private final Seat seat;
        private volatile boolean isWoken;
        private volatile @Nullable Thread sleeper;

        DeepSleep(Seat seat) {
            this.seat = seat;
        }

        @Override
        public void start() {
            sleeper = Thread.currentThread();
        }

        @Override
        public boolean mayChangeThread() {
            return true;
        }

        @Override
        public void takeOver() {
            sleeper = Thread.currentThread();
        }

        @Override
        public int poll() {
            return 0;
        }

        @Override
        public int block(long timeoutNs) {
            if (timeoutNs > ColoredVisitor.DECLINED_NAP_NS
                    && seat.mayBlock()) { // what was seen and not got is looked at again soon
                while (!isWoken) {
                    LockSupport.park();
                }
            }
            isWoken = false;
            return 0;
        }

        @Override
        public void wakeup() {
            isWoken = true;
            LockSupport.unpark(sleeper);
        }
    }
}
