// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Await;
import io.mely.Color;
import io.mely.FakeClock;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.MelyStats;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A runtime that is built and not started: a test steps its cores, one turn of one core at a time, on a clock that stands still. The test's
 * own thread is an outside sender.
 */
public final class Stepper implements AutoCloseable {
    private static final int STEPS_MAX = 1_000_000;

    /** The clock the runtime reads. */
    public final FakeClock clock = new FakeClock();

    /** The runtime. */
    public final Mely mely;

    private final ExecutorService thread = Executors.newSingleThreadExecutor(body -> new CoreThread(body, "stepper"));

    /** Builds a runtime; two colors that follow each other live on different cores. */
    public Stepper(MelyBuilder builder) {
        mely = Hooks.of(builder).withClock(clock).on(builder.pinned(false)).build();
    }

    /** Steps a core once; returns how much it did. */
    public int step(int core) {
        return on(core, () -> core(core).step());
    }

    /** Steps the given cores in turn until none of them does anything. */
    public void run(int... cores) {
        int idle = 0;
        for (int i = 0; idle < cores.length; i++) {
            if (i == STEPS_MAX) {
                throw new AssertionError("still busy after " + STEPS_MAX + " steps: " + mely.stats());
            }
            idle = step(cores[i % cores.length]) == 0 ? idle + 1 : 0;
        }
    }

    /** Lets a core rest as its loop does after a step that did nothing. */
    public void rest(int core) {
        on(core, () -> {
            core(core).rest();
            return null;
        });
    }

    /** Does something on the thread of a core, outside of any handler. */
    public <T> T on(int core, Callable<T> body) {
        try {
            return thread.submit(() -> {
                        CoreThread self = (CoreThread) Thread.currentThread();
                        self.worker = core(core).worker();
                        try {
                            return body.call();
                        } finally {
                            self.worker = null;
                        }
                    })
                    .get(Await.PATIENCE_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("on core " + core, e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("core " + core + " does not come back", e);
        }
    }

    /** Moves what was handed in to a core into its queues, as its owner or a thief does. */
    public void drain(int core) {
        on(core, () -> {
            CoreQueue queue = core(core).queue();
            core(core).worker().sender.pool.reserve();
            queue.lock();
            try {
                return queue.arrivals.drain(core(core).worker().sender.pool);
            } finally {
                queue.unlock();
            }
        });
    }

    /** The estimated work of a color that no inbox holds back. */
    long timeLeft(Color color) {
        return ColorLook.timeLeft(color);
    }

    /** Whether a color has nothing to do, but for what inboxes hold. */
    boolean isIdle(Color color) {
        return ColorLook.isIdle(color);
    }

    /** A second thread, for a core that stands inside a handler while others are stepped. */
    public Other other() {
        return new Other();
    }

    /** Steps one core once, and is waited for at its close. */
    public final class Other implements AutoCloseable {
        private CoreThread other;
        private volatile Throwable thrown;

        /** Steps the core. */
        public void start(int core) {
            other = new CoreThread(
                    () -> {
                        other.worker = core(core).worker();
                        try {
                            core(core).step();
                        } catch (Throwable e) {
                            thrown = e;
                        }
                    },
                    "stepper-other");
            other.start();
        }

        /** The thread that steps it. */
        CoreThread thread() {
            return other;
        }

        @Override
        public void close() {
            Await.until("the other thread ends", () -> !other.isAlive());
            if (thrown != null) {
                throw new AssertionError("on the other thread", thrown);
            }
        }
    }

    /** The counters of one core. */
    public MelyStats.CoreStats stats(int core) {
        return mely.stats().cores().get(core);
    }

    Core core(int core) {
        return Hooks.runtime(mely).core(core);
    }

    /** Closes the runtime; the books must close. */
    @Override
    public void close() {
        Mely.CloseReport report = mely.close(java.time.Duration.ZERO);
        thread.shutdown();
        MelyStats stats = mely.stats();
        if (stats.sent() != stats.run() + stats.refused() + stats.discarded()
                || stats.discarded() != report.discardedEvents()) {
            throw new AssertionError("invariant 3: " + stats + ", " + report);
        }
    }
}
