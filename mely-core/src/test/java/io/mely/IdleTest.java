// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Invariant 6, with real threads: a runtime without work sleeps, and no event is lost on a core that sleeps, or is
// about to.
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleTest {
    private static final int ROUNDS = 20_000;

    private static MelyBuilder builder(int cores) {
        return Mely.builder().name("idle").cores(cores).pinned(false);
    }

    private static Thread coreThread(int core) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("idle-" + core))
                .findFirst()
                .orElseThrow();
    }

    private static MelyStats.CoreStats stats(Mely mely, int core) {
        return mely.stats().cores().get(core);
    }

    // A core sleeps until it is woken: from then on it does not poll at all.
    @ParameterizedTest
    @CsvSource({"0, false", "0, true", "20000, false", "20000, true"})
    void idle_sleepsForGood(long spinNs, boolean isStealing) {
        try (Mely mely = builder(2)
                .policy(Policy.colored(isStealing ? Stealing.mely() : Stealing.off())
                        .withSpin(Duration.ofNanos(spinNs)))
                .build()
                .start()) {
            AtomicInteger ran = new AtomicInteger();
            for (int i = 0; i < 100; i++) {
                mely.color(i).execute(ran::incrementAndGet);
            }
            Await.until("all run", () -> ran.get() == 100);
            for (int core = 0; core < 2; core++) {
                Thread thread = coreThread(core);
                Await.until("sleeps", () -> thread.getState() == Thread.State.WAITING);
            }
            MelyStats before = mely.stats();
            AtomicInteger looks = new AtomicInteger();
            Await.until("looked 100 times", () -> looks.incrementAndGet() == 100);
            MelyStats after = mely.stats();
            for (int core = 0; core < 2; core++) {
                assertThat(after.cores().get(core).polls())
                        .isEqualTo(before.cores().get(core).polls());
                assertThat(after.cores().get(core).sleeps()).isPositive();
                assertThat(coreThread(core).getState()).isEqualTo(Thread.State.WAITING);
            }
        }
    }

    // A handler that leaves its thread interrupted does not keep the core awake.
    @Test
    void interruptedHandler_coreStillSleeps() {
        try (Mely mely = builder(1)
                .policy(Policy.colored().withSpin(Duration.ZERO))
                .build()
                .start()) {
            AtomicInteger ran = new AtomicInteger();
            mely.color(1).execute(() -> {
                Thread.currentThread().interrupt();
                ran.incrementAndGet();
            });
            Await.until("it ran", () -> ran.get() == 1);
            Thread thread = coreThread(0);
            Await.until("sleeps", () -> thread.getState() == Thread.State.WAITING);
            mely.color(1).execute(ran::incrementAndGet);
            Await.until("is woken", () -> ran.get() == 2);
        }
    }

    @Test
    void sleepingCore_isWokenByAnOutsideSend_andByATimer() {
        try (Mely mely = builder(2).build().start()) {
            AtomicInteger ran = new AtomicInteger();
            for (int slot = 1; slot <= 2; slot++) {
                Thread thread = coreThread(slot % 2);
                Await.until("sleeps", () -> thread.getState() == Thread.State.WAITING);
                int expected = slot;
                mely.colorAt(slot).execute(ran::incrementAndGet);
                Await.until("runs", () -> ran.get() == expected);
            }
            mely.colorAt(1).schedule(Duration.ofMillis(5), ran::incrementAndGet);
            Await.until("the timer runs", () -> ran.get() == 3);
            assertThat(mely.stats().cores())
                    .allSatisfy(core -> assertThat(core.sleeps()).isPositive());
        }
    }

    // One event at a time, each sent when the one before has run: the core is asleep, or on its way into sleep, each
    // time.
    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0", "2, 20000"})
    void wakeUps_fromIdle_noneIsLost(int cores, long spinNs) throws InterruptedException {
        Semaphore done = new Semaphore(0);
        Mely mely = builder(cores)
                .policy(Policy.colored().withSpin(Duration.ofNanos(spinNs)))
                .build();
        try (mely) {
            mely.start();
            Stage<Integer> stage = mely.stage("s", number -> done.release());
            for (int i = 0; i < ROUNDS; i++) {
                stage.offer(mely.colorAt(1 + i % 7), i);
                assertThat(done.tryAcquire(Await.PATIENCE_S, TimeUnit.SECONDS))
                        .as("event %s", i)
                        .isTrue();
            }
        }
        assertThat(mely.stats().run()).isEqualTo(ROUNDS);
    }

    // The same from core to core: a handler on one wakes the other.
    @Test
    void wakeUps_fromCoreToCore_noneIsLost() throws InterruptedException {
        Semaphore done = new Semaphore(0);
        try (Mely mely = builder(2)
                .policy(Policy.colored(Stealing.off()).withSpin(Duration.ZERO))
                .build()
                .start()) {
            Stage<Integer> pong = mely.stage("pong", left -> done.release());
            Stage<Integer> ping = mely.stage("ping", left -> pong.offer(mely.colorAt(3), left));
            for (int i = 0; i < ROUNDS / 4; i++) {
                ping.offer(mely.colorAt(2), i);
                assertThat(done.tryAcquire(Await.PATIENCE_S, TimeUnit.SECONDS))
                        .as("event %s", i)
                        .isTrue();
            }
        }
    }
}
