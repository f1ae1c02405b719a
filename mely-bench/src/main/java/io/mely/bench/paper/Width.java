// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.report.Stat;

/**
 * How many instructions a CPU does at once, now: where another guest of the host runs on the other half of a core, it is fewer. The bodies of most workloads
 * are a chain of which each step waits for the last ({@link Cycles}), and hardly notice; what a scheduler does is not, and takes up to twice as long.
 *
 * <p>Eight chains side by side of three instructions each: more than any CPU does at once, so that a step takes as long as its instructions need.
 */
final class Width {
    private static final int STEPS = 5_000;
    private static final int PER_STEP = 24;
    /** Some 10 us each: short, so that most are not cut by another thread. */
    private static final int TRIES = 24;

    private static final int WARM_TRIES = 4_000;

    private static volatile boolean isCompiled;

    private Width() {}

    /** Instructions a cycle, the mean of all CPUs measured at once. Takes some 3 ms, the first call longer, as it waits for the compiler. */
    static double measure() {
        double nsPerCycle = Cycles.measureNs();
        if (!isCompiled) {
            nsPerStep(WARM_TRIES);
            isCompiled = true;
        }
        int cpus = Runtime.getRuntime().availableProcessors();
        return Threads.sum(cpus, "width", cpu -> PER_STEP * nsPerCycle / nsPerStep(TRIES)) / cpus;
    }

    /** The median: some may have been cut by another thread of this machine. */
    private static double nsPerStep(int tries) {
        double[] values = new double[tries];
        long x = 1;
        for (int i = 0; i < tries; i++) {
            long startNs = System.nanoTime();
            x = sideBySide(x);
            values[i] = (double) (System.nanoTime() - startNs) / STEPS;
        }
        // Never true, and the compiler does not know.
        return x == 0 ? 1 : Stat.of(values).median();
    }

    private static long sideBySide(long seed) {
        long a = seed;
        long b = seed + 1;
        long c = seed + 2;
        long d = seed + 3;
        long e = seed + 4;
        long f = seed + 5;
        long g = seed + 6;
        long h = seed + 7;
        for (int i = 0; i < STEPS; i++) {
            a = (a ^ (a >>> 7)) + i;
            b = (b ^ (b >>> 7)) + i;
            c = (c ^ (c >>> 7)) + i;
            d = (d ^ (d >>> 7)) + i;
            e = (e ^ (e >>> 7)) + i;
            f = (f ^ (f >>> 7)) + i;
            g = (g ^ (g >>> 7)) + i;
            h = (h ^ (h >>> 7)) + i;
        }
        return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    }
}
