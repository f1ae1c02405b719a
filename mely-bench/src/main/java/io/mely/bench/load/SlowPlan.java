// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.util.SplittableRandom;

/** Requests that arrive at instants planned beforehand: Poisson arrivals, of which some are slow. The connections take them in turn. */
final class SlowPlan {
    private final int connections;
    private final long warmNs;
    /** Of each request, from the start. */
    private final long[] plannedNs;

    private final boolean[] isSlow;

    private SlowPlan(int connections, long warmNs, long[] plannedNs, boolean[] isSlow) {
        this.connections = connections;
        this.warmNs = warmNs;
        this.plannedNs = plannedNs;
        this.isSlow = isSlow;
    }

    /**
     * Draws one.
     *
     * @param connections &gt;= 1
     * @param ratePerS of all connections
     * @param slowShare of the requests, 0 to 1
     * @param warmNs not measured
     * @param endNs warm-up included
     * @param seed the same seed gives the same plan
     * @return with at least one request, the last of them measured
     */
    static SlowPlan draw(int connections, double ratePerS, double slowShare, long warmNs, long endNs, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] at = new double[(int) (ratePerS * endNs / 1e9) + 1];
        double sum = 0;
        for (int i = 0; i < at.length; i++) {
            sum -= Math.log(1 - random.nextDouble());
            at[i] = sum;
        }
        // Scaled, so that the rate is as asked for whatever chance says.
        long[] plannedNs = new long[at.length];
        boolean[] isSlow = new boolean[at.length];
        for (int i = 0; i < at.length; i++) {
            plannedNs[i] = (long) (at[i] / sum * endNs);
            isSlow[i] = random.nextDouble() < slowShare;
        }
        return new SlowPlan(connections, warmNs, plannedNs, isSlow);
    }

    int connections() {
        return connections;
    }

    int requests() {
        return plannedNs.length;
    }

    int connectionOf(int request) {
        return request % connections;
    }

    /** From the start of the plan. */
    long plannedNs(int request) {
        return plannedNs[request];
    }

    boolean isSlow(int request) {
        return isSlow[request];
    }

    /** Whether the warm-up is over when it is due. */
    boolean isMeasured(int request) {
        return plannedNs[request] >= warmNs;
    }
}
