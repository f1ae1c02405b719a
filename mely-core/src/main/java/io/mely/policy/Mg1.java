// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.util.Arrays;

/**
 * Each stage as often as it needs: a {@link PollingTable} by the stages' loads, made anew each time the core has gone through it.
 *
 * <p>The load of a stage is its arrival rate times the mean time of its events, divided by the cores, as each core sees its share of it. Of the paper's version, the mean is taken
 * instead of the 95th percentile, which makes loads too large; rates are measured from table to table, a tenth of a second apart at least, instead of each five seconds; and each core begins at another slot, so that they do not meet.
 *
 * <p><b>Source.</b> spec: stages §5.
 */
final class Mg1 implements VisitOrder {
    /** Slots of a table, as in the paper; for more stages a larger one. */
    private static final int SLOTS = 144;

    /** Weight of a new measurement: the paper's. */
    private static final double NEW_WEIGHT = 0.7;

    /** Rates are measured over as long, at least. Guess: some hundred requests of a busy server. */
    private static final long MEASURED_NS = 100_000_000;

    private static final PollingTable TABLES = new PollingTable(SLOTS);

    private final int cores;
    private PollingTable tables = TABLES;
    private int[] table = {};
    private int at;
    private double[] rhos = {};
    private long[] arrived = {};
    private long measuredAtNs;

    Mg1(int core, int cores) {
        this.cores = cores;
        at = core * SLOTS / cores;
    }

    @Override
    public int next(Stages stages, Visit last) {
        int count = stages.count();
        if (rhos.length != count) {
            rhos = Arrays.copyOf(rhos, count);
            arrived = Arrays.copyOf(arrived, count);
            measuredAtNs = stages.nowNs();
            tables = count <= SLOTS ? TABLES : new PollingTable(fibonacci(count));
            table = tables.table(rhos);
        } else if (at >= table.length) {
            at = 0;
            measure(stages);
        }
        return table[at++];
    }

    private void measure(Stages stages) {
        long nowNs = stages.nowNs();
        long ns = nowNs - measuredAtNs;
        if (ns < MEASURED_NS) {
            return;
        }
        measuredAtNs = nowNs;
        for (int i = 0; i < rhos.length; i++) {
            long count = stages.arrived(i);
            double rho = (double) (count - arrived[i]) * stages.stage(i).processingTimeNs() / ns / cores;
            rhos[i] = NEW_WEIGHT * rho + (1 - NEW_WEIGHT) * rhos[i];
            arrived[i] = count;
        }
        table = tables.table(rhos);
    }

    /** The first Fibonacci number that is no less. */
    private static int fibonacci(int least) {
        int before = 1;
        int number = 1;
        while (number < least) {
            int sum = before + number;
            before = number;
            number = sum;
        }
        return number;
    }
}
