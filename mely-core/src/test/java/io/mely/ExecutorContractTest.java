// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

// What the JDK's single-threaded executor does, Mely's does: each check runs against both.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExecutorContractTest {
    private static final TimeUnit S = TimeUnit.SECONDS;
    private static final TimeUnit MS = TimeUnit.MILLISECONDS;
    private static final TimeUnit NS = TimeUnit.NANOSECONDS;
    private static final long PATIENCE = Await.PATIENCE_S;

    /** Whose executor. */
    enum Kind {
        JDK,
        MELY,
        CENTRAL_QUEUE
    }

    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final CountDownLatch isInside = new CountDownLatch(1);
    private final AtomicBoolean isInterrupted = new AtomicBoolean();
    private Mely mely;
    private ScheduledExecutorService executor;

    private void open(Kind kind) {
        if (kind == Kind.JDK) {
            executor = Executors.newSingleThreadScheduledExecutor();
            return;
        }
        mely = Mely.builder()
                .name("executor")
                .policy(kind == Kind.MELY ? Policy.colored() : Policy.centralQueue())
                .cores(2)
                .pinned(false)
                .errorHandler(failure -> {})
                .build()
                .start();
        executor = mely.executor(7);
    }

    @AfterEach
    void close() throws InterruptedException {
        mayEnd.countDown();
        executor.shutdownNow();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
        if (mely != null) {
            mely.close();
        }
    }

    private Runnable note(String name) {
        return () -> ran.add(name);
    }

    /** Holds the executor until {@link #mayEnd}, or an interrupt. */
    private Future<?> hold() throws InterruptedException {
        Future<?> held = executor.submit(this::holds);
        assertThat(isInside.await(PATIENCE, S)).isTrue();
        return held;
    }

    private void holds() {
        isInside.countDown();
        try {
            mayEnd.await(PATIENCE, S);
        } catch (InterruptedException e) {
            isInterrupted.set(true);
        }
    }

    // ------------------------------------------------------------------ commands without a delay

    @ParameterizedTest
    @EnumSource
    void execute_runsInOrder_oneAtATime_andEachSeesWhatTheLastDid(Kind kind) throws Exception {
        open(kind);
        int[] count = {0}; // plain: that is the point
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            int number = i;
            executor.execute(() -> {
                count[0]++;
                order.add(number);
            });
        }
        assertThat(executor.submit(() -> count[0]).get(PATIENCE, S)).isEqualTo(5_000);
        assertThat(order).isSorted().hasSize(5_000);
    }

    @ParameterizedTest
    @EnumSource
    void submit_answers(Kind kind) throws Exception {
        open(kind);
        assertThat(executor.submit(() -> "called").get(PATIENCE, S)).isEqualTo("called");
        assertThat(executor.submit(note("ran")).get(PATIENCE, S)).isNull();
        assertThat(executor.submit(note("ran"), "given").get(PATIENCE, S)).isEqualTo("given");
        assertThat(ran).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource
    void whatThrows_saysSoToItsFuture_andTheNextRuns(Kind kind) throws Exception {
        open(kind);
        executor.execute(() -> {
            throw new IllegalStateException("executed");
        });
        Future<?> failed = executor.submit(() -> {
            throw new IllegalStateException("submitted");
        });
        assertThat(executor.submit(() -> "next").get(PATIENCE, S)).isEqualTo("next");
        assertThatThrownBy(failed::get)
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("submitted")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource
    void interruptLeftBehind_isNotSeenByTheNext(Kind kind) throws Exception {
        open(kind);
        for (int i = 0; i < 100; i++) {
            executor.execute(() -> Thread.currentThread().interrupt());
            assertThat(executor.submit(() -> Thread.currentThread().isInterrupted())
                            .get(PATIENCE, S))
                    .isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void arguments(Kind kind) {
        open(kind);
        Runnable nothing = () -> {};
        assertThatNullPointerException().isThrownBy(() -> executor.execute(null));
        assertThatNullPointerException().isThrownBy(() -> executor.submit((Runnable) null));
        assertThatNullPointerException().isThrownBy(() -> executor.submit((Callable<?>) null));
        assertThatNullPointerException().isThrownBy(() -> executor.invokeAll(null));
        assertThatNullPointerException().isThrownBy(() -> executor.invokeAny(null));
        assertThatNullPointerException().isThrownBy(() -> executor.schedule((Runnable) null, 1, S));
        assertThatNullPointerException().isThrownBy(() -> executor.schedule((Callable<?>) null, 1, S));
        assertThatNullPointerException().isThrownBy(() -> executor.schedule(nothing, 1, null));
        assertThatNullPointerException().isThrownBy(() -> executor.scheduleAtFixedRate(null, 1, 1, S));
        assertThatNullPointerException().isThrownBy(() -> executor.scheduleWithFixedDelay(nothing, 1, 1, null));
        assertThatIllegalArgumentException().isThrownBy(() -> executor.scheduleAtFixedRate(nothing, 1, 0, S));
        assertThatIllegalArgumentException().isThrownBy(() -> executor.scheduleWithFixedDelay(nothing, 1, -1, S));
        assertThatIllegalArgumentException().isThrownBy(() -> executor.invokeAny(List.of()));
    }

    // ------------------------------------------------------------------ many at once

    @ParameterizedTest
    @EnumSource
    void invokeAll_waitsForAll(Kind kind) throws Exception {
        open(kind);
        assertThat(executor.invokeAll(List.<Callable<String>>of())).isEmpty();
        List<Callable<String>> commands = List.of(
                () -> "first",
                () -> {
                    throw new IllegalStateException("second");
                },
                () -> "third");
        List<Future<String>> futures = executor.invokeAll(commands);
        assertThat(futures).hasSize(3).allMatch(Future::isDone);
        assertThat(futures.get(0).get()).isEqualTo("first");
        assertThatThrownBy(() -> futures.get(1).get()).hasRootCauseMessage("second");
        assertThat(futures.get(2).get()).isEqualTo("third");
    }

    @ParameterizedTest
    @EnumSource
    void invokeAll_whoseTimeIsUp_cancelsTheRest(Kind kind) throws Exception {
        open(kind);
        hold();
        List<Future<String>> futures =
                executor.invokeAll(List.<Callable<String>>of(() -> "never", () -> "never"), 1, MS);
        assertThat(futures).hasSize(2).allMatch(Future::isCancelled);
    }

    @ParameterizedTest
    @EnumSource
    void invokeAny_answersWithOneThatSucceeds(Kind kind) throws Exception {
        open(kind);
        Callable<String> fails = () -> {
            throw new IllegalStateException("fails");
        };
        assertThat(executor.invokeAny(List.of(fails, () -> "second", fails))).isEqualTo("second");
        assertThat(executor.invokeAny(List.of(fails, () -> "second"), PATIENCE, S))
                .isEqualTo("second");
        assertThatThrownBy(() -> executor.invokeAny(List.of(fails, fails)))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("fails");
        hold();
        assertThatThrownBy(() -> executor.invokeAny(List.of(() -> "late"), 1, MS))
                .isInstanceOf(TimeoutException.class);
    }

    @ParameterizedTest
    @EnumSource
    void completionService_givesWhatIsDone(Kind kind) throws Exception {
        open(kind);
        ExecutorCompletionService<String> service = new ExecutorCompletionService<>(executor);
        service.submit(() -> "first");
        service.submit(() -> "second");
        assertThat(service.take().get()).isEqualTo("first");
        assertThat(service.take().get()).isEqualTo("second");
    }

    // ------------------------------------------------------------------ commands for later

    @ParameterizedTest
    @EnumSource
    void schedule_runsOnce_notBeforeItsTime(Kind kind) throws Exception {
        open(kind);
        long startNs = System.nanoTime();
        ScheduledFuture<Long> called = executor.schedule(System::nanoTime, 20, MS);
        ScheduledFuture<?> run = executor.schedule(note("ran"), 20, MS);
        assertThat(called.get(PATIENCE, S) - startNs).isGreaterThanOrEqualTo(20_000_000);
        assertThat(run.get(PATIENCE, S)).isNull();
        assertThat(ran).containsExactly("ran");
        assertThat(called.getDelay(MS)).isLessThanOrEqualTo(0);
    }

    @ParameterizedTest
    @EnumSource
    void schedule_withoutDelay_runsInOrderWithTheOthers(Kind kind) throws Exception {
        open(kind);
        hold();
        executor.execute(note("a"));
        executor.schedule(note("b"), 0, S);
        executor.submit(note("c"));
        executor.schedule(note("d"), 0, S);
        Future<?> last = executor.submit(note("e"));
        mayEnd.countDown();
        last.get(PATIENCE, S);
        assertThat(ran).containsExactly("a", "b", "c", "d", "e");
    }

    // Later calls with the same delay or a longer one are due later, whatever happens between the calls.
    @ParameterizedTest
    @EnumSource
    void schedule_runsInTheOrderOfTimes(Kind kind) throws Exception {
        open(kind);
        List<Integer> order = new CopyOnWriteArrayList<>();
        ScheduledFuture<?> last = null;
        for (int i = 0; i < 500; i++) {
            int number = i;
            last = executor.schedule(() -> order.add(number), 1_000_000 + i / 10, NS);
        }
        last.get(PATIENCE, S);
        assertThat(order).hasSize(500).isSorted();
    }

    @ParameterizedTest
    @EnumSource
    void schedule_whatThrows_saysSo(Kind kind) {
        open(kind);
        ScheduledFuture<?> failed = executor.schedule(
                () -> {
                    throw new IllegalStateException("late");
                },
                1,
                MS);
        assertThatThrownBy(() -> failed.get(PATIENCE, S)).hasRootCauseMessage("late");
    }

    @ParameterizedTest
    @EnumSource
    void atFixedRate_repeats_untilItThrows(Kind kind) {
        open(kind);
        AtomicInteger runs = new AtomicInteger();
        long startNs = System.nanoTime();
        ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(
                () -> {
                    if (runs.incrementAndGet() == 5) {
                        throw new IllegalStateException("fifth");
                    }
                },
                0,
                2,
                MS);
        assertThatThrownBy(() -> periodic.get(PATIENCE, S))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("fifth");
        assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(4 * 2_000_000);
        assertThat(runs).hasValue(5);
        assertThat(periodic.isDone()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void withFixedDelay_pausesAfterEachRun(Kind kind) {
        open(kind);
        List<Long> timesNs = Collections.synchronizedList(new ArrayList<>());
        ScheduledFuture<?> periodic = executor.scheduleWithFixedDelay(
                () -> {
                    timesNs.add(System.nanoTime());
                    long endNs = System.nanoTime() + 1_000_000;
                    while (System.nanoTime() < endNs) {
                        Thread.onSpinWait();
                    }
                    timesNs.add(System.nanoTime());
                },
                1,
                3,
                MS);
        Await.until("four runs", () -> timesNs.size() >= 8);
        periodic.cancel(false);
        for (int i = 2; i < 8; i += 2) {
            assertThat(timesNs.get(i) - timesNs.get(i - 1)).isGreaterThanOrEqualTo(3_000_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void scheduled_knowTheirOrder(Kind kind) {
        open(kind);
        ScheduledFuture<?> first = executor.schedule(note("never"), 1, TimeUnit.HOURS);
        ScheduledFuture<?> second = executor.schedule(note("never"), 2, TimeUnit.HOURS);
        ScheduledFuture<?> last = executor.schedule(note("never"), Long.MAX_VALUE, TimeUnit.DAYS);
        assertThat(first.compareTo(second)).isNegative();
        assertThat(last.compareTo(second)).isPositive();
        assertThat(first.getDelay(TimeUnit.MINUTES)).isBetween(0L, 60L);
        assertThat(last.getDelay(TimeUnit.DAYS)).isGreaterThan(365 * 50);
    }

    // ------------------------------------------------------------------ cancel

    @ParameterizedTest
    @EnumSource
    void cancel_beforeItRuns(Kind kind) throws Exception {
        open(kind);
        hold();
        Future<?> submitted = executor.submit(note("submitted"));
        ScheduledFuture<?> delayed = executor.schedule(note("delayed"), 1, MS);
        ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(note("periodic"), 0, 1, MS);
        for (Future<?> future : List.of(submitted, delayed, periodic)) {
            assertThat(future.cancel(true)).isTrue();
            assertThat(future.isCancelled()).isTrue();
            assertThat(future.cancel(false)).isFalse();
            assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        }
        mayEnd.countDown();
        executor.schedule(note("last"), 2, MS).get(PATIENCE, S);
        assertThat(ran).containsExactly("last");
        assertThat(isInterrupted).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void cancel_interruptsWhatRuns_ifToldTo(Kind kind) throws Exception {
        open(kind);
        Future<?> held = hold();
        assertThat(held.cancel(true)).isTrue();
        assertThat(executor.submit(() -> Thread.currentThread().isInterrupted()).get(PATIENCE, S))
                .isFalse();
        assertThat(isInterrupted).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void cancel_doesNotInterrupt_ifNotToldTo(Kind kind) throws Exception {
        open(kind);
        Future<?> held = hold();
        assertThat(held.cancel(false)).isTrue();
        assertThat(held.isDone()).isTrue();
        mayEnd.countDown();
        executor.submit(note("next")).get(PATIENCE, S);
        assertThat(isInterrupted).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void cancel_endsAPeriodicCommand(Kind kind) throws Exception {
        open(kind);
        AtomicInteger runs = new AtomicInteger();
        AtomicReference<ScheduledFuture<?>> own = new AtomicReference<>();
        own.set(executor.scheduleAtFixedRate(
                () -> {
                    if (own.get() != null && runs.incrementAndGet() == 3) {
                        own.get().cancel(false); // while it runs
                    }
                },
                0,
                1,
                MS));
        assertThatThrownBy(() -> own.get().get(PATIENCE, S)).isInstanceOf(CancellationException.class);
        executor.schedule(note("later"), 5, MS).get(PATIENCE, S);
        assertThat(runs).hasValue(3);
    }

    // ------------------------------------------------------------------ the end

    private void refusesAll() {
        Runnable never = note("never");
        assertThatThrownBy(() -> executor.execute(never)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.submit(never)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.schedule(never, 0, S)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.schedule(never, 1, S)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.scheduleAtFixedRate(never, 1, 1, S))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.scheduleWithFixedDelay(never, 0, 1, S))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.invokeAll(List.of(() -> "never")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.invokeAny(List.of(() -> "never")))
                .isInstanceOf(RejectedExecutionException.class);
    }

    @ParameterizedTest
    @EnumSource
    void shutdown_runsWhatWasAccepted_andRefusesTheRest(Kind kind) throws Exception {
        open(kind);
        assertThat(executor.isShutdown()).isFalse();
        hold();
        executor.execute(note("a"));
        Future<?> b = executor.submit(note("b"));
        executor.shutdown();
        assertThat(executor.isShutdown()).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        assertThat(executor.awaitTermination(1, MS)).isFalse();
        refusesAll();
        assertThat(isInterrupted).isFalse();
        mayEnd.countDown();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(b.isDone()).isTrue();
        assertThat(ran).containsExactly("a", "b");
        refusesAll();
        executor.shutdown();
        assertThat(executor.shutdownNow()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void shutdown_whileIdle_terminates(Kind kind) throws Exception {
        open(kind);
        executor.submit(note("a")).get(PATIENCE, S);
        executor.shutdown();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void shutdown_unused_terminates(Kind kind) throws Exception {
        open(kind);
        executor.shutdown();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
        assertThat(executor.isTerminated()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void shutdown_runsDelayedOnes_andCancelsPeriodicOnes(Kind kind) throws Exception {
        open(kind);
        ScheduledFuture<String> delayed = executor.schedule(() -> "delayed", 30, MS);
        ScheduledFuture<?> rate = executor.scheduleAtFixedRate(note("never"), 1, 1, TimeUnit.HOURS);
        ScheduledFuture<?> pause = executor.scheduleWithFixedDelay(note("never"), 1, 1, TimeUnit.HOURS);
        executor.shutdown();
        assertThat(rate.isCancelled()).isTrue();
        assertThat(pause.isCancelled()).isTrue();
        assertThat(delayed.isCancelled()).isFalse();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
        assertThat(delayed.get()).isEqualTo("delayed");
        assertThat(ran).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void shutdown_cancelsAPeriodicCommandThatIsNext(Kind kind) throws Exception {
        open(kind);
        hold();
        ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(note("never"), 0, 1, MS);
        executor.shutdown();
        assertThat(periodic.isCancelled()).isTrue();
        mayEnd.countDown();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
        assertThat(ran).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void shutdown_whileAPeriodicCommandRuns_letsItEnd_andCancelsIt(Kind kind) throws Exception {
        open(kind);
        ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(
                () -> {
                    holds();
                    ran.add("periodic");
                },
                1,
                1,
                MS);
        assertThat(isInside.await(PATIENCE, S)).isTrue();
        executor.shutdown();
        assertThat(executor.awaitTermination(1, MS)).isFalse();
        mayEnd.countDown();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
        assertThat(periodic.isCancelled()).isTrue();
        assertThat(ran).containsExactly("periodic");
        assertThat(isInterrupted).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void shutdown_doesNotWaitForWhatWasCancelled(Kind kind) throws Exception {
        open(kind);
        executor.schedule(note("never"), 1, TimeUnit.HOURS).cancel(false);
        executor.shutdown();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void shutdownNow_returnsWhatNeverBegan_andInterruptsWhatRuns(Kind kind) throws Exception {
        open(kind);
        Future<?> held = hold();
        executor.execute(note("executed"));
        Future<?> submitted = executor.submit(note("submitted"));
        ScheduledFuture<?> delayed = executor.schedule(note("delayed"), 1, TimeUnit.HOURS);
        ScheduledFuture<?> periodic = executor.scheduleAtFixedRate(note("periodic"), 2, 1, TimeUnit.HOURS);
        List<Runnable> neverBegun = executor.shutdownNow();
        assertThat(neverBegun).hasSize(4);
        assertThat(neverBegun.get(1)).isSameAs(submitted);
        assertThat(neverBegun.get(2)).isSameAs(delayed);
        assertThat(neverBegun.get(3)).isSameAs(periodic);
        assertThat(executor.isShutdown()).isTrue();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
        assertThat(isInterrupted).isTrue();
        assertThat(held.get()).isNull();
        assertThat(ran).isEmpty();
        assertThat(executor.shutdownNow()).isEmpty();
        refusesAll();
    }

    @ParameterizedTest
    @EnumSource
    void shutdownNow_interruptsADelayedCommand(Kind kind) throws Exception {
        open(kind);
        ScheduledFuture<?> held = executor.schedule(this::holds, 1, MS);
        assertThat(isInside.await(PATIENCE, S)).isTrue();
        assertThat(executor.shutdownNow()).isEmpty();
        assertThat(held.get(PATIENCE, S)).isNull();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
        assertThat(isInterrupted).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void shutdownNow_byACommand(Kind kind) throws Exception {
        open(kind);
        Future<Integer> last = executor.submit(() -> {
            executor.execute(note("never"));
            return executor.shutdownNow().size();
        });
        assertThat(last.get(PATIENCE, S)).isOne();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
        assertThat(ran).isEmpty();
    }

    // From Java 19 on.
    @ParameterizedTest
    @EnumSource
    void close_waitsForWhatWasAccepted(Kind kind) throws Exception {
        open(kind);
        executor.execute(note("a"));
        executor.schedule(note("b"), 5, MS);
        if (executor instanceof AutoCloseable closeable) {
            closeable.close();
            assertThat(executor.isTerminated()).isTrue();
            assertThat(ran).containsExactly("a", "b");
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatWasDone_isSeenBehindAwaitTermination(Kind kind) throws Exception {
        open(kind);
        int[] plain = {0};
        for (int i = 0; i < 1_000; i++) {
            executor.execute(() -> plain[0]++);
        }
        executor.shutdown();
        assertThat(executor.awaitTermination(PATIENCE, S)).isTrue();
        assertThat(plain[0]).isEqualTo(1_000);
    }
}
