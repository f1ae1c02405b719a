// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.Color;
import io.mely.MelyStats;
import io.mely.MelyStats.CoreStats;
import io.mely.Policy;
import io.mely.Stealing;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Each stealing heuristic, and all together, on stages of set cost: the time of a round that begins with every color on the first core, or
 * on every second one. Beside it, summed over an iteration's rounds: steals, rescues, and of the events with a penalty those that ran elsewhere.
 *
 * <ul>
 *   <li>{@code short}: no event pays for a steal. Time-left should leave them, base takes them.
 *   <li>{@code long}: every event pays. All modes should share them.
 *   <li>{@code mixed}: one in fifty pays; it is what time-left should find.
 *   <li>{@code penalized}: of equal events half touch an array of the first core's and have a penalty; it is the others that
 *       penalty should take.
 *   <li>{@code neighbours}: long events on every second core, so that each idle core has a loaded neighbour. Locality decides nothing
 *       with two cores; it needs four or more, with caches of their own, and the set-up refuses fewer.
 * </ul>
 *
 * <p><b>Source.</b> spec: Mely §3.4-§3.7.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
@SuppressWarnings("NullAway.Init") // by the set-up methods
public class StealingModeBenchmark {
    private static final int SHORT_CYCLES = 100;
    private static final int LONG_CYCLES = 30_000;
    private static final int PENALTY = 1_000;
    private static final int ARRAY_LONGS = 8_192;
    private static final int NEIGHBOUR_CORES_MIN = 4;
    private static final int LIMIT_S = 30;

    private static final int SHORT = 1;
    private static final int LONG = 2;
    private static final int DEAR = 3;

    /** Of the runtime. */
    @Param({"off", "base", "timeleft", "penalty", "locality", "mely"})
    public String stealing;

    /** What a round is made of. */
    @Param({"short", "long", "mixed", "penalized"})
    public String stages;

    /** Of the runtime. */
    @Param("2")
    public int cores;

    private final Semaphore done = new Semaphore(0);
    private final Join join = new Join();
    private volatile @Nullable Throwable failure;
    private MelyColors mely;
    private Item[] items;
    private int rounds;

    /** What happened in all rounds of an iteration. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Counts {
        /** To divide the others by. */
        public long rounds;

        /** Colors taken. */
        public long steals;

        /** Of these, from a core that was stuck in one handler, whatever the heuristics say. */
        public long rescues;

