// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import org.jspecify.annotations.Nullable;

/**
 * A rate that a rule changes after each period of 100 events or a second.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §3.4.
 */
final class ControlledRate implements Admission {
    private static final int SAMPLES = 100;

    /** How the rate changes. One thread at a time. */
    @FunctionalInterface
    interface Rule {
        double next(double ratePerS, double p90Ns, long nowNs);

        /** Longest period. */
        default long periodNs() {
            return 1_000_000_000;
        }

        /** Weight of what was before in the smoothed percentile. */
        default double oldWeight() {
            return 0.7;
        }
    }

    private final Rates rates;
    private final Rule rule;
    private final TokenBucket bucket;
    private final Sojourns sojourns; // guarded by itself

    ControlledRate(Rates rates, Rule rule) {
        this.rates = rates;
        this.rule = rule;
        bucket = new TokenBucket(rates.startPerS(), rates.depth());
        sojourns = new Sojourns(SAMPLES, rule.periodNs(), rule.oldWeight());
    }

    /** A step up while the percentile is below 0.9 of the target, half the rate when it is above 1.2 of it. */
    static Rule direct(long targetNs, double scale) {
        return (ratePerS, p90Ns, nowNs) -> {
            if (p90Ns < 0.9 * targetNs) {
                return ratePerS + 0.5 * scale;
            }
            return p90Ns > 1.2 * targetNs ? ratePerS / 2 : ratePerS;
        };
    }

    @Override
    public boolean admits(@Nullable Object event, int waiting, long nowNs) {
        return bucket.tryTake(nowNs);
    }

    @Override
    public void ran(@Nullable Object event, long sojournNs, long nowNs) {
        synchronized (sojourns) {
            if (sojourns.add(sojournNs, nowNs)) {
                bucket.rate(rates.clamp(rule.next(bucket.ratePerS(), sojourns.p90Ns(), nowNs)), nowNs);
            }
        }
    }

    double ratePerS() {
        return bucket.ratePerS();
    }
}
