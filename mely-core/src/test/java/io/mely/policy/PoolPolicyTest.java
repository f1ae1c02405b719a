// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.mely.Await;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// Pools of threads, whose handlers wait: spec stages §3, and §15 check 9.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PoolPolicyTest {
    private static final StageOptions IN_POOL = StageOptions.defaults().withGroup("pool");

    private Mely mely = Mely.builder().cores(1).build();

    private void build(PoolPolicy policy) {
        mely.close();
        mely = Mely.builder().cores(1).policy("pool", Policy.of("pool", policy)).build();
    }

    private void closes() {
        assertThat(mely.close(Duration.ofSeconds(Await.PATIENCE_S)).isDrained()).isTrue();
    }

    @AfterEach
    void close() {
        mely.close();
    }

    /** All threads of a pool meet; they wait for each other in their handlers. Returns their names. */
    private Set<String> meet(Stage<CyclicBarrier> stage, int threads) {
        CyclicBarrier barrier = new CyclicBarrier(threads);
        for (int i = 0; i < threads; i++) {
            stage.send(barrier);
        }
        return met;
    }

    private final Set<String> met = ConcurrentHashMap.newKeySet();

    private Stage<CyclicBarrier> meeting(String name, StageOptions options) {
        return mely.stage(name, options, barrier -> {
            barrier.await(Await.PATIENCE_S, TimeUnit.SECONDS);
            met.add(Thread.currentThread().getName());
        });
    }

    @Test
    void eachStage_hasThreadsOfItsOwn_alsoOneThatIsMadeLater() {
        build(PoolPolicy.perStage(2).withSize("larger", PoolSize.fixed(3)));
        Stage<CyclicBarrier> one = meeting("one", IN_POOL);
        Stage<CyclicBarrier> larger = meeting("larger", IN_POOL);
        mely.start();
        Stage<CyclicBarrier> later = meeting("later", IN_POOL);
        meet(one, 2);
        meet(larger, 3);
        meet(later, 2);
        closes();
        assertThat(met).hasSize(7);
        assertThat(mely.stats().pools().threads()).isEqualTo(7);
    }

    @Test
    void sharedPool_runsAllStages() {
        build(PoolPolicy.shared(2));
        Stage<CyclicBarrier> one = meeting("one", IN_POOL);
        Stage<CyclicBarrier> other = meeting("other", IN_POOL);
        mely.start();
        CyclicBarrier barrier = new CyclicBarrier(2);
        one.send(barrier);
        other.send(barrier);
        closes();
        assertThat(met).hasSize(2);
        assertThatIllegalStateException().isThrownBy(() -> PoolPolicy.shared(2).withSize("one", PoolSize.fixed(1)));
    }

    @Test
    void singleThreadedStage_hasOneThread() {
        build(PoolPolicy.perStage(4));
        mely.stage("single", IN_POOL.asSingleThreaded(), event -> {});
        mely.start();
        closes();
        assertThat(mely.stats().pools().threads()).isEqualTo(1);
    }

    @Test
    void handlersThatWait_doNotHoldUpTheCores() {
        build(PoolPolicy.perStage(1));
        CountDownLatch coreHasRun = new CountDownLatch(1);
        Stage<String> waits = mely.stage(
                "waits",
                IN_POOL,
                event -> assertThat(coreHasRun.await(Await.PATIENCE_S, TimeUnit.SECONDS))
                        .isTrue());
        mely.start();
        waits.send("x");
        mely.color(1).execute(coreHasRun::countDown);
        closes();
        assertThat(mely.stats().failed()).isZero();
    }

    @Test
    void controller_addsThreads_andIdleOnesLeave() {
        PoolSize size = new PoolSize(1, 1, 3, Duration.ofNanos(1_000_000));
        build(PoolPolicy.perStage(size).withTuning(new PoolTuning(Duration.ofNanos(1_000), 1, false)));
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch allAreIn = new CountDownLatch(3);
        Stage<String> waits = mely.stage("waits", IN_POOL, event -> {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            allAreIn.countDown();
            allAreIn.await(Await.PATIENCE_S, TimeUnit.SECONDS);
            inside.decrementAndGet();
        });
        mely.start();
        Await.until("three threads wait in their handlers", () -> {
            waits.send("x"); // each looks whether a period is over
            return allAreIn.getCount() == 0;
        });
        Await.until("all is run", () -> waits.stats().pending() == 0);
        Await.until(
                "those that are idle have left",
                () -> mely.graph().nodes().get(1).threads() == 1);
        waits.send("the last one runs it");
        closes();
        assertThat(most.get()).isEqualTo(3);
    }
}