        /** Events with a penalty that did not run where their data is. */
        public long dearAway;
    }

    /** Of an event that has not run yet. */
    private static final int NOWHERE = -1;

    private final class Item implements Runnable {
        private final int key;
        private final int kind;
        private final int cycles;
        private final long @Nullable [] array;
        private final Lane lane = new Lane();
        private int core = NOWHERE;
        private int dearAway;

        Item(int index, int kind) {
            key = index + 1;
            this.kind = kind;
            cycles = kind == SHORT ? SHORT_CYCLES : LONG_CYCLES;
            array = kind == DEAR ? new long[ARRAY_LONGS] : null;
        }

        @Override
        public void run() {
            try {
                lane.begin(rounds);
                long sum = Cycles.burn(key, cycles);
                long[] data = array;
                if (data != null) {
                    sum += touch(data);
                }
                lane.end(sum);
                core = Color.current().homeCore(); // not by thread: a core may have several
                if (join.arrive(key - 1)) {
                    done.release();
                }
            } catch (Throwable t) {
                failure = t;
                done.release();
            }
        }

        private long touch(long[] data) {
            long sum = 0;
            for (int i = 0; i < data.length; i += Long.BYTES) {
                sum += data[i]++;
            }
            return sum;
        }
    }

    /** Starts a runtime: one for each iteration, since it has fresh colors for a second or so of blind stealing. */
    @Setup(Level.Iteration)
    public void start() {
        rounds = 0;
        items = switch (stages) {
            case "short" -> items(2_000, i -> SHORT);
            case "long" -> items(200, i -> LONG);
            case "mixed" -> items(2_000, i -> i % 50 == 25 ? LONG : SHORT);
            case "penalized" -> items(200, i -> i % 2 == 0 ? DEAR : LONG);
            case "neighbours" -> items(200, i -> LONG);
            default -> throw new IllegalArgumentException("no such stages: stages=" + stages);
        };
        boolean isNeighbours = stages.equals("neighbours");
        if (isNeighbours && cores < NEIGHBOUR_CORES_MIN) {
            throw new IllegalArgumentException("neighbours needs 4 cores or more: cores=" + cores);
        }
        double nsPerCycle = Cycles.measureNs();
        long shortNs = Math.max(1, (long) (SHORT_CYCLES * nsPerCycle));
        long longNs = Math.max(1, (long) (LONG_CYCLES * nsPerCycle));
        mely = new MelyColors(
                new io.mely.bench.paper.Setup(
                        cores,
                        false,
                        items.length + 1,
                        key -> isNeighbours && key > 0 ? key * 2 % cores / 2 * 2 : 0,
                        true,
                        List.of(
                                Rounds.DRIVER,
                                new Kind("short", shortNs, 1),
                                new Kind("long", longNs, 1),
                                new Kind("dear", longNs, PENALTY)),
                        items.length + 1),
                Policy.colored(
                        switch (stealing) {
                            case "off" -> Stealing.off();
                            case "base" -> Stealing.base();
                            case "timeleft" -> new Stealing(true, false, true, false);
                            case "penalty" -> new Stealing(true, false, false, true);
                            case "locality" -> new Stealing(true, true, false, false);
                            case "mely" -> Stealing.mely();
                            default -> throw new IllegalArgumentException("no such mode: stealing=" + stealing);
                        }),
                stealing.equals("mely"));
    }

    private Item[] items(int count, java.util.function.IntUnaryOperator kind) {
        Item[] all = new Item[count];
        for (int i = 0; i < count; i++) {
            all[i] = new Item(i, kind.applyAsInt(i));
        }
        return all;
    }

    /** What was stolen comes home, while the clock stands. A fresh color's queue is still made by its first event, in the round. */
    @Setup(Level.Invocation)
    public void home() {
        mely.rehome(Rounds.DRIVER_KEY);
        for (Item item : items) {
            if (mely.rehome(item.key) == KeyedExecutor.Homing.STAYS) {
                throw new IllegalStateException("all fresh colors are used up: run shorter iterations");
            }
        }
    }

    /** On the first core: the round begins. */
    private void register() {
        int here = Color.current().homeCore();
        for (Item item : items) {
            if (item.core != NOWHERE && item.core != here) {
                item.dearAway += item.kind == DEAR ? 1 : 0;
            }
        }
        join.arm(items.length, 1);
        for (Item item : items) {
            mely.execute(item.key, item.kind, item);
        }
    }

    /** One round, from the driver's event to the end of the last. */
    @Benchmark
    public void round(Counts counts) throws InterruptedException {
        MelyStats before = mely.stats();
        mely.execute(Rounds.DRIVER_KEY, Rounds.DRIVER_KIND, () -> {
            try {
                register();
            } catch (Throwable t) {
                failure = t;
                done.release();
            }
        });
        if (!done.tryAcquire(LIMIT_S, TimeUnit.SECONDS)) {
            throw new IllegalStateException("an event is lost");
        }
        Throwable cause = failure;
        if (cause != null) {
            throw new IllegalStateException(cause);
        }
        rounds++;
        MelyStats after = mely.stats();
        counts.rounds++;
        counts.steals += after.steals() - before.steals();
        counts.rescues += rescues(after) - rescues(before);
        for (Item item : items) {
            counts.dearAway += item.dearAway;
            item.dearAway = 0;
        }
    }

    private static long rescues(MelyStats stats) {
        return stats.cores().stream().mapToLong(CoreStats::rescues).sum();
    }

    /** Checks that each event ran once a round, in order. */
    @TearDown(Level.Iteration)
    public void close() {
        mely.close();
        for (Item item : items) {
            item.lane.check(item.key, rounds);
        }
    }
}
