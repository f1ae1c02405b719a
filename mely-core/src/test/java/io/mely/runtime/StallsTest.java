// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Await;
import io.mely.Mely;
import io.mely.MelyStats;
import io.mely.Policy;
import io.mely.StallListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

// Looks at times that the test chooses: a handler's time counts from the first look that finds it, whatever the clock
// began with.
class StallsTest {
    private static final long AFTER_NS = 1_000;
    private static final long FIRST_NS = 1L << 50;

    private final List<StallListener.Stall> told = new ArrayList<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final CountDownLatch isInside = new CountDownLatch(1);
    private MelyRuntime runtime;
    private Stalls stalls;

    @BeforeEach
    void start() throws InterruptedException {
        Mely mely = Mely.builder()
                .name("stalls")
                .cores(1)
                .policy(Policy.colored().withThreadsPerCore(1))
                .stallAfter(Duration.ZERO, stall -> {}) // the test looks
                .build()
                .start();
        runtime = Hooks.runtime(mely);
        stalls = new Stalls(runtime, new Core[] {runtime.core(0)}, AFTER_NS, told::add);
        mely.stage("waits", event -> {
                    isInside.countDown();
                    assertThat(mayEnd.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
                })
                .send(runtime.colorAt(1), "x");
        assertThat(isInside.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
    }

    @AfterEach
    void close() {
        mayEnd.countDown();
        runtime.close();
    }

    @Test
    void handler_isToldOnce_afterItsTime() {
        stalls.look(FIRST_NS);
        stalls.look(FIRST_NS + AFTER_NS - 1);
        assertThat(told).isEmpty();
        stalls.look(FIRST_NS + AFTER_NS);
        assertThat(told).hasSize(1);
        assertThat(told.get(0).elapsed()).isEqualTo(Duration.ofNanos(AFTER_NS));
        stalls.look(FIRST_NS + 100 * AFTER_NS);
        assertThat(told).hasSize(1);
    }

    @Test
    void stats_haveWhatWasTold() {
        assertThat(stalls.stats()).isEqualTo(MelyStats.StallStats.NONE);
        long nowNs = runtime.config().hooks().clock().nanoTime();
        stalls.look(nowNs);
        stalls.look(nowNs + AFTER_NS);
        MelyStats.StallStats stats = stalls.stats();
        assertThat(stats.told()).isEqualTo(1);
        assertThat(stats.last())
                .singleElement()
                .satisfies(past -> assertThat(past.stall()).isEqualTo(told.get(0)));
    }

    @Test
    void stats_keepTheLastEight() {
        long nowNs = FIRST_NS;
        for (int i = 0; i < 10; i++) { // looks forget that it was told
            runtime.core(0).worker().stallRan = -1;
            stalls.look(nowNs);
            nowNs += AFTER_NS * (i + 1);
            stalls.look(nowNs);
        }
        MelyStats.StallStats stats = stalls.stats();
        assertThat(stats.told()).isEqualTo(10);
        assertThat(stats.last())
                .extracting(past -> past.stall().elapsed().toNanos())
                .containsExactly(3_000L, 4_000L, 5_000L, 6_000L, 7_000L, 8_000L, 9_000L, 10_000L);
    }

    @Test
    void nextHandler_beginsAnew() {
        stalls.look(FIRST_NS);
        mayEnd.countDown();
        Await.until("it has ended", () -> runtime.stats().run() == 1);
        stalls.look(FIRST_NS + AFTER_NS);
        stalls.look(FIRST_NS + 3 * AFTER_NS);
        assertThat(told).isEmpty();
    }
}
