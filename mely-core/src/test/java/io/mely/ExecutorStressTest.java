// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

// The books of an executor close, whoever ends it while several threads use it: what was given = run + never begun +
// refused. Afterwards every future is done, and the executor is terminated.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExecutorStressTest {
    private static final int ROUNDS = 40;
    private static final int SENDERS = 3;
    private static final int EXECUTORS = 4;

    /** How an executor ends. */
    enum End {
        SHUTDOWN,
        SHUTDOWN_NOW,
        CLOSE_OF_THE_RUNTIME,
        CLOSE_WITHOUT_PATIENCE
    }

    /** One executor, and what became of its commands. */
    private static final class Books {
        final ScheduledExecutorService executor;
        final AtomicLong given = new AtomicLong();
        final AtomicLong refused = new AtomicLong();
        final AtomicLong ran = new AtomicLong();
        final AtomicInteger inside = new AtomicInteger();
        final AtomicLong overlaps = new AtomicLong();
        volatile boolean isOver;
        final AtomicLong late = new AtomicLong();

        Books(ScheduledExecutorService executor) {
            this.executor = executor;
        }

        String run() {
            if (inside.incrementAndGet() != 1) {
                overlaps.incrementAndGet();
            }
            if (isOver) {
                late.incrementAndGet();
            }
            ran.incrementAndGet();
            inside.decrementAndGet();
            return "ran";
        }

        @SuppressWarnings("FutureReturnValueIgnored") // all are looked at in the end
        void give(Random random, List<Future<?>> futures) {
            given.incrementAndGet();
            Callable<String> command = this::run;
            try {
                switch (random.nextInt(4)) {
                    case 0 -> futures.add(executor.schedule(command, 0, TimeUnit.SECONDS));
                    case 1 -> futures.add(executor.schedule(command, random.nextInt(200_000), TimeUnit.NANOSECONDS));
                    default -> futures.add(executor.submit(command));
                }
            } catch (RejectedExecutionException e) {
                refused.incrementAndGet();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void booksClose(End end) throws Exception {
        Random seeds = new Random(Seed.of("ExecutorStressTest"));
        for (int round = 0; round < ROUNDS; round++) {
            round(end, seeds);
        }
    }

    private static void round(End end, Random seeds) throws Exception {
        Mely mely = Mely.builder()
                .name("executor-stress")
                .cores(2)
                .pinned(false)
                .pendingEventsMax(1_024)
                .build()
                .start();
        List<Books> books = new ArrayList<>();
        for (int i = 0; i < EXECUTORS; i++) {
            books.add(new Books(mely.executor(i / 2))); // two share a lane
        }
        List<List<Future<?>>> futures = new ArrayList<>();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        CountDownLatch areGiving = new CountDownLatch(SENDERS);
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
            Random random = new Random(seeds.nextLong());
            List<Future<?>> own = new ArrayList<>();
            futures.add(own);
            Thread sender = new Thread(() -> {
                try {
                    for (int j = 0; j < 1_500; j++) {
                        if (j == 500) {
                            areGiving.countDown();
                        }
                        books.get(random.nextInt(EXECUTORS)).give(random, own);
                    }
                } catch (Throwable e) {
                    thrown.set(e);
                    areGiving.countDown();
                }
            });
            senders.add(sender);
            sender.start();
        }
        assertThat(areGiving.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        AtomicLong neverBegun = new AtomicLong();
        switch (end) {
            case SHUTDOWN -> books.forEach(book -> book.executor.shutdown());
            case SHUTDOWN_NOW ->
                books.forEach(
                        book -> neverBegun.addAndGet(book.executor.shutdownNow().size()));
            case CLOSE_OF_THE_RUNTIME -> mely.close(Duration.ofSeconds(Await.PATIENCE_S));
            case CLOSE_WITHOUT_PATIENCE -> mely.close(Duration.ZERO);
        }
        for (Books book : books) {
            assertThat(book.executor.awaitTermination(Await.PATIENCE_S, TimeUnit.SECONDS))
                    .isTrue();
            book.isOver = true;
        }
        for (Thread sender : senders) {
            sender.join();
        }
        mely.close();
        assertThat(thrown).hasValue(null);
        long cancelled = futures.stream()
                .flatMap(List::stream)
                .peek(future -> assertThat(future.isDone()).isTrue())
                .filter(Future::isCancelled)
                .count();
        long given = 0;
        long decided = cancelled;
        for (Books book : books) {
            given += book.given.get();
            decided += book.ran.get() + book.refused.get();
            assertThat(book.overlaps).hasValue(0);
            assertThat(book.late).hasValue(0);
        }
        assertThat(decided).as("given = run + never begun + refused").isEqualTo(given);
        if (end == End.SHUTDOWN) {
            assertThat(cancelled).isZero();
        } else if (end == End.SHUTDOWN_NOW) {
            assertThat(cancelled).isEqualTo(neverBegun.get());
        }
    }
}
