// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * <i>unbalanced</i>: a round registers many events of different colors on the first core; 98 % are short, 2 % long.
 *
 * <p><b>Source.</b> spec: Mely §6.1.
 */
final class Unbalanced extends Rounds {
    private static final int SHORT_KIND = 1;
    private static final int LONG_KIND = 2;

    /**
     * What the paper gives, and what it leaves open.
     *
     * @param colors of a round
     * @param eventsPerColor 1 in the paper; more to make order within a color visible
     * @param shortCycles of a short event
     * @param longCyclesMin least of a long event, evenly spread
     * @param longCyclesMax most of a long event
     * @param longOf one event in so many is long; 0 for none
     * @param homes workers that colors are dealt to, the short ones in turn, each long one where the least long work is; 1 in the paper
     */
    record Options(
            int colors,
            int eventsPerColor,
            int shortCycles,
            int longCyclesMin,
            int longCyclesMax,
            int longOf,
            int homes) {
        static Options paper() {
            return new Options(50_000, 1, 100, 10_000, 50_000, 50, 1);
        }

        Options withColors(int count) {
            return new Options(count, eventsPerColor, shortCycles, longCyclesMin, longCyclesMax, longOf, homes);
        }

        Options withEventsPerColor(int count) {
            return new Options(colors, count, shortCycles, longCyclesMin, longCyclesMax, longOf, homes);
        }

        Options withHomes(int count) {
            return new Options(colors, eventsPerColor, shortCycles, longCyclesMin, longCyclesMax, longOf, count);
        }

        Options withoutLong() {
            return new Options(colors, eventsPerColor, shortCycles, longCyclesMin, longCyclesMax, 0, homes);
        }
    }

    private final Options options;
    private final Load[] loads;
    private final int[] homes;
    private final Join join = new Join();
    private final double nsPerCycle = Cycles.measureNs();
    private @Nullable Thread homeThread;

    Unbalanced(Options options) {
        this.options = options;
        loads = new Load[options.colors()];
        // The same loads in every run.
        SplittableRandom random = new SplittableRandom(1);
        long[] longCyclesAt = new long[options.homes()];
        int[] longCycles = new int[loads.length];
        homes = new int[loads.length];
        int shorts = 0;
        for (int i = 0; i < loads.length; i++) {
            if (options.longOf() > 0 && i % options.longOf() == options.longOf() / 2) {
                longCycles[i] = random.nextInt(options.longCyclesMin(), options.longCyclesMax() + 1);
                // Not by turns: the same rhythm as that of the long ones would put all of them at one home.
                homes[i] = least(longCyclesAt);
                longCyclesAt[homes[i]] += longCycles[i];
            } else {
                homes[i] = shorts++ % options.homes();
            }
        }
        int[] seats = seats(homes, options.homes());
        // Home by home, so that workers share no cache line of loads that have nothing to do with each other.
        for (int home = 0; home < options.homes(); home++) {
            for (int i = 0; i < loads.length; i++) {
                if (homes[i] == home) {
                    loads[i] = longCycles[i] > 0
                            ? new Load(i + 1, LONG_KIND, longCycles[i], seats[i])
                            : new Load(i + 1, SHORT_KIND, options.shortCycles(), seats[i]);
                }
            }
        }
    }

    /** In the join: each home's by turns, so that homes do not share its shards; those beyond a home's share on what is left. */
    private static int[] seats(int[] homes, int count) {
        int[] next = IntStream.range(0, count).toArray();
        int[] seats = new int[homes.length];
        BitSet taken = new BitSet(homes.length);
        for (int i = 0; i < homes.length; i++) {
            seats[i] = next[homes[i]];
            next[homes[i]] += count;
            taken.set(seats[i]);
        }
        for (int i = 0; i < homes.length; i++) {
            if (seats[i] >= homes.length) {
                seats[i] = taken.nextClearBit(0);
                taken.set(seats[i]);
            }
        }
        return seats;
    }

    private static int least(long[] values) {
        int least = 0;
        for (int i = 1; i < values.length; i++) {
            if (values[i] < values[least]) {
                least = i;
            }
        }
        return least;
    }

    /**
     * The event of a color and its color's books, in one object of 56 bytes: 50,000 of them are most of what a round touches, and no contender's doing. Hence small
     * fields, and no {@link Event}.
     */
    private final class Load extends Lane implements Runnable {
        private final int key;
        private final byte kind;
        private final int cycles;
        /** In the join. */
        private final int seat;

