// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.mely.Await;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.spi.StageGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
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

    // Table 4.2 of the thesis, the row SEDA.
    @Test
    void poolsOfTheImageServer_areThoseOfTheThesis() {
        build(PoolPolicy.perStage(1)
                .withSize("decoder", PoolSize.fixed(3))
                .withSize("blurrer", PoolSize.fixed(2))
                .withSize("encoder", PoolSize.fixed(3)));
        List<Stage<CyclicBarrier>> stages = Stream.of("I/O", "form parser", "decoder", "blurrer", "encoder")
                .map(name -> meeting(name, IN_POOL))
                .toList();
        mely.start();
        int[] threads = {1, 1, 3, 2, 3};
        for (int i = 0; i < threads.length; i++) {
            meet(stages.get(i), threads[i]);
        }
        closes();
        assertThat(mely.stats().pools().threads()).isEqualTo(10);
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

    /** A pool that shrinks by one again and again: no two threads take themselves for that one, as then nobody would run what comes. */
    @Test
    void poolThatShrinks_keepsWhoeverIsWanted() throws Exception {
        PoolSize size = new PoolSize(2, 1, 2, Duration.ofDays(1));
        List<LanePool> made = new ArrayList<>();
        mely.close();
        mely = Mely.builder()
                .cores(1)
                .policy("pool", Policy.of("pool", workers -> new StageGroup() {
                    private final LanePool pool = new LanePool(workers, "lanes", size, null);

                    @Override
                    public Sink sink(Stage<?> stage) {
                        made.add(pool);
                        return pool;
                    }

                    @Override
                    public Visitor visitor(int core) {
                        return null;
                    }

                    @Override
                    public void start() {
                        pool.start();
                    }

                    @Override
                    public void stop() {
                        pool.stop();
                    }
                }))
                .build();
        AtomicInteger ran = new AtomicInteger();
        Stage<CyclicBarrier> meets =
                mely.stage("meets", IN_POOL, both -> both.await(Await.PATIENCE_S, TimeUnit.SECONDS));
        Stage<String> stage = mely.stage("s", IN_POOL, event -> ran.incrementAndGet());
        mely.start();
        LanePool pool = made.get(0);
        for (int round = 1; round <= 500; round++) {
            pool.resize(2);
            CyclicBarrier all = new CyclicBarrier(3);
            meets.send(all);
            meets.send(all);
            Await.until("both are in their handlers", () -> all.getNumberWaiting() == 2);
            pool.resize(1);
            stage.send("x");
            stage.send("y");
            all.await(Await.PATIENCE_S, TimeUnit.SECONDS); // both look for what is next
            int until = 2 * round;
            Await.until("one of them runs it", () -> ran.get() == until);
        }
        closes();
        assertThat(pool.threads()).isZero();
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
        for (int i = 0; i < 3; i++) {
            waits.send("x");
        }
        // nobody sends any more, and no handler ends
        Await.until("three threads wait in their handlers", () -> allAreIn.getCount() == 0);
        Await.until("all is run", () -> waits.stats().pending() == 0);
        Await.until(
                "those that are idle have left",
                () -> mely.graph().nodes().get(1).threads() == 1);
        waits.send("the last one runs it");
        closes();
        assertThat(most.get()).isEqualTo(3);
    }
}
