// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// What the executor of a color promises beyond the JDK's: nobody waits for ever, for himself or for what was
// discarded.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExecutorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(Await.PATIENCE_S);
    private static final TimeUnit S = TimeUnit.SECONDS;
    private static final long KEY = 11;

    private final List<ErrorHandler.Failure> failures = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    /** Accepts, and runs nothing. */
    private final Mely unstarted =
            Mely.builder().name("executor-unstarted").cores(1).pinned(false).build();

    private final Mely mely = Mely.builder()
            .name("executor")
            .cores(2)
            .pinned(false)
            .errorHandler(failures::add)
            .build()
            .start();
    private final ScheduledExecutorService executor = mely.executor(KEY);

    @AfterEach
    void close() {
        mayEnd.countDown();
        mely.close();
        unstarted.close(Duration.ZERO);
    }

    /** Holds a color. */
    private void hold(Color color) throws InterruptedException {
        CountDownLatch isInside = new CountDownLatch(1);
        color.execute(() -> {
            isInside.countDown();
            awaitEnd();
        });
        assertThat(isInside.await(Await.PATIENCE_S, S)).isTrue();
    }

    private void awaitEnd() {
        try {
            mayEnd.await(Await.PATIENCE_S, S);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What a body throws as an event of the executor's color. */
    private Throwable thrownInColor(Callable<?> body) {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        mely.color(KEY).execute(() -> {
            try {
                body.call();
                thrown.complete(null);
            } catch (Throwable e) {
                thrown.complete(e);
            }
        });
        return thrown.orTimeout(Await.PATIENCE_S, S).join();
    }

    private void waitsForItself(Callable<?> body) {
        assertThat(thrownInColor(body))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("waits for itself")
                .hasMessageContaining("color=" + mely.color(KEY).slot());
    }

    // ------------------------------------------------------------------ the lane

    @Test
    void commands_areEventsOfTheColor() throws Exception {
        assertThat(executor.submit(() -> mely.color(KEY).isCurrent()).get()).isTrue();
        assertThat(executor.schedule(() -> mely.color(KEY).isCurrent(), 1, TimeUnit.MILLISECONDS)
                        .get())
                .isTrue();
        assertThat(executor.toString()).contains("color=" + mely.color(KEY).slot(), "open");
    }

    @Test
    void executorsOfOneKey_shareTheLane_andEndForThemselves() throws Exception {
        List<String> order = new ArrayList<>(); // plain
        ScheduledExecutorService other = mely.executor(KEY);
        assertThat(other).isNotSameAs(executor);
        hold(mely.color(KEY));
        for (int i = 0; i < 100; i++) {
            executor.execute(() -> order.add("a"));
            mely.color(KEY).execute(() -> order.add("b"));
            other.execute(() -> order.add("c"));
        }
        executor.shutdown();
        mayEnd.countDown();
        assertThat(executor.awaitTermination(Await.PATIENCE_S, S)).isTrue();
        assertThat(other.submit(() -> String.join("", order)).get()).isEqualTo("abc".repeat(100));
    }

    @Test
    void whatAnExecutedCommandThrows_goesToTheErrorHandler() throws Exception {
        Runnable fails = () -> {
            throw new IllegalStateException("executed");
        };
        executor.execute(fails);
        executor.submit(fails);
        executor.schedule(fails, 0, S);
        executor.submit(() -> {}).get();
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0).cause()).hasMessage("executed");
        assertThat(failures.get(0).color()).isSameAs(mely.color(KEY));
        assertThat(failures.get(0).event()).isSameAs(fails);
        assertThat(mely.stats().cores().stream()
                        .mapToLong(MelyStats.CoreStats::failed)
                        .sum())
                .isOne();
    }

    // ------------------------------------------------------------------ self-wait

    @Test
    void get_inItsOwnColor_throws() throws Exception {
        AtomicReference<Future<String>> future = new AtomicReference<>();
        waitsForItself(() -> {
            future.set(executor.submit(() -> "result"));
            return future.get().get();
        });
        waitsForItself(() -> executor.submit(() -> "result").get(1, TimeUnit.DAYS));
        waitsForItself(() -> executor.schedule(() -> "result", 1, TimeUnit.DAYS).get());
        waitsForItself(() -> executor.schedule(() -> "result", 0, S).get());
        waitsForItself(() ->
                executor.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.DAYS).get());
        assertThat(future.get().get()).isEqualTo("result"); // which runs for all that
        assertThat(thrownInColor(() -> future.get().get())).isNull(); // it is done
        assertThat(thrownInColor(() -> executor.submit(() -> "result").get(0, S)))
                .isInstanceOf(TimeoutException.class); // no wait
    }

    @Test
    void get_ofItself_throws() {
        AtomicReference<Future<?>> own = new AtomicReference<>();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        mely.color(KEY)
                .execute(() -> own.set(executor.submit(() -> {
                    try {
                        own.get().get();
                    } catch (Throwable e) {
                        thrown.complete(e);
                    }
                })));
        assertThat(thrown.orTimeout(Await.PATIENCE_S, S).join()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void get_inAnotherColor_waits() {
        CompletableFuture<Object> got = new CompletableFuture<>();
        Color other = mely.colorAt((mely.color(KEY).slot() + 1) % mely.colors());
        other.execute(() -> {
            try {
                got.complete(executor.submit(() -> "result").get(Await.PATIENCE_S, S));
            } catch (Throwable e) {
                got.complete(e);
            }
        });
        assertThat(got.orTimeout(Await.PATIENCE_S, S).join()).isEqualTo("result");
    }

    @Test
    void otherWaits_inTheirOwnColor_throw() throws Exception {
        waitsForItself(() -> executor.invokeAll(List.of(() -> "result")));
        waitsForItself(() -> executor.invokeAll(List.of(() -> "result"), 1, S));
        waitsForItself(() -> executor.invokeAny(List.of(() -> "result")));
        waitsForItself(() -> executor.invokeAny(List.of(() -> "result"), 1, S));
        waitsForItself(() -> executor.awaitTermination(1, S));
        assertThat(thrownInColor(() -> {
                    assertThat(executor.invokeAll(List.<Callable<String>>of())).isEmpty();
                    return executor.awaitTermination(0, S);
                }))
                .isNull();
        waitsForItself(() -> {
            executor.execute(() -> {});
            executor.shutdown();
            return executor.awaitTermination(1, S);
        });
        assertThat(executor.awaitTermination(Await.PATIENCE_S, S)).isTrue();
        assertThat(thrownInColor(() -> executor.awaitTermination(1, S))).isNull(); // it is over
    }

    // From Java 19 on.
    @Test
    void close_inItsOwnColor_throwsIfSomethingIsPending() {
        if (executor instanceof AutoCloseable closeable) {
            waitsForItself(() -> {
                executor.execute(() -> {});
                closeable.close();
                return null;
            });
            assertThat(thrownInColor(() -> {
                        ((AutoCloseable) mely.executor(KEY)).close();
                        return null;
                    }))
                    .isNull();
        }
    }

    @Test
    void blocking_waitedForInItsOwnColor_throws() {
        Color color = mely.color(KEY);
        Callable<String> slow = () -> {
            awaitEnd();
            return "result";
        };
        waitsForItself(() -> mely.blocking(slow).join());
        waitsForItself(() -> mely.blocking(slow).get());
        waitsForItself(() -> mely.blocking(slow).get(1, TimeUnit.DAYS));
        waitsForItself(
                () -> mely.blocking(slow).thenApply(result -> result + "s").join());
        waitsForItself(() -> mely.blocking(slow)
                .thenCompose(result -> CompletableFuture.completedFuture(result))
                .handleAsync((result, e) -> result, color)
                .get());
        CompletableFuture<String> result = mely.blocking(color, slow);
        CompletableFuture<String> dependent = result.thenApply(text -> text + "s");
        assertThat(thrownInColor(() -> result.getNow("not yet"))).isNull();
        assertThat(thrownInColor(() -> result.get(0, S))).isInstanceOf(TimeoutException.class);
        mayEnd.countDown();
        assertThat(dependent.orTimeout(Await.PATIENCE_S, S).join()).isEqualTo("results");
        assertThat(thrownInColor(dependent::join)).isNull();
    }

    // ------------------------------------------------------------------ nobody waits for what is discarded

    // The JDK's stay as they are, and whoever waits for one does so for ever.
    @Test
    void shutdownNow_cancelsFutures() throws Exception {
        hold(mely.color(KEY));
        Future<?> submitted = executor.submit(() -> {});
        Future<?> delayed = executor.schedule(() -> {}, 1, TimeUnit.HOURS);
        FutureTask<String> foreign = new FutureTask<>(() -> "never");
        executor.execute(foreign);
        Runnable plain = () -> {};
        executor.execute(plain);
        assertThat(executor.shutdownNow()).containsExactly((Runnable) submitted, (Runnable) delayed, foreign, plain);
        for (Future<?> future : List.of(submitted, delayed, foreign)) {
            assertThatThrownBy(() -> future.get(Await.PATIENCE_S, S)).isInstanceOf(CancellationException.class);
        }
        assertThat(executor.isTerminated()).isTrue(); // what holds the color is not its command
    }

    // Whoever interrupts may take long: it closes a channel, and that is somebody's code. Until then the next event
    // waits,
    // and no other user of the executor does.
    @Test
    void shutdownNow_interruptsNothingButTheCommand() throws Exception {
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch isInterrupting = new CountDownLatch(1);
        AtomicBoolean hasNextRun = new AtomicBoolean();
        AtomicBoolean isNextInterrupted = new AtomicBoolean();
        final class Channel extends AbstractInterruptibleChannel {
            @Override
            protected void implCloseChannel() {
                isInterrupting.countDown();
                awaitEnd();
            }

            void block() {
                begin();
                isInside.countDown();
                Await.until("interrupted", () -> Thread.currentThread().isInterrupted());
            }

            void unblock() {
                try {
                    end(true);
                } catch (AsynchronousCloseException e) {
                    isNextInterrupted.set(true);
                }
            }
        }
        Channel channel = new Channel();
        executor.execute(channel::block);
        mely.color(KEY).execute(() -> {
            isNextInterrupted.set(Thread.currentThread().isInterrupted());
            channel.unblock();
            hasNextRun.set(true);
        });
        assertThat(isInside.await(Await.PATIENCE_S, S)).isTrue();
        CompletableFuture<List<Runnable>> neverBegun = CompletableFuture.supplyAsync(executor::shutdownNow);
        assertThat(isInterrupting.await(Await.PATIENCE_S, S)).isTrue();
        assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.shutdownNow()).isEmpty();
        assertThat(executor.awaitTermination(20, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(hasNextRun).isFalse();
        mayEnd.countDown();
        assertThat(neverBegun.get(Await.PATIENCE_S, S)).isEmpty();
        assertThat(executor.awaitTermination(Await.PATIENCE_S, S)).isTrue();
        Await.until("the next event has run", hasNextRun::get);
        assertThat(isNextInterrupted).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void waits_areEndedByTheEnd(boolean byTheRuntime) throws Exception {
        ScheduledExecutorService waitedFor = unstarted.executor(KEY);
        ExecutorCompletionService<String> service = new ExecutorCompletionService<>(waitedFor);
        service.submit(() -> "never");
        Callable<String> never = () -> "never";
        List<Callable<?>> waits = List.of(
                () -> waitedFor.invokeAll(List.of(never, never)).get(1).get(),
                () -> waitedFor.invokeAny(List.of(never, never)),
                () -> waitedFor.submit(never).get(),
                () -> waitedFor.schedule(never, 1, TimeUnit.HOURS).get(),
                () -> service.take().get());
        List<CompletableFuture<Throwable>> ends = new ArrayList<>();
        for (Callable<?> wait : waits) {
            CompletableFuture<Throwable> end = new CompletableFuture<>();
            ends.add(end);
            Thread waiter = new Thread(() -> {
                try {
                    wait.call();
                    end.complete(null);
                } catch (Throwable e) {
                    end.complete(e);
                }
            });
            waiter.setDaemon(true);
            waiter.start();
            Await.until("it waits", () -> waiter.getState() == Thread.State.WAITING);
        }
        if (byTheRuntime) {
            unstarted.close(Duration.ZERO);
        } else {
            waitedFor.shutdownNow();
        }
        for (CompletableFuture<Throwable> end : ends) {
            assertThat(end.orTimeout(Await.PATIENCE_S, S).join())
                    .matches(e -> e instanceof CancellationException || e.getCause() instanceof CancellationException);
        }
        assertThat(waitedFor.isTerminated()).isTrue();
    }

    @Test
    void close_ofTheRuntime_endsExecutors() throws Exception {
        ScheduledExecutorService discarded = unstarted.executor(KEY);
        ScheduledExecutorService idle = unstarted.executor(KEY + 1);
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            futures.add(discarded.submit(() -> {}));
        }
        futures.add(discarded.schedule(() -> {}, 1, TimeUnit.HOURS));
        futures.add(discarded.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS));
        assertThat(unstarted.close(Duration.ZERO)).isEqualTo(new Mely.CloseReport(false, 1_000, 2, 0));
        assertThat(futures).allMatch(Future::isCancelled);
        assertThat(discarded.isTerminated()).isTrue();
        assertThat(idle.isTerminated()).isTrue();

        ScheduledExecutorService late = unstarted.executor(KEY);
        assertThatThrownBy(() -> late.submit(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> late.schedule(() -> {}, 1, S)).isInstanceOf(RejectedExecutionException.class);
        late.shutdown();
        assertThat(late.isTerminated()).isTrue();
    }

    @Test
    void whileTheRuntimeDrains_newCommandsAreRefused() throws Exception {
        hold(mely.color(KEY));
        Future<String> accepted = executor.submit(() -> "accepted");
        CompletableFuture<Mely.CloseReport> report = CompletableFuture.supplyAsync(() -> mely.close(PATIENCE));
        Await.until("it drains", () -> !mely.isAccepting());
        assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.schedule(() -> {}, 1, S)).isInstanceOf(RejectedExecutionException.class);
        mayEnd.countDown();
        assertThat(report.orTimeout(Await.PATIENCE_S, S).join().isDrained()).isTrue();
        assertThat(accepted.get()).isEqualTo("accepted");
        assertThat(executor.isTerminated()).isTrue();
    }

    // A close with a deadline runs what is pending, and nobody is cancelled.
    @Test
    void close_thatDrains_runsWhatIsPending() {
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            futures.add(executor.submit(() -> 1));
        }
        assertThat(mely.close(PATIENCE)).isEqualTo(new Mely.CloseReport(true, 0, 0, 0));
        assertThat(futures).allMatch(future -> future.isDone() && !future.isCancelled());
        assertThat(executor.isTerminated()).isTrue();
    }

    // ------------------------------------------------------------------ a full runtime

    @Test
    void fullRuntime_refuses_andKeepsNothing() throws Exception {
        try (Mely small = Mely.builder()
                .name("executor-small")
                .cores(1)
                .pinned(false)
                .pendingEventsMax(1_024)
                .build()
                .start()) {
            ScheduledExecutorService full = small.executor(1);
            hold(small.color(2));
            List<Future<?>> accepted = new ArrayList<>();
            RejectedExecutionException refusal = null;
            while (refusal == null) {
                try {
                    accepted.add(full.submit(() -> {}));
                } catch (RejectedExecutionException e) {
                    refusal = e;
                }
            }
            assertThat(refusal).hasMessageContaining("full");
            Future<?> delayed = full.schedule(() -> {}, 1, TimeUnit.NANOSECONDS); // waits for room
            assertThatThrownBy(() -> full.invokeAll(List.of(() -> 1, () -> 2)))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThat(full.isShutdown()).isFalse();
            full.shutdown();
            mayEnd.countDown();
            assertThat(full.awaitTermination(Await.PATIENCE_S, S)).isTrue();
            for (Future<?> future : accepted) {
                assertThatCode(future::get).doesNotThrowAnyException();
            }
            assertThat(delayed.get()).isNull();
        }
    }

    // ------------------------------------------------------------------ a periodic command lives as long as its
    // runtime

    @Test
    void periodic_isCancelledByTheCloseOfTheRuntime() {
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> periodic =
                executor.scheduleWithFixedDelay(runs::incrementAndGet, 0, 100, TimeUnit.MICROSECONDS);
        Await.until("it runs", () -> runs.get() > 10);
        assertThat(mely.close(PATIENCE).isDrained()).isTrue();
        assertThat(periodic.isCancelled()).isTrue();
        assertThat(executor.isTerminated()).isTrue();
    }
}