        private int runsAway;
        /** Of the thread that ran its last event; 0 after its key was brought home. A number: a reference stored costs a barrier. */
        private int threadId;

        private boolean hasMoved;

        Load(int key, int kind, int cycles, int seat) {
            this.key = key;
            this.kind = (byte) kind;
            this.cycles = cycles;
            this.seat = seat;
        }

        /** As the only event of its color in a round, the next. */
        @Override
        public void run() {
            run(ran());
        }

        void run(int number) {
            try {
                handle(number);
            } catch (Throwable t) {
                fail(t);
            }
        }

        private void handle(int number) {
            begin(number);
            end(Cycles.burn(sum(), cycles));
            Thread now = Thread.currentThread();
            if (now != homeThread) {
                runsAway++;
            }
            int id = (int) now.getId();
            if (id != threadId) {
                threadId = id;
                hasMoved = true;
            }
            if (join.arrive(seat)) {
                roundDone();
            }
        }
    }

    /** One of several events of a color in a round, told apart by its number. */
    private record Numbered(Load load, int number) implements Runnable {
        @Override
        public void run() {
            load.run(number);
        }
    }

    @Override
    int keys() {
        return loads.length + 1;
    }

    @Override
    List<Kind> kinds() {
        int longCycles = (options.longCyclesMin() + options.longCyclesMax()) / 2;
        return List.of(
                DRIVER,
                new Kind("short", Math.max(1, (long) (options.shortCycles() * nsPerCycle)), 1),
                new Kind("long", Math.max(1, (long) (longCycles * nsPerCycle)), 1));
    }

    @Override
    int home(int key) {
        return key == DRIVER_KEY ? 0 : homes[key - 1];
    }

    /** Cycles of a round's events of one kind that are registered at each home. */
    long[] cyclesAtHomes(boolean isLong) {
        long[] cycles = new long[options.homes()];
        for (Load load : loads) {
            if ((load.kind == LONG_KIND) == isLong) {
                cycles[home(load.key)] += (long) load.cycles * options.eventsPerColor();
            }
        }
        return cycles;
    }

    @Override
    int pendingMax() {
        return 1 + eventsPerRound();
    }

    @Override
    int eventsPerRound() {
        return loads.length * options.eventsPerColor();
    }

    @Override
    void goHome() {
        for (Load load : loads) {
            if (load.hasMoved) {
                load.hasMoved = false;
                if (goHome(load.key)) {
                    load.threadId = 0;
                }
            }
        }
    }

    @Override
    void register(int round) {
        if (executor().isOnFirstWorker()) {
            homeThread = Thread.currentThread();
        }
        int perColor = options.eventsPerColor();
        join.arm(loads.length, perColor);
        KeyedExecutor executor = executor();
        for (Load load : loads) {
            if (perColor == 1) {
                executor.execute(load.key, load.kind, load);
                continue;
            }
            for (int i = 0; i < perColor; i++) {
                executor.execute(load.key, load.kind, new Numbered(load, round * perColor + i));
            }
        }
    }

    @Override
    double bareNsPerEvent() {
        double least = Double.MAX_VALUE;
        long x = 1;
        for (int i = 0; i < BARE_TRIES; i++) {
            long startNs = System.nanoTime();
            for (Load load : loads) {
                x = Cycles.burn(x, load.cycles);
            }
            least = Math.min(least, (double) (System.nanoTime() - startNs) / loads.length);
        }
        return x == 0 ? 1 : least;
    }

    @Override
    void check(int roundsRun) {
        int expected = roundsRun * options.eventsPerColor();
        for (Load load : loads) {
            load.check(load.key, expected);
        }
        for (int i = 0; i < loads.length; i += Math.max(1, loads.length / 64)) {
            Load load = loads[i];
            long sum = 0;
            for (int n = 0; n < expected; n++) {
                sum = sum * 31 + Cycles.burn(sum, load.cycles);
            }
            if (sum != load.sum()) {
                throw new CheckFailedException("key " + load.key + ": wrong checksum");
            }
        }
    }

    @Override
    long awayCyclesOfAllRounds() {
        if (options.homes() > 1) {
            return -1; // what runs elsewhere than on the first worker is at home there
        }
        long sum = 0;
        for (Load load : loads) {
            sum += (long) load.runsAway * load.cycles;
        }
        return sum;
    }
}
