// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class LanesTest {
    private static final long TIMEOUT_S = 120;

    private Mely mely;
    private Lanes lanes;

    @BeforeEach
    void begin() {
        mely = Mely.builder().cores(2).pinned(false).build();
        lanes = new Lanes(mely);
        mely.start();
    }

    @AfterEach
    void end() {
        mely.close(Duration.ofSeconds(5));
    }

    private static <T> void complete(CompletableFuture<T> result, @Nullable T value, @Nullable Throwable failure) {
        boolean unused = failure == null ? result.complete(value) : result.completeExceptionally(failure);
    }

    private <T> CompletableFuture<T> waiting(long about, java.util.concurrent.Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        lanes.<T>run(about, () -> null, work, (value, failure) -> complete(result, value, failure));
        return result;
    }

    private static <T> T get(CompletableFuture<T> result) throws Exception {
        return result.get(TIMEOUT_S, TimeUnit.SECONDS);
    }

    // One at a time, in the order it was asked for, also where some of it has to wait.
    @Test
    void work_aboutOneThing_takesTurns() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        List<Integer> order = new ArrayList<>(); // unguarded: the lane is the guard
        List<CompletableFuture<Integer>> results = new ArrayList<>();
        Random random = new Random(54);
        for (int i = 0; i < 500; i++) {
            int number = i;
            boolean isWaiting = random.nextBoolean();
            CompletableFuture<Integer> result = new CompletableFuture<>();
            java.util.function.Supplier<Integer> work = () -> {
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                order.add(number);
                inside.decrementAndGet();
                return number;
            };
            lanes.run(
                    7,
                    () -> isWaiting ? null : work.get(),
                    work::get,
                    (value, failure) -> complete(result, value, failure));
            results.add(result);
        }
        for (int i = 0; i < results.size(); i++) {
            assertThat(get(results.get(i))).isEqualTo(i);
        }
        assertThat(order).isSorted().hasSize(500);
        assertThat(lanes.size()).isZero();
    }

    // What waits for the disk holds up its own lane alone.
    @Test
    void work_aboutAnotherThing_goesOn() throws Exception {
        CountDownLatch isFree = new CountDownLatch(1);
        CompletableFuture<String> held = waiting(1, () -> {
            isFree.await();
            return "held";
        });
        CompletableFuture<String> behind = waiting(1, () -> "behind");
        assertThat(get(waiting(2, () -> "beside"))).isEqualTo("beside");
        assertThat(held).isNotDone();
        assertThat(behind).isNotDone();
        isFree.countDown();
        assertThat(get(behind)).isEqualTo("behind");
        assertThat(get(held)).isEqualTo("held");
    }

    @Test
    void work_thatNeedNotWait_runsInTheColorOfItsThing() throws Exception {
        CompletableFuture<Color> result = new CompletableFuture<>();
        lanes.run(
                42,
                Color::current,
                () -> {
                    throw new AssertionError("it did not have to wait");
                },
                (value, failure) -> complete(result, value, failure));
        assertThat(get(result)).isEqualTo(lanes.colorOf(42)).isNotEqualTo(mely.defaultColor());
    }

    // A failure is told, and the next has its turn.
    @Test
    void work_thatFails_holdsNobodyUp() throws Exception {
        for (boolean isNow : new boolean[] {true, false}) {
            CompletableFuture<String> failed = new CompletableFuture<>();
            lanes.<String>run(
                    3,
                    () -> {
                        if (isNow) {
                            throw new IllegalStateException("now");
                        }
                        return null;
                    },
                    () -> {
                        throw new IllegalStateException("later");
                    },
                    (value, failure) -> complete(failed, value, failure));
            assertThat(get(waiting(3, () -> "next"))).isEqualTo("next");
            assertThat(failed)
                    .failsWithin(Duration.ofSeconds(TIMEOUT_S))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(IllegalStateException.class);
        }
        assertThat(lanes.size()).isZero();
    }

    @Test
    void work_afterTheClose_isRefused() {
        mely.close(Duration.ZERO);
        assertThat(waiting(1, () -> "late"))
                .isCompletedExceptionally()
                .failsWithin(Duration.ofSeconds(TIMEOUT_S))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(RejectedExecutionException.class);
    }
}
