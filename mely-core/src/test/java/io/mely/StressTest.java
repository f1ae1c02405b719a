// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Invariants 1 to 4 and 6 under load: random colors, priorities, penalties, throwing handlers, timers, blocking calls, outside senders, on
 * more cores than CPUs, and a close in mid-load. Each color's state is plain memory, touched by its handlers alone: an overlap, a lost
 * write or a swapped order shows as a wrong figure there. The books must close to the last event.
 *
 * <p>{@code -Dmely.stress.events=N} sets the size, {@code -Dmely.stress.seed=N} the seed.
 */
@Tag("stress")
class StressTest {
    private static final int COLORS = 256;
    private static final int OUTSIDE = 3;
    private static final long EVENTS = Long.getLong("mely.stress.events", 100_000_000L);
    private static final long SEED = Long.getLong("mely.stress.seed", System.nanoTime());
    private static final int PATIENCE_S = 300;

    /** One event: who sent it, and its number among those of this sender to this color. */
    private record Numbered(int from, int to, int number) {}

    /** The state of one color: plain on purpose. */
    private static final class Lane {
        final int[] received;
        final int[] sent = new int[COLORS];
        boolean isRunning;
        long runs;
        long budget;
        long timersRun;
        long random;

        Lane(long seed) {
            received = new int[COLORS + OUTSIDE];
            random = seed * 0x9E3779B97F4A7C15L + 1;
        }

