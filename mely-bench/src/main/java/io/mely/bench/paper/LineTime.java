// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.report.Stat;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How long a cache line takes from one CPU to another, now. On a shared host it may be one of several values, minutes long each, and whatever passes between CPUs takes
 * longer with it: rounds of one value are to be compared.
 *
 * <p>Two threads write one line by turns.
 */
final class LineTime {
    private static final int HOPS = 400;
    /** Short, so that most are not cut by another thread. */
    private static final int TRIES = 25;

    private static final int WARM_TRIES = 200;

    /** Far longer than any line takes. */
    private static final int SPINS_MAX = 500;

    /** In the middle of lines of its own. */
    private static final int AT = 64;

    private static volatile boolean isCompiled;

    private LineTime() {}

    /** Nanoseconds a hop; NaN with one CPU. Takes some 3 ms, the first call longer, as it waits for the compiler. */
    static double measureNs() {
        if (Runtime.getRuntime().availableProcessors() < 2) {
            return Double.NaN;
        }
        if (!isCompiled) {
            double unused = hopNs(WARM_TRIES);
            isCompiled = true;
        }
        return hopNs(TRIES);
    }

    private static double hopNs(int tries) {
        AtomicIntegerArray turn = new AtomicIntegerArray(2 * AT);
        return Threads.sum(2, "line", me -> hops(turn, me, tries)) / 2;
    }

    /** The median: some may have been cut by another thread of this machine. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint; right without it
    private static double hops(AtomicIntegerArray turn, int me, int tries) {
        double[] values = new double[tries];
        for (int i = 0; i < tries; i++) {
            long startNs = System.nanoTime();
            for (int hop = me; hop < HOPS; hop += 2) {
                int next = i * HOPS + hop;
                for (int spins = 1; turn.getAcquire(AT) != next; spins++) {
                    if (spins % SPINS_MAX != 0) {
                        Thread.onSpinWait();
                    } else {
                        Thread.yield(); // both on one CPU, each hop took a slice of the kernel's, and all of it 20 s
                    }
                }
                turn.setRelease(AT, next + 1);
            }
            values[i] = (double) (System.nanoTime() - startNs) / HOPS;
        }
        return Stat.of(values).median();
    }
}
