// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * <i>cache efficient</i>: half of the cores start with A events; each allocates an array and registers two B events of different colors
 * that sort a half each; each B registers a C in the color of its A, and the second C merges.
 *
 * <p><b>Source.</b> spec: Mely §6.3.
 */
final class CacheEfficient extends Rounds {
    private static final int A_KIND = 1;
    private static final int B_KIND = 2;
    private static final int C_KIND = 3;
    private static final int KEYS_PER_A = 3;
    private static final int EVENTS_PER_A = 5;

    /**
     * What the paper gives, and what it leaves open.
     *
     * @param workers of the contender
     * @param perCore A events on each loaded core, 100 in the paper
     * @param ints length of an array; fits the cache
     */
    record Options(int workers, int perCore, int ints) {
        static Options paper(int workers) {
            return new Options(workers, 100, 4_096);
        }

        int arrays() {
            return Math.max(1, workers / 2) * perCore;
        }
    }

    private final Options options;
    private final Task[] tasks;
    private final Join join = new Join();

    CacheEfficient(Options options) {
        this.options = options;
        tasks = new Task[options.arrays()];
        for (int i = 0; i < tasks.length; i++) {
            tasks[i] = new Task(i);
        }
    }

    /** An array with its three colors and five events. */
    private final class Task {
        final int index;
        final int key;
        final Lane lane = new Lane();
        final Event a = new A(this);
        final B[] halves = {new B(this, 0), new B(this, 1)};
        final Event c = new C(this);
        int[] array = {};
        long expectedSum;
        int sent;
        int sorted;

        Task(int index) {
            this.index = index;
            key = 1 + index * KEYS_PER_A;
        }
    }

    private final class A extends Event {
        private final Task task;

        A(Task task) {
            this.task = task;
        }

        @Override
        void handle() {
            task.lane.begin(task.sent++);
            task.array = create(options.ints(), task.key);
            task.expectedSum = sum(task.array);
            task.sorted = 0;
            task.lane.end(task.expectedSum);
            for (B half : task.halves) {
                executor().execute(half.key(), B_KIND, half);
            }
        }
    }

    private final class B extends Event {
        private final Task task;
        private final int half;
        private final Lane lane = new Lane();
        private int sent;

        B(Task task, int half) {
            this.task = task;
            this.half = half;
        }

        /** A color of its own. */
        int key() {
            return task.key + 1 + half;
        }

        @Override
        void handle() {
            lane.begin(sent++);
            int middle = options.ints() / 2;
            Arrays.sort(task.array, half * middle, half == 0 ? middle : options.ints());
            lane.end(half);
            executor().execute(task.key, C_KIND, task.c);
        }
    }

    private final class C extends Event {
        private final Task task;

        C(Task task) {
            this.task = task;
        }

        @Override
        void handle() {
            task.lane.begin(task.sent++);
            task.sorted++;
            if (task.sorted < 2) {
                task.lane.end(1);
                return;
            }
            task.lane.end(checkSorted(merge(task.array), task.expectedSum, task.key));
            task.array = new int[0];
            if (join.arrive(task.index)) {
                roundDone();
            }
        }
    }

    private static long checkSorted(int[] merged, long expectedSum, int key) {
        for (int i = 1; i < merged.length; i++) {
            if (merged[i - 1] > merged[i]) {
                throw new CheckFailedException("key " + key + ": not sorted");
            }
        }
        long sum = sum(merged);
        if (sum != expectedSum) {
            throw new CheckFailedException("key " + key + ": wrong checksum");
        }
        return sum;
    }

    private static int[] create(int length, int seed) {
        int[] array = new int[length];
        int x = seed * 0x9E3779B9 | 1;
        for (int i = 0; i < length; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
            array[i] = x;
        }
        return array;
    }

    private static long sum(int[] array) {
        long sum = 0;
        for (int value : array) {
            sum += value;
        }
        return sum;
    }

    private static int[] merge(int[] halves) {
        int[] merged = new int[halves.length];
        int middle = halves.length / 2;
        int left = 0;
        int right = middle;
        for (int i = 0; i < merged.length; i++) {
            boolean isLeft = right == halves.length || (left < middle && halves[left] <= halves[right]);
            merged[i] = isLeft ? halves[left++] : halves[right++];
        }
        return merged;
    }

    @Override
    int keys() {
        return 1 + tasks.length * KEYS_PER_A;
    }

    @Override
    List<Kind> kinds() {
        return List.of(DRIVER, new Kind("A", 0, 1), new Kind("B", 0, 1), new Kind("C", 0, 1));
    }

    /** Every second core is loaded, so that each has an idle neighbour. */
    @Override
    int home(int key) {
        int index = Math.max(0, key - 1) / KEYS_PER_A;
        return index / options.perCore() * 2 % options.workers();
    }

    @Override
    int eventsPerRound() {
        return tasks.length * EVENTS_PER_A;
    }

    @Override
    void register(int round) {
        join.arm(tasks.length, 1);
        KeyedExecutor executor = executor();
        for (Task task : tasks) {
            executor.execute(task.key, A_KIND, task.a);
        }
    }

    @Override
    double bareNsPerEvent() {
        double least = Double.MAX_VALUE;
        long total = 0;
        for (int i = 0; i < BARE_TRIES; i++) {
            long startNs = System.nanoTime();
            for (Task task : tasks) {
                int[] array = create(options.ints(), task.key);
                total += sum(array);
                Arrays.sort(array, 0, options.ints() / 2);
                Arrays.sort(array, options.ints() / 2, options.ints());
                total += sum(merge(array));
            }
            least = Math.min(least, (double) (System.nanoTime() - startNs) / eventsPerRound());
        }
        return total == 0 ? 1 : least;
    }

    @Override
    Map<String, Double> bodiesNs() {
        int ints = options.ints();
        int half = ints / 2;
        long createdNs = 0;
        long sortedNs = 0;
        long mergedNs = 0;
        for (Task task : tasks) {
            long beginNs = System.nanoTime();
            int[] array = create(ints, task.key);
            long sum = sum(array);
            long createNs = System.nanoTime();
            Arrays.sort(array, 0, half);
            Arrays.sort(array, half, ints);
            long sortNs = System.nanoTime();
            checkSorted(merge(array), sum, task.key);
            mergedNs += System.nanoTime() - sortNs;
            sortedNs += sortNs - createNs;
            createdNs += createNs - beginNs;
        }
        double timesInts = (double) tasks.length * ints;
        return Map.of(
                "createCyclesPerInt", createdNs / timesInts,
                "sortCyclesPerStep", sortedNs / timesInts / (Math.log(half) / Math.log(2)),
                "mergeCyclesPerInt", mergedNs / timesInts);
    }

    @Override
    void check(int roundsRun) {
        for (Task task : tasks) {
            task.lane.check(task.key, roundsRun * 3);
            for (B half : task.halves) {
                half.lane.check(half.key(), roundsRun);
            }
        }
    }
}
