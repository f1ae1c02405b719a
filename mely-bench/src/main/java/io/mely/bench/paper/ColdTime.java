// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.report.Stat;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * How long a load takes of what this process touched a few milliseconds ago, now: the last cache is shared with the host's other guests, who may have pushed it
 * out by then. Whatever has tens of thousands of keys waits so long for each of them.
 *
 * <p>A table of 4 MB is read in order, of which the first megabyte is then no longer in a cache of a CPU's own; after a pause some of its lines are read, one after the other and
 * in no order.
 */
final class ColdTime {
    private static final int LINE_LONGS = 8;
    private static final int LINES = 1 << 16;
    /** Of the table's beginning: those read after the pause. */
    private static final int COLD_LINES = LINES / 4;

    private static final int CHAIN = 256;
    private static final int TRIES = 5;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(4);

    /** Of each line in {@link #CHAIN} ones that follow each other, the index of the next; 0 in the last. */
    private static final long[] TABLE = new long[LINES * LINE_LONGS];

    private static final int[] STARTS = new int[TRIES];
    private static final int WARM_TRIES = 2_000;
    private static volatile boolean isCompiled;

    static {
        int[] lines = new Random(1)
                .ints(0, COLD_LINES)
                .distinct()
                .limit((long) TRIES * CHAIN)
                .toArray();
        for (int i = 0; i < lines.length; i++) {
            boolean isLast = (i + 1) % CHAIN == 0;
            TABLE[lines[i] * LINE_LONGS] = isLast ? 0 : (long) lines[i + 1] * LINE_LONGS;
        }
        for (int i = 0; i < TRIES; i++) {
            STARTS[i] = lines[i * CHAIN] * LINE_LONGS;
        }
    }

    private ColdTime() {}

    /** Nanoseconds a load; the median of some chains, as a few may have been cut by another thread. Takes some 5 ms, the first call longer, as it waits for the compiler. */
    static synchronized double measureNs() {
        long unused = 0;
        if (!isCompiled) {
            for (int i = 0; i < WARM_TRIES; i++) {
                unused += follow(STARTS[i % TRIES]);
            }
            isCompiled = true;
        }
        for (int line = 0; line < LINES; line++) {
            unused += TABLE[line * LINE_LONGS];
        }
        long untilNs = System.nanoTime() + PAUSE_NS;
        while (System.nanoTime() - untilNs < 0) {
            Thread.onSpinWait();
        }
        double[] values = new double[TRIES];
        for (int i = 0; i < TRIES; i++) {
            long startNs = System.nanoTime();
            unused += follow(STARTS[i]);
            values[i] = (double) (System.nanoTime() - startNs) / CHAIN;
        }
        // Never true, and the compiler does not know.
        return unused == -1 ? 0 : Stat.of(values).median();
    }

    private static long follow(int start) {
        int at = start;
        for (int i = 0; i < CHAIN; i++) {
            at = (int) TABLE[at];
        }
        return at;
    }
}
