// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

/**
 * Between what a controller sets the rate at which events are let in.
 *
 * @param startPerS events a second at the beginning; infinite for no limit
 * @param minPerS least, &gt; 0, so that it can find out when things are better
 * @param maxPerS most; infinite for no limit
 * @param depth how many may come at once, &gt;= 1
 */
public record Rates(double startPerS, double minPerS, double maxPerS, double depth) {
    /** Checks the values. Fails naming the one that is out of range. */
    public Rates {
        if (!(minPerS > 0)) {
            throw new IllegalArgumentException("minPerS must be > 0: minPerS=" + minPerS);
        }
        if (!(startPerS >= minPerS) || !(maxPerS >= startPerS)) {
            throw new IllegalArgumentException("startPerS must be between minPerS and maxPerS: startPerS=" + startPerS
                    + ", minPerS=" + minPerS + ", maxPerS=" + maxPerS);
        }
        if (!(depth >= 1)) {
            throw new IllegalArgumentException("depth must be >= 1: depth=" + depth);
        }
    }

    double clamp(double ratePerS) {
        return Math.max(minPerS, Math.min(ratePerS, maxPerS));
    }
}
