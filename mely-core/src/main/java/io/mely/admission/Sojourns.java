// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import java.util.Arrays;

/**
 * Samples of response times, up to a number or for a time, whichever ends first; and their 90th percentile, smoothed.
 *
 * <p><b>Threads.</b> One at a time. <b>Source.</b> spec: stages §3.4.
 */
final class Sojourns {
    private static final double QUANTILE = 0.9;

    private final long[] samples;
    private final long periodNs;
    private final double oldWeight;
    private int count;
    private long beganNs;
    private boolean hasBegun;
    private double p90Ns = -1;

    Sojourns(int most, long periodNs, double oldWeight) {
        samples = new long[most];
        this.periodNs = periodNs;
        this.oldWeight = oldWeight;
    }

    /** Takes a sample. True if a period is over: {@link #p90Ns} is new. */
    boolean add(long sojournNs, long nowNs) {
        if (!hasBegun) {
            hasBegun = true;
            beganNs = nowNs;
        }
        samples[count++] = sojournNs;
        if (count < samples.length && nowNs - beganNs < periodNs) {
            return false;
        }
        Arrays.sort(samples, 0, count);
        long p90 = samples[Math.min(count - 1, (int) (QUANTILE * count))];
        p90Ns = p90Ns < 0 ? p90 : oldWeight * p90Ns + (1 - oldWeight) * p90;
        count = 0;
        hasBegun = false;
        return true;
    }

    /** Smoothed; -1 before the first period is over. */
    double p90Ns() {
        return p90Ns;
    }
}
