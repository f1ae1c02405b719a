// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Await;
import io.mely.Color;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stealing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Delayed commands of one executor run in the order of their times, one an event, wherever their timers are; and what
// is
// done is let go of.
class SteppedExecutorTest {
    private static final TimeUnit NS = TimeUnit.NANOSECONDS;
    private static final long KEY = 3;

    private final List<String> ran = new ArrayList<>();
    private final Stepper stepper = new Stepper(
            Mely.builder().cores(2).policy(Policy.colored(Stealing.off())).pendingEventsMax(1_024));
    private final ColorExecutor executor = (ColorExecutor) stepper.mely.executor(KEY);
    private final long startNs = stepper.clock.nanoTime();

    @AfterEach
    void close() {
        stepper.close();
    }

    private Runnable note(String name) {
        return () -> ran.add(name + "@" + (stepper.clock.nanoTime() - startNs));
    }

    /** A color that lives on a core. */
    private Color on(int core) {
        for (int slot = 1; ; slot++) {
            Color color = stepper.mely.colorAt(slot);
            if (color.homeCore() == core && slot != executor.color().slot()) {
                return color;
            }
        }
    }

    /** Commands of the executor that are linked. */
    private int linked() {
        int count = 0;
        for (Command command = executor.head.next(); command != executor.head; command = command.next()) {
            count++;
        }
        return count;
    }

    // ------------------------------------------------------------------ time

    @Test
    void delayed_runInTheOrderOfTimes_equalsInTheOrderGiven() {
        executor.schedule(note("c"), 300, NS);
        executor.schedule(note("a"), 100, NS);
        executor.schedule(note("b1"), 200, NS);
        executor.schedule(note("b2"), 200, NS);
        stepper.run(0, 1);
        stepper.clock.advance(99);
        stepper.run(0, 1);
        assertThat(ran).isEmpty();
        stepper.clock.advance(1);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("a@100");
        stepper.clock.advance(400);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("a@100", "b1@500", "b2@500", "c@500");
    }

    // The core that a timer is started on is not the core that keeps it: that one has them all.
    @Test
    void delayed_onSeveralCores_runInTheOrderOfTimes() {
        int home = executor.color().homeCore();
        int other = 1 - home;
        on(other).execute(() -> executor.schedule(note("early"), 100, NS));
        on(home).execute(() -> {
            executor.schedule(note("late"), 200, NS);
            executor.schedule(note("later"), 300, NS);
        });
        stepper.run(0, 1);
        stepper.clock.advance(250);
        stepper.run(other);
        assertThat(ran).isEmpty();
        stepper.run(home);
        assertThat(ran).containsExactly("early@250", "late@250");
        stepper.clock.advance(50);
        stepper.run(other, home);
        assertThat(ran).hasSize(3).last().isEqualTo("later@300");
        assertThat(linked()).isZero();
    }

    // A surplus event, of a timer whose command was cancelled, runs nothing before its time.
    @Test
    void delayed_eventOfACancelledOne_runsNothingEarly() {
        ScheduledFuture<?> cancelled = executor.schedule(note("never"), 100, NS);
        executor.schedule(note("late"), 200, NS);
        executor.execute(() -> {
            stepper.clock.advance(150);
            stepper.mely.colorAt(executor.color().slot()).execute(() -> cancelled.cancel(false));
        });
        stepper.run(0, 1);
        assertThat(ran).isEmpty();
        stepper.clock.advance(50);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("late@200");
    }

    @Test
    void fixedRate_catchesUp_oneEventARun() {
        executor.scheduleAtFixedRate(note("p"), 10, 10, NS);
        stepper.run(0, 1);
        stepper.clock.advance(35);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("p@35", "p@35", "p@35");
        assertThat(stepper.mely.stats().run()).isEqualTo(3);
        stepper.clock.advance(5);
        stepper.run(0, 1);
        assertThat(ran).hasSize(4);
    }

