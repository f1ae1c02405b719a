// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.runtime.StealTable;
import io.mely.spi.NanoClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One successful steal, whatever is pending at the victim. Budget: 500 ns, constant from 10 to 100,000 events.
 *
 * <p>Each operation is a steal by the runtime's own thief and the linking of the loot into its own queue; {@link #pickAndLink} shows
 * what the second half costs. In {@link #betweenThreads} each of two threads steals what the other one linked, so that all lines are in the
 * victim's cache; {@link #handOver} shows what the taking of turns costs there. Needs two CPUs.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class StealBenchmark {
    static final int TURNS = 1_000;

    private static final NanoClock STOPPED = () -> 0;

    /** The state of all but the baseline. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // by the set-up methods
    public static class Table {
        private static final int FEW = 4;

        /** Events pending on each core. */
        @Param({"10", "1000", "100000"})
        public int pending;

        /** As many colors as events, or four. */
        @Param({"many", "few"})
        public String colors;

        /** What the thief reads to measure its steals: the system's clock, or one that costs nothing and stands still. */
        @Param("system")
        public String clock;

        private StealTable table;
        private int turn;

        /** Fills the cores. */
        @Setup
        public void fill() {
            NanoClock source = switch (clock) {
                case "system" -> NanoClock.SYSTEM;
                case "stopped" -> STOPPED;
                default -> throw new IllegalArgumentException("clock must be system or stopped: " + clock);
            };
            table = new StealTable(pending, colors.equals("few") ? FEW : pending, source);
        }

        /** Checks them. */
        @TearDown
        public void check() {
            table.check();
        }

        Object stealAndLink() {
            turn ^= 1;
            return table.stealAndLink(turn);
        }
    }

    /** Two threads that take turns. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // by the set-up methods
    public static class Pair {
        private final AtomicLong baton = new PaddedLong();
        private Runnable helperTurn;
        private Thread helper;
        private volatile boolean isOver;

        /** Starts the other thread; it does nothing until it is told what. */
        @Setup
        public void start() {
            helperTurn = () -> {};
            helper = new Thread(this::help, "helper");
            helper.setDaemon(true); // dies with a failed benchmark
            helper.start();
        }

        private void help() {
            while (!isOver) {
                if ((baton.getAcquire() & 1) == 0) {
                    Thread.onSpinWait();
                } else {
                    helperTurn.run();
                    baton.setRelease(baton.getPlain() + 1);
                }
            }
        }

        /** Lets each thread do its part, turn by turn. */
        void alternate(Runnable mine, Runnable helpers) {
            helperTurn = helpers;
            for (int i = 0; i < TURNS / 2; i++) {
                mine.run();
                long odd = baton.getPlain() + 1;
                baton.setRelease(odd);
                for (int spins = 1; baton.getAcquire() == odd; spins++) {
                    Thread.onSpinWait();
                    if (spins == 0) {
                        throw new IllegalStateException("the other thread is gone");
                    }
                }
            }
        }

        /** Ends the other thread. */
        @TearDown
        public void stop() throws InterruptedException {
            isOver = true;
            helper.join();
        }
    }

    /** A word with a cache line of its own on either side. */
    private static final class PaddedLong extends AtomicLong {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("unused")
        private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;
    }

    /** Both cores' lines in one cache. */
    @Benchmark
    public Object oneThread(Table state) {
        return state.stealAndLink();
    }

    /** An owner picks a color and links it again. */
    @Benchmark
    public int pickAndLink(Table state) {
        return state.table.pickAndLink(0);
    }

    /** Each thread steals from the other in turn. */
    @Benchmark
    @OperationsPerInvocation(TURNS)
    public void betweenThreads(Pair pair, Table state) {
        StealTable table = state.table;
        pair.alternate(() -> table.stealAndLink(0), () -> table.stealAndLink(1));
    }

    /** Each thread does nothing in turn. */
    @Benchmark
    @OperationsPerInvocation(TURNS)
    public void handOver(Pair pair) {
        pair.alternate(() -> {}, () -> {});
    }
}
