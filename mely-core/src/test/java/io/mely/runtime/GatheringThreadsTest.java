// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Await;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.spi.Poller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

// On threads: colors that cores take from each other all the time keep what colors promise.
class GatheringThreadsTest {
    private static final StageOptions SHORT = StageOptions.defaults().withProcessingTime(Duration.ofNanos(50));

    private static final int POKES_AT_ONCE = 100;

    private static final class Walker {
        final int number;
        int hops;
        int at;

        Walker(int number) {
            this.number = number;
        }
    }

    /** Parks, and takes other cores' colors again and again between two turns, whether that pays or not. */
    private static final class GreedyPoller implements Poller {
        private final Core core;
        private final ParkingPoller parking;
        private final SplittableRandom random;

        GreedyPoller(Seat seat) {
            core = (Core) seat;
            parking = new ParkingPoller(seat);
            random = new SplittableRandom(seat.core());
        }

        @Override
        public void start() {
            parking.start();
        }

        @Override
        public int poll() {
            int other = random.nextInt(3);
            boolean isDue = other != core.core() && random.nextInt(8) == 0;
            return isDue ? core.gathering().takeIn(other, 1 + random.nextInt(40)) : 0;
        }

        @Override
        public int block(long timeoutNs) {
            return parking.block(timeoutNs);
        }

        @Override
        public void wakeup() {
            parking.wakeup();
        }
    }

    // Each color is one thread's at a time, its events are in order, and none is lost.
    @Test
    void coresThatTalk_whileColorsMove_keepTheOrder() throws Exception {
        int colors = 64;
        int walkers = 200;
        int hops = 20_000;
        // Of each color, at least: on until each core has taken enough, as one may have no CPU for long.
        int pokes = 20_000;
        long patienceEndsNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(Await.PATIENCE_S);
        AtomicIntegerArray isInside = new AtomicIntegerArray(colors);
        int[] poked = new int[colors]; // each written in its color
        AtomicInteger pokesRun = new AtomicInteger();
        CountDownLatch over = new CountDownLatch(walkers);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (Mely mely = Mely.builder()
                .cores(3)
                .pinned(false)
                .pollers(GreedyPoller::new)
                .errorHandler(failure -> thrown.set(failure.cause()))
                .build()) {
            List<Stage<Walker>> walk = new ArrayList<>();
            walk.add(mely.stage("walk", SHORT, walker -> {
                assertThat(isInside.getAndSet(walker.at, 1)).isZero();
                int here = walker.at;
                if (++walker.hops == hops) {
                    over.countDown();
                } else {
                    walker.at = (walker.at * 5 + walker.number * 7 + walker.hops) % colors;
                    walk.get(0).send(mely.colorAt(1 + walker.at), walker);
                }
                isInside.set(here, 0);
            }));
            Stage<Integer> poke = mely.stage("poke", SHORT, number -> {
                int color = number % colors;
                assertThat(isInside.getAndSet(color, 1)).isZero();
                assertThat(poked[color]++).isEqualTo(number / colors);
                pokesRun.incrementAndGet();
                isInside.set(color, 0);
            });
            mely.start();
            for (int i = 0; i < walkers; i++) {
                Walker walker = new Walker(i);
                walker.at = i % colors;
                walk.get(0).send(mely.colorAt(1 + walker.at), walker);
            }
            int sent = 0;
            while (sent < pokes * colors || !haveAllTaken(mely)) {
                assertThat(System.nanoTime() - patienceEndsNs).isNegative();
                for (int i = 0; i < POKES_AT_ONCE * colors; i++) {
                    assertThat(poke.send(mely.colorAt(1 + sent % colors), sent)).isTrue();
                    sent++;
                }
                int due = sent < pokes * colors ? 0 : sent;
                Await.until("the pokes have run", () -> pokesRun.get() >= due);
            }
            assertThat(over.await(Await.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            assertThat(mely.close(Duration.ofSeconds(Await.PATIENCE_S)).discardedEvents())
                    .isZero();
            assertThat(thrown.get()).isNull();
            assertThat(mely.stats().run()).isEqualTo((long) walkers * hops + sent);
            assertThat(poked).containsOnly(sent / colors);
        }
    }

    private static boolean haveAllTaken(Mely mely) {
        return mely.stats().cores().stream().allMatch(core -> core.gathered() > 100);
    }
}
