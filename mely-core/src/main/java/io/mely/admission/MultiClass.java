// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import io.mely.Stage;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A response time for each class of events, and a rate for each: when a class misses its target, the classes below it give way first.
 *
 * <p><b>Threads.</b> Immutable. <b>Source.</b> spec: stages §3.4.
 */
public final class MultiClass implements Admission.Factory {
    private static final Rates RATES = new Rates(100, 0.05, 5_000, 1);

    private final long[] targetsNs;
    private final ToIntFunction<@Nullable Object> classOf;
    private final Rates rates;
    private final double scale;

    private MultiClass(long[] targetsNs, ToIntFunction<@Nullable Object> classOf, Rates rates, double scale) {
        this.targetsNs = targetsNs;
        this.classOf = classOf;
        this.rates = rates;
        this.scale = scale;
    }

    /**
     * Classes with their targets.
     *
     * @param classOf says the class of an event, 0 for the lowest, targets.length - 1 for the highest; any thread
     * @param targets of the 90th percentile of the response time by class, each &gt; 0
     * @return makes it
     */
    public static MultiClass of(ToIntFunction<@Nullable Object> classOf, Duration... targets) {
        Objects.requireNonNull(classOf, "classOf");
        if (targets.length == 0) {
            throw new IllegalArgumentException("targets must not be empty");
        }
        long[] targetsNs = new long[targets.length];
        for (int i = 0; i < targets.length; i++) {
            targetsNs[i] = TimeUnit.NANOSECONDS.convert(targets[i]);
            if (targetsNs[i] <= 0) {
                throw new IllegalArgumentException("target must be > 0: target=" + targets[i]);
            }
        }
        return new MultiClass(targetsNs, classOf, RATES, 1);
    }

    /**
     * Sets the bounds of each class's rate. Default: 100 at the beginning, 0.05 to 5,000 events a second, one at once.
     *
     * @param newRates any
     * @return a changed copy
     */
    public MultiClass withRates(Rates newRates) {
        return new MultiClass(targetsNs, classOf, Objects.requireNonNull(newRates, "rates"), scale);
    }

    /**
     * Multiplies the steps up. Default: 1.
     *
     * @param newScale &gt; 0
     * @return a changed copy
     */
    public MultiClass withScale(double newScale) {
        if (!(newScale > 0)) {
            throw new IllegalArgumentException("scale must be > 0: scale=" + newScale);
        }
        return new MultiClass(targetsNs, classOf, rates, newScale);
    }

    @Override
    public Admission create(Stage<?> stage) {
        return new Classes();
    }

    /** One stage's. */
    final class Classes implements Admission {
        private static final double STEP = 2.0;
        private static final int SAMPLES = 100;
        private static final long PERIOD_NS = 1_000_000_000;
        private static final double OLD_WEIGHT = 0.7;

        private final TokenBucket[] buckets = new TokenBucket[targetsNs.length];
        private final Sojourns[] sojourns = new Sojourns[targetsNs.length]; // guarded by this
        private final boolean[] hasGivenWay = new boolean[targetsNs.length]; // guarded by this

        Classes() {
            for (int i = 0; i < buckets.length; i++) {
                buckets[i] = new TokenBucket(rates.startPerS(), rates.depth());
                sojourns[i] = new Sojourns(SAMPLES, PERIOD_NS, OLD_WEIGHT);
            }
        }

        private int checked(@Nullable Object event) {
            return Math.max(0, Math.min(classOf.applyAsInt(event), buckets.length - 1));
        }

        @Override
        public boolean admits(@Nullable Object event, int waiting, long nowNs) {
            return buckets[checked(event)].tryTake(nowNs);
        }

        @Override
        public synchronized void ran(@Nullable Object event, long sojournNs, long nowNs) {
            int its = checked(event);
            if (sojourns[its].add(sojournNs, nowNs)) {
                decide(its, (sojourns[its].p90Ns() - targetsNs[its]) / targetsNs[its], nowNs);
            }
        }

        private void decide(int its, double error, long nowNs) {
            if (error < -0.1) {
                double step = error <= -0.5 ? STEP * (-error - 0.1) : 0;
                if (!hasGivenWay[its]) {
                    change(its, buckets[its].ratePerS() + scale * step, nowNs);
                }
                hasGivenWay[its] = false;
            } else if (error > 0) {
                for (int lower = 0; lower < its; lower++) {
                    hasGivenWay[lower] = true;
                    change(lower, buckets[lower].ratePerS() / 10, nowNs);
                }
                change(its, buckets[its].ratePerS() / 1.2, nowNs);
            }
        }

        private void change(int its, double ratePerS, long nowNs) {
            buckets[its].rate(rates.clamp(ratePerS), nowNs);
        }

        double ratePerS(int its) {
            return buckets[its].ratePerS();
        }
    }
}
