// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.spi.Poller;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// With real threads: a close runs what was accepted and what that sends, or counts what it gives up; it never waits for
// longer than it was told; afterwards everything is refused; and the books close. Section by section: start and close,
// timers, context class loader, blocking work, order from many senders. Long, as each of them ends by the same close
// and the same books.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LifeCycleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(Await.PATIENCE_S);

    private final AtomicReference<Throwable> unexpected = new AtomicReference<>();
    private final Mely mely = Mely.builder()
            .name("life")
            .cores(2)
            .pinned(false)
            .errorHandler(failure -> unexpected.compareAndSet(null, failure.cause()))
            .build();

    @AfterEach
    void booksClose() {
        mely.close();
        assertThat(unexpected.get()).isNull();
        booksClose(mely);
        Await.until(
                "the cores' threads are gone",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("life-")));
    }

    private static void booksClose(Mely mely) {
        MelyStats stats = mely.stats();
        assertThat(stats.run() + stats.refused() + stats.discarded())
                .as("invariant 3: %s", stats)
                .isEqualTo(stats.sent());
        assertThat(stats.pending()).isZero();
    }

    private static Runnable throwing(Callable body) {
        return () -> {
            try {
                body.call();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        };
    }

    private interface Callable {
        void call() throws Exception;
    }

    private static WeakReference<Mely> sentToAndClosed() {
        AtomicInteger ran = new AtomicInteger();
        Mely brief = Mely.builder().name("brief").cores(1).pinned(false).build();
        Stage<String> stage = brief.stage("s", event -> ran.incrementAndGet());
        brief.start();
        assertThat(stage.offer(brief.colorAt(1), "event")).isTrue();
        brief.close();
        assertThat(ran).hasValue(1);
        assertThat(stage.offer(brief.colorAt(1), "late")).isFalse();
        assertThat(brief.stats().refused()).isEqualTo(1);
        booksClose(brief);
        return new WeakReference<>(brief);
    }

    // A pool's thread outlives many runtimes, and would keep each that it ever sent to.
    @Test
    void closed_isNotKeptByTheThreadsThatSent() {
        WeakReference<Mely> closed = sentToAndClosed();
        Await.until("the collector has it", () -> {
            System.gc();
            return closed.get() == null;
        });
    }

    // ------------------------------------------------------------------ start and close

    @Test
    void sendsBeforeTheStart_runAfterIt() {
        AtomicInteger ran = new AtomicInteger();
        Stage<String> stage = mely.stage("s", event -> ran.incrementAndGet());
        for (int i = 0; i < 100; i++) {
            assertThat(stage.offer(mely.color(i), "early")).isTrue();
        }
        assertThat(ran).hasValue(0);
        assertThat(mely.start()).isSameAs(mely);
        Await.until("all run", () -> ran.get() == 100);
    }

    // Who is refused must know whether to try again.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isAccepting_tellsFullFromClosed(boolean isStarted) throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Mely small = Mely.builder()
                .name("life-small")
                .cores(1)
                .pinned(false)
                .pendingEventsMax(1024)
                .build();
        Stage<String> holds = small.stage("holds", event -> mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS));
        assertThat(small.isAccepting()).isTrue();
        if (isStarted) {
            small.start();
        }
        while (holds.offer("x")) {
            assertThat(small.isAccepting()).isTrue();
        }
        assertThat(small.isAccepting()).as("full").isTrue();
        AtomicReference<Boolean> whileDraining = new AtomicReference<>();
        Thread releaser = new Thread(() -> {
            Await.until(
                    "the close has begun",
                    () -> !small.toString().contains("phase=new")
                            && !small.toString().contains("phase=running"));
            whileDraining.set(small.isAccepting());
            mayEnd.countDown();
        });
        releaser.start();
        small.close(PATIENCE);
        releaser.join(60_000);
        assertThat(whileDraining).hasValue(false);
        assertThat(small.isAccepting()).isFalse();
    }

    @Test
    void start_twiceOrAfterAClose_throws() {
        mely.start();
        assertThatIllegalStateException().isThrownBy(mely::start).withMessageContaining("phase=running");
        mely.close();
        assertThatIllegalStateException().isThrownBy(mely::start).withMessageContaining("phase=stopped");
    }

    @Test
    void durations_thatOverflowNanosecondsMeanForever() {
        Duration forever = java.time.temporal.ChronoUnit.FOREVER.getDuration();
        Mely patient = Mely.builder()
                .cores(1)
                .pinned(false)
                .policy(Policy.colored().withSpin(forever).withTimeSlice(forever))
                .closeDeadline(forever)
                .build()
                .start();
        AtomicInteger ran = new AtomicInteger();
        patient.stage("count", StageOptions.defaults().withProcessingTime(forever), e -> ran.incrementAndGet())
                .offer("event");
        assertThat(patient.close(forever).isDrained()).isTrue();
        assertThat(ran).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void close_closesEachPollerOnce(boolean isStarted) {
        AtomicInteger made = new AtomicInteger();
        AtomicInteger closed = new AtomicInteger();
        Mely polled = Mely.builder()
                .cores(2)
                .pinned(false)
                .pollers(seat -> {
                    made.incrementAndGet();
                    return new QuietPoller() {
                        @Override
                        public void close() {
                            closed.incrementAndGet();
                        }
                    };
                })
                .build();
        if (isStarted) {
            polled.start();
        }
        polled.close();
        polled.close();
        assertThat(made).hasValue(2);
        assertThat(closed).hasValue(2);
    }

    // A poller may have something to send at any moment of a close: what it was told is accepted runs.
    @RepeatedTest(50)
    void close_whilePollersSend_runsAllThatWasAccepted() {
        AtomicReference<Stage<String>> stage = new AtomicReference<>();
        AtomicLong accepted = new AtomicLong();
        AtomicLong ran = new AtomicLong();
        Mely polled = Mely.builder()
                .cores(2)
                .pinned(false)
                .pollers(seat -> new Poller() {
                    private int polls;

                    @Override
                    public int poll() {
                        Stage<String> to = stage.get();
                        if (to != null && ++polls % 3 == 0 && to.offer(to.color(), "x")) {
                            accepted.incrementAndGet();
                            return 1;
                        }
                        return 0;
                    }

                    @Override
                    public int block(long timeoutNs) {
                        return poll();
                    }

                    @Override
                    public void wakeup() {}
                })
                .build();
        stage.set(polled.stage("s", event -> ran.incrementAndGet()));
        polled.start();
        Await.until("it runs", () -> ran.get() > 100);
        assertThat(polled.close(PATIENCE)).isEqualTo(new Mely.CloseReport(true, 0, 0, 0));
        assertThat(ran.get()).isEqualTo(accepted.get());
    }

    @Test
    void close_beforeStart_discards() {
        Stage<String> stage = mely.stage("s", event -> {});
        stage.offer("a");
        stage.offer("b");
        assertThat(mely.close(PATIENCE)).isEqualTo(new Mely.CloseReport(false, 2, 0, 0));
        assertThat(mely.toString()).contains("phase=stopped");
    }

    @Test
    void close_nothingToDo_isDrained() {
        mely.start();
        assertThat(mely.close(PATIENCE)).isEqualTo(new Mely.CloseReport(true, 0, 0, 0));
    }

    // What is pending, and what that sends, and so on to the end.
    @Test
    void close_drainsChains() {
        AtomicInteger ran = new AtomicInteger();
        AtomicReference<Stage<Integer>> chain = new AtomicReference<>();
        chain.set(mely.stage("chain", left -> {
            ran.incrementAndGet();
            if (left > 0) {
                assertThat(chain.get().offer(mely.color(left), left - 1)).isTrue();
            }
        }));
        mely.start();
        for (int i = 0; i < 20; i++) {
            chain.get().offer(mely.color(1_000 + i), 999);
        }
        assertThat(mely.close(PATIENCE).isDrained()).isTrue();
        assertThat(ran).hasValue(20_000);
    }

    // Threads send as fast as they can while the runtime closes: each event that was accepted runs, the others were
    // refused.
    @Test
    void close_whileOthersSend_runsAllThatWasAccepted() throws Exception {
        AtomicLong ran = new AtomicLong();
        AtomicLong accepted = new AtomicLong();
        AtomicLong refused = new AtomicLong();
        Stage<String> stage = mely.stage("s", event -> ran.incrementAndGet());
        mely.start();
        List<Thread> senders = new ArrayList<>();
        CountDownLatch areSending = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            Thread sender = new Thread(() -> {
                int number = 0;
                while (stage.offer(mely.color(number++), "x")) {
                    accepted.incrementAndGet();
                    if (number == 1_000) {
                        areSending.countDown();
                    }
                }
                refused.incrementAndGet();
            });
            sender.start();
            senders.add(sender);
        }
        assertThat(areSending.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        Mely.CloseReport report = mely.close(PATIENCE);
        for (Thread sender : senders) {
            sender.join(60_000);
        }
        assertThat(report).isEqualTo(new Mely.CloseReport(true, 0, 0, 0));
        assertThat(ran.get()).isEqualTo(accepted.get()).isGreaterThanOrEqualTo(3_000);
        assertThat(mely.stats().refused()).isEqualTo(refused.get()).isEqualTo(3);
        assertThat(mely.stats().sentOutside()).isEqualTo(accepted.get() + 3);
    }

    @Test
    void close_withoutPatience_discardsAndCounts() throws Exception {
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Stage<String> holds = mely.stage("holds", event -> {
            isInside.countDown();
            mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS);
        });
        mely.start();
        holds.offer(mely.colorAt(2), "first");
        assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 50; i++) {
            holds.offer(mely.colorAt(2), "behind");
        }
        Thread releaser = new Thread(() -> {
            Await.until("the close has given up", () -> mely.toString().contains("phase=stopped"));
            mayEnd.countDown();
        });
        releaser.start();
        Mely.CloseReport report = mely.close(Duration.ZERO);
        releaser.join(60_000);
        assertThat(report.isDrained()).isFalse();
        // The core leaves its loop after its batch: up to nine of those behind may still have run.
        assertThat(report.discardedEvents())
                .isGreaterThanOrEqualTo(41)
                .isEqualTo(mely.stats().discarded());
        assertThat(mely.stats().run()).isPositive();
        assertThat(holds.offer("too late")).isFalse();
    }

    @Test
    void close_fromAHandler_throws_andTheRuntimeGoesOn() {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicBoolean ranLater = new AtomicBoolean();
        mely.start();
        mely.color(1).execute(() -> {
            try {
                mely.close(Duration.ZERO);
            } catch (IllegalStateException e) {
                thrown.set(e);
            }
        });
        mely.color(1).execute(() -> ranLater.set(true));
        Await.until("both run", ranLater::get);
        assertThat(thrown.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("close()");
    }

    @Test
    void close_again_givesTheFirstAnswer() {
        Stage<String> stage = mely.stage("s", event -> {});
        stage.offer("never run");
        Mely.CloseReport first = mely.close(Duration.ZERO);
        assertThat(mely.close(PATIENCE)).isSameAs(first);
        mely.close();
    }

    @Test
    void close_byTwoAtOnce_bothWaitAndGetTheSame() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        Stage<String> stage = mely.stage("s", event -> ran.incrementAndGet());
        mely.start();
        for (int i = 0; i < 20_000; i++) {
            stage.offer(mely.color(i), "x");
        }
        List<CompletableFuture<Mely.CloseReport>> reports = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            reports.add(CompletableFuture.supplyAsync(() -> {
                Mely.CloseReport report = mely.close(PATIENCE);
                assertThat(ran).hasValue(20_000);
                return report;
            }));
        }
        Mely.CloseReport report = mely.close(PATIENCE);
        for (CompletableFuture<Mely.CloseReport> other : reports) {
            assertThat(other.get(60, TimeUnit.SECONDS)).isSameAs(report);
        }
        assertThat(report.isDrained()).isTrue();
    }

    // A handler that does not return: the close gives up after its deadline and about as long again (at least a
    // second), and says so.
    @Test
    void close_withAStuckHandler_givesUp() throws Exception {
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        mely.start();
        mely.colorAt(2).execute(throwing(() -> {
            isInside.countDown();
            mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS);
        }));
        assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        mely.colorAt(2).execute(() -> {});

        long startNs = System.nanoTime();
        Mely.CloseReport report = mely.close(Duration.ofMillis(1_500));
        long tookNs = System.nanoTime() - startNs;
        mayEnd.countDown();

        assertThat(report.isDrained()).isFalse();
        assertThat(report.discardedEvents())
                .as("the one that runs on, and the one behind it")
                .isEqualTo(2);
        assertThat(Duration.ofNanos(tookNs)).isBetween(Duration.ofMillis(1_500), Duration.ofSeconds(20));
        Await.until("the batch is over", () -> mely.stats().run() >= 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void afterTheClose_everythingIsRefused(boolean isStarted) {
        Stage<String> stage = mely.stage("s", event -> {});
        if (isStarted) {
            mely.start();
        }
        mely.close();
        assertThat(stage.offer(mely.color(1), "x")).isFalse();
        assertThat(stage.offer("x")).isFalse();
        assertThatThrownBy(() -> mely.color(1).execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(mely.color(1).schedule(Duration.ZERO, () -> {}).isPending()).isFalse();
        CompletableFuture<Integer> blocking = mely.blocking(mely.color(1), () -> 1);
        assertThat(blocking)
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(mely.stats().refused()).isEqualTo(3);
    }

    // An interrupt while it waits does not cut the drain short, and is not swallowed.
    @Test
    void close_interrupted_drainsAndKeepsTheInterrupt() {
        AtomicInteger ran = new AtomicInteger();
        Stage<String> stage = mely.stage("s", event -> ran.incrementAndGet());
        for (int i = 0; i < 50_000; i++) {
            stage.offer(mely.color(i), "x");
        }
        mely.start();
        Thread.currentThread().interrupt();
        Mely.CloseReport report = mely.close(PATIENCE);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(report.isDrained()).isTrue();
        assertThat(ran).hasValue(50_000);
    }

    // ------------------------------------------------------------------ timers

    @Test
    void timer_runsInItsColor_notBeforeItsTime() {
        AtomicLong tookNs = new AtomicLong();
        mely.start();
        long startNs = System.nanoTime();
        mely.color(5).schedule(Duration.ofMillis(20), () -> {
            assertThat(mely.color(5).isCurrent()).isTrue();
            tookNs.set(System.nanoTime() - startNs);
        });
        Await.until("the timer runs", () -> tookNs.get() != 0);
        assertThat(tookNs.get()).isGreaterThanOrEqualTo(20_000_000);
    }

    @Test
    void close_dropsTimers() {
        AtomicBoolean ran = new AtomicBoolean();
        mely.start();
        Timer outside = mely.color(1).schedule(Duration.ofHours(1), () -> ran.set(true));
        AtomicReference<Timer> inside = new AtomicReference<>();
        mely.color(2).execute(() -> inside.set(Color.current().schedule(Duration.ofHours(1), () -> ran.set(true))));
        Await.until("both are set", () -> inside.get() != null);
        assertThat(mely.close(PATIENCE)).isEqualTo(new Mely.CloseReport(true, 0, 2, 0));
        assertThat(outside.isPending()).isFalse();
        assertThat(inside.get().isPending()).isFalse();
        assertThat(ran).isFalse();
    }

    // ------------------------------------------------------------------ context class loader

    @Test
    void contextClassLoader_isThatOfWhoBuilds() throws Exception {
        Thread me = Thread.currentThread();
        ClassLoader before = me.getContextClassLoader();
        try (URLClassLoader own = new URLClassLoader(new URL[0], before);
                URLClassLoader another = new URLClassLoader(new URL[0], before)) {
            me.setContextClassLoader(own);
            try (Mely loads =
                    Mely.builder().name("life-loads").cores(1).pinned(false).build()) {
                me.setContextClassLoader(another);
                loads.start();
                List<ClassLoader> seen = new CopyOnWriteArrayList<>();
                Runnable look = () -> seen.add(Thread.currentThread().getContextClassLoader());
                loads.color(1).execute(look);
                loads.color(1).execute(() -> loads.blocking(Executors.callable(look)));
                loads.blocking(loads.color(2), Executors.callable(look));
                Await.until("all have looked", () -> seen.size() == 3);
                assertThat(seen).containsOnly(own);
            }
        } finally {
            me.setContextClassLoader(before);
        }
    }

    // ------------------------------------------------------------------ blocking work and futures

    @Test
    void blocking_completesInTheCallersColor() {
        AtomicReference<String> seen = new AtomicReference<>();
        mely.start();
        mely.color(3).execute(() -> {
            Color own = Color.current();
            mely.blocking(() -> "on " + (Thread.currentThread().getName().startsWith("life-0") || own.isCurrent()))
                    .thenAccept(value -> seen.set(value + " then " + own.isCurrent()));
        });
        Await.until("completed", () -> seen.get() != null);
        assertThat(seen).hasValue("on false then true");
    }

    @Test
    void blocking_failure_completesExceptionallyInTheColor() {
        AtomicReference<Throwable> seen = new AtomicReference<>();
        mely.start();
        mely.color(3).execute(() -> {
            Color own = Color.current();
            mely.blocking(() -> {
                        throw new java.io.IOException("planned");
                    })
                    .whenComplete(
                            (value, cause) -> seen.set(own.isCurrent() ? cause : new AssertionError("elsewhere")));
        });
        Await.until("completed", () -> seen.get() != null);
        assertThat(seen.get()).isInstanceOf(java.io.IOException.class).hasMessage("planned");
    }

    @Test
    void blocking_beyondTheLimit_isRejected_andLaterAcceptedAgain() throws Exception {
        try (Mely small = Mely.builder()
                .name("life-small")
                .cores(1)
                .pinned(false)
                .blockingLimit(2)
                .build()
                .start()) {
            CountDownLatch mayEnd = new CountDownLatch(1);
            List<CompletableFuture<String>> results = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                results.add(small.blocking(small.color(i), () -> {
                    mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS);
                    return "done";
                }));
            }
            assertThat(small.blocking(small.color(1), () -> "no room"))
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingRootCause()
                    .isInstanceOf(RejectedExecutionException.class)
                    .withMessageContaining("blockingLimit=2");
            mayEnd.countDown();
            for (CompletableFuture<String> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo("done");
            }
            Await.until("room again", () -> {
                CompletableFuture<String> result = small.blocking(small.color(1), () -> "again");
                return "again".equals(result.exceptionally(cause -> "").join());
            });
        }
    }

    // R5: whoever waits for what a close discards can be told.
    @Test
    void discardedCommands_areGivenBack_butForThoseWhoseFuturesFail() {
        List<Object> given = new ArrayList<>();
        ErrorHandler errors = new ErrorHandler() {
            @Override
            public void onError(Failure failure) {
                given.add(failure);
            }

            @Override
            public void onDiscarded(Stage<?> stage, Object event) {
                assertThat(stage.name()).isEqualTo("execute");
                given.add(event);
                if (given.size() == 1) {
                    throw new IllegalStateException("logged, and the others come all the same");
                }
            }
        };
        Mely unstarted = Mely.builder()
                .name("life-discards")
                .cores(2)
                .errorHandler(errors)
                .build();
        List<FutureTask<String>> tasks = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) { // more than the first buffer of an inbox
            tasks.add(new FutureTask<>(() -> "x"));
            unstarted.colorAt(1 + i % 100).execute(tasks.get(i));
        }
        Runnable executed = () -> {};
        ExecutorService executor = unstarted.executor(7);
        executor.execute(executed);
        Future<?> ofExecutor = executor.submit(() -> "x");
        CompletableFuture<String> blocking = unstarted.blocking(unstarted.colorAt(3), () -> "x");
        unstarted.colorAt(2).schedule(Duration.ZERO, () -> {});
        unstarted.close(Duration.ZERO);
        assertThat(given).containsAll(tasks).contains(executed).hasSize(3_001);
        assertThat(ofExecutor).isCancelled();
        assertThat(blocking).isCompletedExceptionally();
    }

    // Its thread can wait for room; the result would else complete outside of its color.
    @Test
    void blocking_whileTheRuntimeIsFull_completesInTheColorAllTheSame() throws Exception {
        try (Mely small = Mely.builder()
                .name("life-full")
                .cores(1)
                .pinned(false)
                .policy(Policy.colored().withThreadsPerCore(1)) // so that nothing runs while the handler sticks
                .pendingEventsMax(1024)
                .build()
                .start()) {
            CountDownLatch mayEnd = new CountDownLatch(1);
            CountDownLatch isInside = new CountDownLatch(1);
            Color color = small.color(5);
            Stage<Integer> sticks = small.stage("sticks", event -> {
                isInside.countDown();
                mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS);
            });
            assertThat(sticks.offer(small.color(1), 0)).isTrue();
            assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            while (sticks.offer(small.color(1), 0)) {
                assertThat(mayEnd.getCount()).isOne();
            }
            CountDownLatch hasWorked = new CountDownLatch(1);
            AtomicReference<Boolean> isInColor = new AtomicReference<>();
            CompletableFuture<Void> seen = small.blocking(color, () -> {
                        hasWorked.countDown();
                        return "result";
                    })
                    .thenAccept(value -> isInColor.set(color.isCurrent()));
            assertThat(hasWorked.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            assertThat(seen).isNotDone();
            mayEnd.countDown();
            seen.get(Await.PATIENCE_S, TimeUnit.SECONDS);
            assertThat(isInColor).hasValue(true);
        }
    }

    // A close waits for blocking work and runs what depends on its result.
    @Test
    void close_drainsBlockingWork() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch isBlocking = new CountDownLatch(1);
        AtomicReference<String> seen = new AtomicReference<>();
        Stage<String> last = mely.stage("last", seen::set);
        mely.start();
        mely.color(3)
                .execute(() -> mely.blocking(() -> {
                            isBlocking.countDown();
                            mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS);
                            return "result";
                        })
                        .thenAccept(value -> last.offer(Color.current(), value)));
        assertThat(isBlocking.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        AtomicReference<CompletableFuture<Integer>> late = new AtomicReference<>();
        Thread releaser = new Thread(() -> {
            Await.until("the close has begun", () -> !last.offer("outside"));
            late.set(mely.blocking(mely.color(4), () -> 4)); // or whoever goes on calling keeps the drain from ending
            mayEnd.countDown();
        });
        releaser.start();
        assertThat(mely.close(PATIENCE)).isEqualTo(new Mely.CloseReport(true, 0, 0, 0));
        releaser.join(60_000);
        assertThat(seen).hasValue("result");
        assertThat(late.get())
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withRootCauseInstanceOf(RejectedExecutionException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void close_cutsBlockingWorkOff_andSaysSo(boolean answersTooLate) throws Exception {
        CountDownLatch isBlocking = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        mely.start();
        CompletableFuture<String> result = mely.blocking(mely.color(3), () -> {
            isBlocking.countDown();
            try {
                mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                if (!answersTooLate) {
                    mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS); // until after the close
                }
            }
            return "too late";
        });
        assertThat(isBlocking.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(mely.close(Duration.ZERO)).isEqualTo(new Mely.CloseReport(false, 0, 0, 1));
        mayEnd.countDown();
        assertThat(result)
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withRootCauseInstanceOf(RejectedExecutionException.class);
    }

    // Whoever is told that it is refused has lost nothing: the close says so too, however many ask meanwhile.
    @Test
    void close_whileOthersAskForBlockingWork_cutsNoneOff() throws Exception {
        for (int round = 0; round < 30; round++) {
            Mely asked = Mely.builder()
                    .name("life-asked")
                    .cores(1)
                    .pinned(false)
                    .build()
                    .start();
            AtomicBoolean isOver = new AtomicBoolean();
            CountDownLatch areThere = new CountDownLatch(2);
            Thread[] askers = new Thread[2];
            for (int i = 0; i < askers.length; i++) {
                askers[i] = new Thread(() -> {
                    areThere.countDown();
                    while (!isOver.get()) {
                        if (!asked.isAccepting()) {
                            asked.blocking(asked.color(1), () -> "never");
                        }
                    }
                });
                askers[i].start();
            }
            assertThat(areThere.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            Mely.CloseReport report = asked.close(PATIENCE);
            isOver.set(true);
            for (Thread asker : askers) {
                asker.join(60_000);
            }
            assertThat(report).as("round %d", round).isEqualTo(new Mely.CloseReport(true, 0, 0, 0));
        }
    }

    // A call cut off fails its future, and what depends on that may close, as on any failure. It has the first close's
    // answer.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void close_byWhatDependsOnACallCutOff_doesNothingMore(boolean byAnotherThread) {
        List<String> closed = new CopyOnWriteArrayList<>();
        Mely unstarted = Mely.builder()
                .name("life-unstarted")
                .cores(1)
                .pinned(false)
                .pollers(seat -> new Holding(seat) {
                    @Override
                    public void close() {
                        closed.add("poller");
                    }
                })
                .build();
        AtomicReference<Mely.CloseReport> inner = new AtomicReference<>();
        CountDownLatch never = new CountDownLatch(1);
        unstarted
                .blocking(unstarted.color(3), () -> never.await(Await.PATIENCE_S, TimeUnit.SECONDS))
                .whenComplete((value, cause) -> inner.set(
                        byAnotherThread
                                ? CompletableFuture.supplyAsync(() -> unstarted.close(PATIENCE))
                                        .orTimeout(Await.PATIENCE_S, TimeUnit.SECONDS)
                                        .join()
                                : unstarted.close(PATIENCE)));
        Mely.CloseReport report = unstarted.close(Duration.ZERO);
        assertThat(closed).containsExactly("poller");
        Await.until("told", () -> inner.get() != null);
        assertThat(inner.get()).isSameAs(report);
    }

    /** Parks; says when; and holds one thread in its wake-up, which it has done by then, until after the close. */
    private static class Holding extends ParkingPoller {
        private final CountDownLatch isClosed = new CountDownLatch(1);
        private volatile Thread held;
        private volatile boolean isAsleep;

        private Holding(Seat seat) {
            super(seat);
        }

        @Override
        public int block(long timeoutNs) {
            isAsleep = seat().mayBlock();
            int handled = super.block(timeoutNs);
            isAsleep = false;
            return handled;
        }

        @Override
        public void wakeup() {
            super.wakeup();
            boolean isHeld = Thread.currentThread() == held;
            while (isHeld) {
                try {
                    isHeld = !isClosed.await(Await.PATIENCE_S, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    // the close has no patience with it
                }
            }
        }
    }

    // The deadline passes between the result and what its thread does next: the call was answered, and is not cut off.
    @Test
    void close_whileAnAnswerIsBeingSent_countsItAsRun() {
        AtomicReference<Holding> poller = new AtomicReference<>();
        Mely holds = Mely.builder()
                .name("life-holds")
                .cores(1)
                .pinned(false)
                .pollers(seat -> {
                    poller.set(new Holding(seat));
                    return poller.get();
                })
                .build()
                .start();
        AtomicReference<String> seen = new AtomicReference<>();
        holds.blocking(holds.color(3), () -> {
                    poller.get().held = Thread.currentThread();
                    Await.until("the core sleeps", () -> poller.get().isAsleep);
                    return "result";
                })
                .thenAccept(seen::set);
        Await.until("answered", () -> seen.get() != null);
        Mely.CloseReport report = holds.close(Duration.ofMillis(1));
        poller.get().isClosed.countDown();
        assertThat(report).isEqualTo(new Mely.CloseReport(true, 0, 0, 0));
    }

    @Test
    void close_byBlockingWork_throws_andByThatOfAnotherRuntimeDoesNot() {
        mely.start();
        try (Mely other =
                Mely.builder().name("life-other").cores(1).pinned(false).build().start()) {
            AtomicReference<Throwable> seen = new AtomicReference<>();
            mely.blocking(mely.color(3), () -> mely.close(PATIENCE)).whenComplete((report, cause) -> seen.set(cause));
            Await.until("refused", () -> seen.get() != null);
            assertThat(seen.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("close()");
            assertThat(mely.isAccepting()).isTrue();
            assertThat(mely.blocking(mely.color(3), () -> other.close(PATIENCE).isDrained()))
                    .succeedsWithin(PATIENCE)
                    .isEqualTo(true);
        }
    }

    @Test
    void executor_carriesFuturesOn_inOrder() throws Exception {
        mely.start();
        Color color = mely.color(7);
        List<Integer> seen = new ArrayList<>(); // plain: the color alone writes it
        CompletableFuture<Void> tail = CompletableFuture.completedFuture(null);
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            tail = tail.thenRunAsync(
                    () -> {
                        assertThat(color.isCurrent()).isTrue();
                        seen.add(number);
                    },
                    color);
        }
        tail.get(60, TimeUnit.SECONDS);
        assertThat(seen).hasSize(1_000).isSorted();
    }

    // ------------------------------------------------------------------ visibility and order from many senders

    // Plain state of a color, written by events from several threads and run on whichever core: nothing is lost and
    // each sender's events
    // come in order.
    @Test
    void color_manySenders_keepsEachOnesOrder() throws Exception {
        int senders = 3;
        int each = 20_000;
        int[] next = new int[senders];
        int[] wrong = {0};
        mely.start();
        Stage<int[]> stage = mely.stage("s", event -> wrong[0] += next[event[0]]++ == event[1] ? 0 : 1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            int me = i;
            Thread thread = new Thread(() -> {
                for (int number = 0; number < each; number++) {
                    stage.offer(mely.colorAt(9), new int[] {me, number});
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join(60_000);
        }
        assertThat(mely.close(PATIENCE).isDrained()).isTrue();
        assertThat(next).containsOnly(each);
        assertThat(wrong[0]).isZero();
    }
}
