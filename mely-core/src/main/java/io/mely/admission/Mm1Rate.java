// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rate at which a queue with Poisson arrivals and exponential times has its 90th percentile at the target: the service rate less 2.302 over the target. If more arrives than is served, or there is no such rate, a tenth of the
 * service rate.
 *
 * <p>The service rate is smoothed, slowly when it rises and fast when it falls, and grows with the logarithm of the threads.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §3.4.
 */
final class Mm1Rate implements Admission {
    private static final double LN_10 = 2.302; // as in the source
    private static final double OLD_WEIGHT_UP = 0.9;
    private static final double OLD_WEIGHT_DOWN = 0.1;
    private static final int CALLS = 5_000;
    private static final long PERIOD_NS = 5_000_000_000L;
    private static final double NS_PER_S = 1e9;

    private final Rates rates;
    private final double targetS;
    private final double threads;
    private final LongSupplier serviceNs;

    // guarded by this
    private @Nullable TokenBucket limited; // null: no limit
    private int calls;
    private long beganNs;
    private boolean hasBegun;
    private double servedPerS;

    Mm1Rate(Rates rates, long targetNs, int threads, LongSupplier serviceNs) {
        this.rates = rates;
        targetS = targetNs / NS_PER_S;
        this.threads = Math.log(threads) + 1;
        this.serviceNs = serviceNs;
        limited = Double.isInfinite(rates.startPerS()) ? null : new TokenBucket(rates.startPerS(), rates.depth());
    }

    @Override
    public synchronized boolean admits(@Nullable Object event, int waiting, long nowNs) {
        if (!hasBegun) {
            hasBegun = true;
            beganNs = nowNs;
        }
        calls++;
        if (calls >= CALLS || nowNs - beganNs >= PERIOD_NS) {
            decide(nowNs);
        }
        return limited == null || limited.tryTake(nowNs);
    }

    private void decide(long nowNs) {
        double seconds = (nowNs - beganNs) / NS_PER_S;
        double arrivedPerS = seconds > 0 ? calls / seconds : Double.POSITIVE_INFINITY;
        calls = 0;
        beganNs = nowNs;
        double ratePerS = rate(arrivedPerS, NS_PER_S / serviceNs.getAsLong());
        if (Double.isInfinite(ratePerS)) {
            limited = null;
        } else if (limited == null) {
            limited = new TokenBucket(ratePerS, rates.depth());
        } else {
            limited.rate(ratePerS, nowNs);
        }
    }

    /** The rate for what arrives and what one thread serves, a second. */
    double rate(double arrivedPerS, double measuredPerS) {
        double oldWeight = servedPerS == 0 ? 0 : measuredPerS > servedPerS ? OLD_WEIGHT_UP : OLD_WEIGHT_DOWN;
        servedPerS = oldWeight * servedPerS + (1 - oldWeight) * measuredPerS;
        double allPerS = servedPerS * threads;
        double ratePerS = allPerS - LN_10 / targetS;
        return rates.clamp(ratePerS < 0 || arrivedPerS > allPerS ? 0.1 * allPerS : ratePerS);
    }

    synchronized double ratePerS() {
        return limited == null ? Double.POSITIVE_INFINITY : limited.ratePerS();
    }
}