    @Test
    void fixedDelay_countsFromTheEnd() {
        executor.scheduleWithFixedDelay(
                () -> {
                    note("p").run();
                    stepper.clock.advance(7);
                },
                0,
                10,
                NS);
        stepper.run(0, 1);
        stepper.clock.advance(9);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("p@0");
        stepper.clock.advance(1);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("p@0", "p@17");
    }

    // ------------------------------------------------------------------ the end

    @Test
    void shutdown_leavesDelayedOnes_andTerminatesBehindThem() {
        ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(note("p"), 1, 1, NS);
        executor.schedule(note("d"), 100, NS);
        executor.execute(note("e"));
        executor.shutdown();
        assertThat(periodic.isCancelled()).isTrue();
        stepper.run(0, 1);
        assertThat(executor.isTerminated()).isFalse();
        stepper.clock.advance(100);
        stepper.run(0, 1);
        assertThat(ran).containsExactly("e@0", "d@100");
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void cancel_ofTheLastDelayedOne_terminates() {
        ScheduledFuture<?> last = executor.schedule(note("never"), 1, TimeUnit.HOURS);
        executor.shutdown();
        assertThat(executor.isTerminated()).isFalse();
        last.cancel(false);
        assertThat(executor.isTerminated()).isTrue();
    }

    // The runtime drops timers from the beginning of its close on: then nothing may be delayed.
    @Test
    void schedule_byAHandlerWhileTheRuntimeDrains_isRefused() {
        List<Throwable> refusals = new ArrayList<>();
        executor.execute(() -> {
            try {
                executor.schedule(note("never"), 1, NS);
            } catch (RejectedExecutionException e) {
                refusals.add(e);
            }
            executor.execute(note("accepted"));
        });
        ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(note("p"), 0, 1, NS);
        Hooks.runtime(stepper.mely).life().startAccepting();
        Hooks.runtime(stepper.mely).life().closeBegin();
        stepper.run(0, 1);
        assertThat(refusals).hasSize(1);
        assertThat(ran).containsExactly("p@0", "accepted@0");
        assertThat(periodic.isCancelled()).isTrue();
    }

    // ------------------------------------------------------------------ what is let go of

    @Test
    void commandsThatRan_areNotKept() {
        for (int i = 0; i < 500; i++) {
            executor.execute(() -> {});
        }
        assertThat(linked()).isEqualTo(500);
        stepper.run(0, 1);
        assertThat(linked()).isZero();
    }

    @Test
    void commandsThatWereRefused_areNotKept() {
        int accepted = 0;
        while (tryExecute()) {
            accepted++;
        }
        for (int i = 0; i < 1_000; i++) {
            assertThat(tryExecute()).isFalse();
        }
        assertThat(linked()).isEqualTo(accepted);
        stepper.run(0, 1);
        assertThat(linked()).isZero();
    }

    private boolean tryExecute() {
        try {
            executor.execute(() -> {});
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    @Test
    void cancelledDelayedCommands_areNotKept() {
        List<ScheduledFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            futures.add(executor.schedule(() -> {}, 1, TimeUnit.HOURS));
        }
        stepper.run(0, 1);
        assertThat(linked()).isEqualTo(100);
        futures.forEach(future -> future.cancel(false));
        assertThat(linked()).isZero();
        stepper.run(0, 1);
        assertThat(stepper.core(0).timers().isEmpty()
                        && stepper.core(1).timers().isEmpty())
                .isTrue();
    }

    @Test
    void executorsThatWereDropped_areNotKept() {
        ColorExecutors executors = new ColorExecutors();
        for (int i = 0; i < 100; i++) {
            ScheduledExecutorService dropped = executors.make(executor.color());
            assertThat(dropped.isShutdown()).isFalse();
        }
        Await.until("they are collected", () -> {
            System.gc();
            return executors.size() == 0;
        });
    }
}
