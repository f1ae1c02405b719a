// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static io.mely.BuilderAccess.tune;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// With real threads: a handler that waits holds up its own color, and nothing else of its core.
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReliefTest {
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger inside = new AtomicInteger();

    private void waitInHandler() {
        inside.incrementAndGet();
        try {
            assertThat(mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static MelyBuilder builder(int cores) {
        return Mely.builder().name("relief").cores(cores).pinned(false).policy(Policy.colored(Stealing.off()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void waitingHandler_holdsUpItsOwnColorOnly(int cores) {
        List<String> ownColor = Collections.synchronizedList(new ArrayList<>());
        Mely mely = builder(cores).build();
        try (mely) {
            mely.start();
            for (int core = 0; core < cores; core++) {
                mely.colorAt(2 + core).execute(this::waitInHandler);
            }
            Await.until("all cores stand still", () -> inside.get() == cores);
            mely.colorAt(2).execute(() -> ownColor.add("next"));

            CompletableFuture<Void> event = CompletableFuture.runAsync(() -> {}, mely.colorAt(4));
            CompletableFuture<Void> timer = new CompletableFuture<>();
            mely.colorAt(6).schedule(Duration.ofMillis(1), () -> timer.complete(null));
            CompletableFuture<String> blocking = mely.blocking(mely.colorAt(4), () -> "result");
            Await.until("an event, a timer and a result", () -> event.isDone() && timer.isDone() && blocking.isDone());
            assertThat(ownColor).isEmpty();

            mayEnd.countDown();
            Await.until("the color goes on", () -> ownColor.size() == 1);
        }
        assertThat(mely.stats().pending()).isZero();
    }

    // Then the core stands still, and goes on when one of them has ended.
    @Test
    void asManyAsThereAreWorkers_waitAtOnce() {
        try (Mely mely = tune(builder(1), p -> p.withThreadsPerCore(3)).build().start()) {
            for (int slot = 1; slot <= 3; slot++) {
                mely.colorAt(slot).execute(this::waitInHandler);
            }
            Await.until("three wait", () -> inside.get() == 3);
            AtomicInteger ran = new AtomicInteger();
            for (int slot = 4; slot <= 10; slot++) {
                mely.colorAt(slot).execute(ran::incrementAndGet);
            }
            assertThat(Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().startsWith("relief-0")))
                    .hasSize(3);
            mayEnd.countDown();
            Await.until("the others run", () -> ran.get() == 7);
        }
    }

    private void anotherColorWaits(Mely mely) {
        mely.colorAt(1).execute(this::waitInHandler);
        Await.until("it waits", () -> inside.get() == 1);
        AtomicInteger ran = new AtomicInteger();
        mely.colorAt(2).execute(ran::incrementAndGet);
        assertThat(ran).hasValue(0);
        mayEnd.countDown();
        Await.until("the other runs", () -> ran.get() == 1);
    }

    @Test
    void oneWorker_coreWaitsForTheHandler() {
        try (Mely mely = tune(builder(1), p -> p.withThreadsPerCore(1)).build().start()) {
            anotherColorWaits(mely);
        }
    }

    // What a poller parks, for instance, may be one thread for good.
    @Test
    void pollerThatKeepsItsThread_coreWaitsForTheHandler() {
        try (Mely mely = builder(1)
                .pollers(seat -> new ParkingPoller(seat) {
                    @Override
                    public boolean mayChangeThread() {
                        return false;
                    }

                    @Override
                    public void takeOver() {
                        throw new AssertionError("it said that it keeps its thread");
                    }
                })
                .build()
                .start()) {
            anotherColorWaits(mely);
        }
    }

    // Its core's life ends without it.
    @Test
    void close_whileAHandlerWaits_saysSo() {
        Mely mely = builder(2).build().start();
        mely.colorAt(2).execute(this::waitInHandler);
        Await.until("it waits", () -> inside.get() == 1);
        AtomicInteger ran = new AtomicInteger();
        mely.colorAt(4).execute(ran::incrementAndGet);
        Await.until("the core has another worker", () -> ran.get() == 1);
        Mely.CloseReport report = mely.close(Duration.ZERO);
        assertThat(report.isDrained()).isFalse();
        assertThat(report.discardedEvents()).isEqualTo(1);
        mayEnd.countDown();
        Await.until(
                "all threads are gone",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("relief-")));
    }
}
