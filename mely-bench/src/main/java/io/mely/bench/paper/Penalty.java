// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * <i>penalty</i>: many A events of different colors on the first core; each makes an array that fits the cache and starts a chain of B
 * events of its color, each of which touches the next part of the array.
 *
 * <p><b>Source.</b> spec: Mely §6.2.
 */
final class Penalty extends Rounds {
    private static final int A_KIND = 1;
    private static final int B_KIND = 2;
    /** Of B, as in the paper. */
    private static final int B_PENALTY = 1_000;

    /** In the nearest cache. */
    private static final int NEAR_BYTES = 16 << 10;

    private static final int NEAR_TIMES = 500;

    /**
     * What the paper leaves open.
     *
     * @param colors A events of a round
     * @param arrayBytes fits a core's cache; all together should not
     * @param partBytes touched by one B
     * @param isKept true if a color has the same array in each round; else it makes a new one, on the collected heap
     */
    record Options(int colors, int arrayBytes, int partBytes, boolean isKept) {
        static Options paper() {
            return new Options(256, 256 << 10, 4 << 10, false);
        }

        int parts() {
            return arrayBytes / partBytes;
        }
    }

    private final Options options;
    private final Chain[] chains;
    private final Join join = new Join();
    private long nearSum; // so that the compiler leaves nothing out

    Penalty(Options options) {
        this.options = options;
        chains = new Chain[options.colors()];
        for (int i = 0; i < chains.length; i++) {
            chains[i] = new Chain(i + 1);
        }
    }

    /** A color: its A event, its B event, its array. */
    private final class Chain {
        final int key;
        final Lane lane = new Lane();
        final Event a = new A(this);
        final Event b = new B(this);
        long @Nullable [] array;
        int sent;
        int part;

        Chain(int key) {
            this.key = key;
        }
    }

    private final class A extends Event {
        private final Chain chain;

        A(Chain chain) {
            this.chain = chain;
        }

        @Override
        void handle() {
            chain.lane.begin(chain.sent++);
            long[] kept = chain.array;
            chain.array = fill(kept != null ? kept : create(options.arrayBytes()), chain.key);
            chain.part = 0;
            chain.lane.end(chain.key);
            executor().execute(chain.key, B_KIND, chain.b);
        }
    }

    private final class B extends Event {
        private final Chain chain;

        B(Chain chain) {
            this.chain = chain;
        }

        @Override
        void handle() {
            long[] array = chain.array;
            if (array == null) {
                throw new CheckFailedException("key " + chain.key + ": a B ran before its A");
            }
            chain.lane.begin(chain.sent++);
            int part = chain.part++;
            chain.lane.end(touch(array, part, options.partBytes()));
            if (part + 1 < options.parts()) {
                executor().execute(chain.key, B_KIND, this);
                return;
            }
            if (!options.isKept()) {
                chain.array = null;
            }
            if (join.arrive(chain.key - 1)) {
                roundDone();
            }
        }
    }

    private static long[] create(int bytes) {
        return new long[bytes / Long.BYTES];
    }

    private static long[] fill(long[] array, int seed) {
        for (int i = 0; i < array.length; i++) {
            array[i] = (long) seed + i;
        }
        return array;
    }

    private static long touch(long[] array, int part, int partBytes) {
        int length = partBytes / Long.BYTES;
        long sum = 0;
        for (int i = part * length; i < (part + 1) * length; i++) {
            sum += array[i]++;
        }
        return sum;
    }

    @Override
    int keys() {
        return chains.length + 1;
    }

    @Override
    List<Kind> kinds() {
        return List.of(DRIVER, new Kind("A", 0, 1), new Kind("B", 0, B_PENALTY));
    }

    @Override
    int home(int key) {
        return 0;
    }

    @Override
    int eventsPerRound() {
        return chains.length * (1 + options.parts());
    }

    @Override
    void register(int round) {
        join.arm(chains.length, 1);
        KeyedExecutor executor = executor();
        for (Chain chain : chains) {
            executor.execute(chain.key, A_KIND, chain.a);
        }
    }

    @Override
    double bareNsPerEvent() {
        double least = Double.MAX_VALUE;
        long sum = 0;
        long[][] kept = new long[chains.length][];
        if (options.isKept()) {
            Arrays.setAll(kept, i -> create(options.arrayBytes()));
        }
        for (int i = 0; i < BARE_TRIES; i++) {
            long startNs = System.nanoTime();
            for (Chain chain : chains) {
                long[] array = kept[chain.key - 1];
                sum += colorSum(array != null ? array : create(options.arrayBytes()), chain.key, 0);
            }
            least = Math.min(least, (double) (System.nanoTime() - startNs) / eventsPerRound());
        }
        return sum == 0 ? 1 : least;
    }

    @Override
    Map<String, Double> bodiesNs() {
        long[] near = create(NEAR_BYTES);
        double fillNs = nearNs(near, seed -> fill(near, seed)[0]);
        double touchNs = nearNs(near, seed -> touch(near, 0, NEAR_BYTES));
        return Map.of("aCycles", fillNs * options.arrayBytes() / Long.BYTES, "cyclesPerWord", touchNs);
    }

    /** A word of an array that is gone through. */
    private double nearNs(long[] near, IntToLongFunction through) {
        long beginNs = System.nanoTime();
        for (int i = 0; i < NEAR_TIMES; i++) {
            nearSum += through.applyAsLong(i);
        }
        return (double) (System.nanoTime() - beginNs) / NEAR_TIMES / near.length;
    }

    private long colorSum(long[] array, int key, long start) {
        fill(array, key);
        long sum = start * 31 + key;
        for (int part = 0; part < options.parts(); part++) {
            sum = sum * 31 + touch(array, part, options.partBytes());
        }
        return sum;
    }

    @Override
    void check(int roundsRun) {
        for (Chain chain : chains) {
            chain.lane.check(chain.key, roundsRun * (1 + options.parts()));
        }
        // a round adds the same to what the sum was, which its events multiply
        long factor = 1;
        for (int event = 0; event < 1 + options.parts(); event++) {
            factor *= 31;
        }
        long[] array = create(options.arrayBytes());
        for (Chain chain : chains) {
            long ofRound = colorSum(array, chain.key, 0);
            long sum = 0;
            for (int round = 0; round < roundsRun; round++) {
                sum = sum * factor + ofRound;
            }
            if (sum != chain.lane.sum()) {
                throw new CheckFailedException("key " + chain.key + ": wrong checksum");
            }
        }
    }
}
