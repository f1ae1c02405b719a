// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.StallListener.Stall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// A handler that takes too long is named, once, with its stage, its color and where it is.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StallTest {
    private final List<Stall> stalls = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private void waitsForTheTest(String event) throws InterruptedException {
        assertThat(mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
    }

    private MelyBuilder builder() {
        return Mely.builder().name("stall").cores(1).stallAfter(Duration.ofMillis(5), stalls::add);
    }

    @Test
    void handlerThatWaits_isNamedOnce() {
        try (Mely mely = builder().build().start()) {
            Stage<String> stage = mely.stage("waits", this::waitsForTheTest);
            assertThat(stage.offer(mely.colorAt(5), "x")).isTrue();
            Await.until("it is told", () -> !stalls.isEmpty());
            AtomicInteger ran = new AtomicInteger();
            mely.colorAt(6).execute(ran::incrementAndGet);
            Await.until("the core goes on", () -> ran.get() == 1);
            mayEnd.countDown();
            Await.until("it ends", () -> mely.stats().run() == 2);
        }
        assertThat(stalls).hasSize(1);
        Stall stall = stalls.get(0);
        assertThat(stall.stage().name()).isEqualTo("waits");
        assertThat(stall.color().slot()).isEqualTo(5);
        assertThat(stall.core()).isZero();
        assertThat(stall.thread().getName()).startsWith("stall-0");
        assertThat(stall.elapsed()).isGreaterThanOrEqualTo(Duration.ofMillis(5));
        assertThat(stall.stack())
                .anySatisfy(frame -> assertThat(frame.getMethodName()).isEqualTo("waitsForTheTest"));
    }

    // Its core goes on without it, and falls asleep: somebody looks all the same.
    @Test
    void handlerWithoutItsCore_isNamed_whileAllCoresSleep() {
        try (Mely mely = Mely.builder()
                .name("stall")
                .cores(1)
                .stallAfter(Duration.ofMillis(300), stalls::add)
                .build()
                .start()) {
            Stage<String> stage = mely.stage("waits", this::waitsForTheTest);
            assertThat(stage.offer(mely.colorAt(5), "x")).isTrue();
            Await.until("it is told", () -> !stalls.isEmpty());
            mayEnd.countDown();
        }
        assertThat(stalls).hasSize(1);
    }

    @Test
    void listenerThatThrows_isLogged_andTheNextIsTold() {
        AtomicInteger told = new AtomicInteger();
        try (Mely mely = Mely.builder()
                .cores(1)
                .stallAfter(Duration.ofMillis(5), stall -> {
                    told.incrementAndGet();
                    throw new IllegalStateException("on purpose");
                })
                .build()
                .start()) {
            Stage<String> stage = mely.stage("waits", this::waitsForTheTest);
            assertThat(stage.offer(mely.colorAt(5), "x")).isTrue();
            assertThat(stage.offer(mely.colorAt(6), "x")).isTrue();
            Await.until("both are told", () -> told.get() == 2);
            mayEnd.countDown();
        }
    }

    @Test
    void zero_tellsNobody() {
        try (Mely mely = Mely.builder()
                .cores(1)
                .stallAfter(Duration.ZERO, stalls::add)
                .build()
                .start()) {
            mely.colorAt(1).execute(() -> {});
            Await.until("it has run", () -> mely.stats().run() == 1);
        }
        assertThat(stalls).isEmpty();
    }
}
