// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

/**
 * Tokens that come at a rate, up to a depth; an event takes one.
 *
 * <p>Time is counted in nanoseconds, so that the rate may be any; Sandstorm's bucket gave one token a millisecond at most.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §3.4.
 */
final class TokenBucket {
    private static final double NS_PER_S = 1e9;

    private final double depth;

    // guarded by this
    private double ratePerS;
    private double tokens;
    private long lastNs;
    private boolean isUsed;

    TokenBucket(double ratePerS, double depth) {
        check(ratePerS, depth);
        this.depth = depth;
        this.ratePerS = ratePerS;
        tokens = depth;
    }

    /** Fails naming the value that is out of range. */
    static void check(double ratePerS, double depth) {
        if (!(depth >= 1)) {
            throw new IllegalArgumentException("depth must be >= 1: depth=" + depth);
        }
        if (!(ratePerS > 0)) {
            throw new IllegalArgumentException("rate must be > 0: ratePerS=" + ratePerS);
        }
    }

    synchronized boolean tryTake(long nowNs) {
        refill(nowNs);
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }

    private void refill(long nowNs) {
        if (!isUsed) {
            isUsed = true;
            lastNs = nowNs;
        } else if (nowNs - lastNs > 0) { // threads may have read the clock in another order
            tokens = Math.min(depth, tokens + (nowNs - lastNs) / NS_PER_S * ratePerS);
            lastNs = nowNs;
        }
    }

    /** Changes the rate from now on. */
    synchronized void rate(double newRatePerS, long nowNs) {
        refill(nowNs);
        ratePerS = newRatePerS;
    }

    synchronized double ratePerS() {
        return ratePerS;
    }
}