        int next(int bound) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            return (int) ((random >>> 33) % bound);
        }
    }

    private static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1L;
        static final Planned INSTANCE = new Planned();

        Planned() {
            super("planned", null, false, false);
        }
    }

    /** One runtime under load, and what is known about it from outside. */
    private static final class Load {
        final Lane[] lanes = new Lane[COLORS];
        final Color[] colors = new Color[COLORS];
        final List<Stage<Numbered>> stages = new ArrayList<>();
        final AtomicReference<String> violation = new AtomicReference<>();
        final AtomicLong thrown = new AtomicLong();
        final AtomicLong reported = new AtomicLong();
        final AtomicLong timersSet = new AtomicLong();
        final AtomicLong timersCancelled = new AtomicLong();
        final AtomicLong blockingDone = new AtomicLong();
        final AtomicLong blockingAsked = new AtomicLong();
        final AtomicLong singleOverlap = new AtomicLong();
        long singleRuns; // in the single-threaded stage's color
        final AtomicInteger insideSingle = new AtomicInteger();
        final Stage<Integer> timed;
        final Stage<Integer> single;
        final Mely mely;

        Load(MelyBuilder builder, long events) {
            mely = builder.errorHandler(failure -> {
                        if (failure.cause() instanceof Planned) {
                            reported.incrementAndGet();
                        } else {
                            fail("unexpected: " + failure.cause());
                        }
                    })
                    .build();
            for (int i = 0; i < COLORS; i++) {
                lanes[i] = new Lane(SEED + i);
                lanes[i].budget = events / COLORS;
                colors[i] = mely.colorAt(1 + i);
            }
            int[] priorities = {3, 0, 7, 5};
            for (int i = 0; i < priorities.length; i++) {
                StageOptions options =
                        StageOptions.defaults().withPriority(priorities[i]).withPenalty(1 + 10 * i);
                stages.add(mely.stage(
                        "s" + i, i == 2 ? options.withProcessingTime(Duration.ofNanos(900)) : options, this::run));
            }
            timed = mely.stage("timed", lane -> runTimed(lanes[lane]));
            single = mely.stage("single", StageOptions.defaults().asSingleThreaded(), lane -> {
                if (insideSingle.incrementAndGet() != 1) {
                    singleOverlap.incrementAndGet();
                }
                singleRuns++;
                insideSingle.decrementAndGet();
            });
        }

        void fail(String what) {
            violation.compareAndSet(null, what);
        }

        private void enter(Lane lane) {
            if (lane.isRunning) {
                fail("invariant 1: two handlers in one color");
            }
            lane.isRunning = true;
            lane.runs++;
        }

        private void runTimed(Lane lane) {
            enter(lane);
            lane.timersRun++;
            lane.isRunning = false;
        }

        private void run(Numbered event) {
            Lane lane = lanes[event.to()];
            enter(lane);
            if (lane.received[event.from()] != event.number()) {
                fail("invariant 2: " + event + " after " + lane.received[event.from()]);
            }
            lane.received[event.from()]++;
            int dice = lane.next(10_000);
            if (lane.budget > 0) {
                follow(event.to(), lane, dice);
            }
            lane.isRunning = false;
            if (dice < 10) {
                thrown.incrementAndGet();
                throw Planned.INSTANCE;
            }
        }

        private void follow(int me, Lane lane, int dice) {
            lane.budget--;
            send(me, lane, dice < 3_000 ? me : dice < 4_000 ? lane.next(4) : lane.next(COLORS));
            if (dice == 9_999) {
                work(lane);
            } else if (dice == 9_998) {
                setTimer(me, lane);
            } else if (dice == 9_997) {
                single.offer(me);
            } else if (dice == 9_996 && lane.next(20) == 0) {
                blockingAsked.incrementAndGet();
                mely.blocking(() -> 1).whenComplete((one, e) -> blockingDone.incrementAndGet());
            }
        }

        private void send(int me, Lane lane, int to) {
            Stage<Numbered> stage = stages.get(lane.next(stages.size()));
            if (stage.offer(colors[to], new Numbered(me, to, lane.sent[to]))) {
                lane.sent[to]++;
            }
        }

        private void setTimer(int me, Lane lane) {
            timersSet.incrementAndGet();
            Timer timer = colors[me].schedule(Duration.ofNanos(lane.next(2_000_000)), timed, me);
            if (lane.next(4) == 0 && timer.cancel()) {
                timersCancelled.incrementAndGet();
            }
        }

        private static void work(Lane lane) {
            int rounds = 20_000 + lane.next(20_000);
            for (int i = 0; i < rounds; i++) {
                lane.next(2);
            }
        }

        /** Outside senders: each its own number, some events to each of a few colors, until told to stop. */
        List<Thread> startOutside(AtomicInteger stop, AtomicLong accepted, AtomicLong refused) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < OUTSIDE; i++) {
                int from = COLORS + i;
                Thread thread = new Thread(() -> sendOutside(from, stop, accepted, refused), "outside-" + i);
                threads.add(thread);
                thread.start();
            }
            return threads;
        }

        private void sendOutside(int from, AtomicInteger stop, AtomicLong accepted, AtomicLong refused) {
            Lane dice = new Lane(SEED - from);
            int[] sent = new int[COLORS];
            int turns = 0;
            while (stop.get() == 0) {
                int to = dice.next(COLORS);
                if (stages.get(dice.next(stages.size())).offer(colors[to], new Numbered(from, to, sent[to]))) {
                    sent[to]++;
                    accepted.incrementAndGet();
                } else {
                    refused.incrementAndGet();
                }
                while ((++turns & 255) == 0 && mely.stats().pending() > 20_000 && stop.get() == 0) {
                    turns--;
                    LockSupport.parkNanos(50_000);
                }
            }
        }

        long laneRuns() {
            long sum = singleRuns;
            for (Lane lane : lanes) {
                sum += lane.runs;
            }
            return sum;
        }
    }

    @Test
    void manyEvents_keepTheInvariantsAndTheBooks() throws Exception {
        System.out.println("StressTest: -Dmely.stress.seed=" + SEED + " -Dmely.stress.events=" + EVENTS);
        Load load = new Load(Mely.builder().cores(4).pinned(false), EVENTS - EVENTS / 50);
        load.mely.start();
        AtomicInteger stop = new AtomicInteger();
        AtomicLong accepted = new AtomicLong();
        AtomicLong refused = new AtomicLong();
        List<Thread> outside = load.startOutside(stop, accepted, refused);
        CountDownLatch reached = new CountDownLatch(1);
        Thread watch = new Thread(() -> {
            while (load.mely.stats().run() < EVENTS && load.violation.get() == null) {
                LockSupport.parkNanos(1_000_000);
            }
            reached.countDown();
        });
        watch.start();
        assertThat(reached.await(PATIENCE_S, TimeUnit.SECONDS))
                .as("progress: %s", load.mely.stats())
                .isTrue();
        stop.set(1);
        for (Thread thread : outside) {
            thread.join();
        }
        Mely.CloseReport report = load.mely.close(Duration.ofSeconds(60));
        MelyStats stats = load.mely.stats();
        System.out.println("StressTest: " + report + " " + stats);

        assertThat(load.violation.get()).isNull();
        assertThat(report.isDrained()).isTrue();
        assertThat(stats.run()).isGreaterThanOrEqualTo(EVENTS);
        assertThat(stats.sent()).as("invariant 3").isEqualTo(stats.run() + stats.refused());
        assertThat(stats.discarded()).isZero();
        assertThat(load.laneRuns() + load.blockingDone.get())
                .as("invariants 1 and 4")
                .isEqualTo(stats.run());
        assertThat(load.blockingDone).hasValue(load.blockingAsked.get());
        assertThat(load.singleOverlap).hasValue(0);
        assertThat(load.reported).hasValue(load.thrown.get());
        assertThat(stats.cores().stream().mapToLong(MelyStats.CoreStats::failed).sum())
                .isEqualTo(load.thrown.get());
        long timersRun = 0;
        for (Lane lane : load.lanes) {
            timersRun += lane.timersRun;
        }
        assertThat(timersRun + load.timersCancelled.get() + report.droppedTimers())
                .isEqualTo(load.timersSet.get());
        assertThat(stats.steals()).as("the load makes thieves work").isPositive();
    }

    @ParameterizedTest
    @CsvSource({"1,mely", "2,mely", "3,base", "4,mely", "2,off"})
    void closeInMidLoad_closesTheBooks(int cores, String stealing) throws Exception {
        Stealing setting = switch (stealing) {
            case "off" -> Stealing.off();
            case "base" -> Stealing.base();
            default -> Stealing.mely();
        };
        for (int round = 0; round < 20; round++) {
            Load load = new Load(
                    Mely.builder()
                            .cores(cores)
                            .pinned(false)
                            .policy(Policy.colored(setting))
                            .pendingEventsMax(200_000),
                    1_000_000_000);
            load.mely.start();
            AtomicInteger stop = new AtomicInteger();
            AtomicLong accepted = new AtomicLong();
            AtomicLong refused = new AtomicLong();
            List<Thread> outside = load.startOutside(stop, accepted, refused);
            long until = 2_000L * round;
            while (load.mely.stats().run() < until) {
                Thread.onSpinWait();
            }
            boolean isAbrupt = round % 2 == 0;
            if (!isAbrupt) {
                for (Lane lane : load.lanes) {
                    lane.budget = 0; // a racy write is fine here: it only ends the chains sooner
                }
            }
            Mely.CloseReport report = load.mely.close(isAbrupt ? Duration.ZERO : Duration.ofSeconds(30));
            stop.set(1);
            for (Thread thread : outside) {
                thread.join();
            }
            MelyStats stats = load.mely.stats();
            assertThat(load.violation.get()).isNull();
            assertThat(stats.sent())
                    .as("invariant 3: %s", stats)
                    .isEqualTo(stats.run() + stats.refused() + stats.discarded());
            if (!isAbrupt) {
                assertThat(report.isDrained()).as("drained: %s", stats).isTrue();
                assertThat(report.discardedEvents()).isZero();
            }
            assertThat(refused.get()).isLessThanOrEqualTo(stats.refusedOutside());
            assertThat(load.laneRuns() + load.blockingDone.get()).isGreaterThanOrEqualTo(stats.run());
            assertThat(report.discardedEvents())
                    .as("a refusal under way in each outside thread may count")
                    .isBetween(stats.discarded(), stats.discarded() + OUTSIDE);
        }
    }
}
