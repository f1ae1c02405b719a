// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

/**
 * Work of a given number of cycles: a chain of shift, xor and multiply, each step of which waits five cycles for the last on today's CPUs. Not
 * of multiply-adds: the compiler of JDK 25 folds several of those into one.
 */
public final class Cycles {
    private static final int PER_STEP = 5;

    private static final int WARM_TRIES = 30;
    private static final int WARM_CYCLES = 1_000_000;
    /** Short, so that some are left alone on a busy machine; some 2 ms in all. */
    private static final int TRIES = 20;

    private static final int TRY_CYCLES = 200_000;

    private static volatile boolean isCompiled;

    private Cycles() {}

    /**
     * Works.
     *
     * @param seed any
     * @param cycles of the CPU
     * @return a value that depends on all of it
     */
    public static long burn(long seed, int cycles) {
        long x = seed + 1; // 0 would stay 0
        for (int i = cycles / PER_STEP; i > 0; i--) {
            x = (x ^ (x >>> 29)) * 0xbf58_476d_1ce4_e5b9L;
        }
        return x;
    }

    /**
     * Measures a cycle.
     *
     * @return nanoseconds of one cycle now: the least of some tries, since neighbours only add
     */
    public static double measureNs() {
        if (!isCompiled) {
            // Long enough for the compiler, which works beside this.
            measureNs(WARM_TRIES, WARM_CYCLES);
            isCompiled = true;
        }
        return measureNs(TRIES, TRY_CYCLES);
    }

    private static double measureNs(int tries, int cycles) {
        double least = Double.MAX_VALUE;
        long x = 1;
        for (int i = 0; i < tries; i++) {
            long startNs = System.nanoTime();
            x = burn(x, cycles);
            least = Math.min(least, (double) (System.nanoTime() - startNs) / cycles);
        }
        // Never true, and the compiler does not know.
        return x == 0 ? 1 : least;
    }
}
