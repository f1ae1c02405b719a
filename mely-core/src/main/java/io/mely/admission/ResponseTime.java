// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import io.mely.Stage;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the 90th percentile of a stage's response time at a target; by way of {@link RequestTime} that of several stages.
 *
 * <pre>
 *   StageOptions.defaults().withAdmission(ResponseTime.bound(Duration.ofMillis(100)))
 * </pre>
 *
 * <p>A response time is that of the stage: from the send to the end of the handler. {@link #bound} needs no other figure than the target. The other controllers are Sandstorm's, which set the rate at which events are let in. Their
 * steps are for a server of some tens of events a second; {@link #withScale} multiplies them. They are here for comparison.
 *
 * <p><b>Threads.</b> Immutable. <b>Source.</b> spec: stages §3.4.
 */
public final class ResponseTime implements Admission.Factory {
    private static final Rates SLOW_START = new Rates(10, 0.05, 5_000, 10);
    private static final Rates OPEN = new Rates(Double.POSITIVE_INFINITY, 0.5, Double.POSITIVE_INFINITY, 100);

    private enum Kind {
        DIRECT,
        PID,
        MM1
    }

    private final Kind kind;
    private final long targetNs;
    private final Rates rates;
    private final double scale;
    private final int threads;

    private ResponseTime(Kind kind, long targetNs, Rates rates, double scale, int threads) {
        this.kind = kind;
        this.targetNs = targetNs;
        this.rates = rates;
        this.scale = scale;
        this.threads = threads;
    }

    private static ResponseTime of(Kind kind, Duration target, Rates rates, int threads) {
        return new ResponseTime(kind, nanos(target), rates, 1, threads);
    }

    /**
     * Bounds how many events wait: as many as are run in nine tenths of the target. It finds that number by the response times it sees. Until one in ten of them is above the target, nothing is refused. For requests that go through several stages see
     * {@link RequestTime}.
     *
     * @implNote It decides by a hundred events. Where a few of them take many times the mean, it misses the target and refuses too much: ADR 0029.
     * @param target &gt; 0
     * @return makes it
     */
    public static Admission.Factory bound(Duration target) {
        long targetNs = nanos(target);
        return stage -> new WaitingBound(targetNs);
    }

    static long nanos(Duration target) {
        Objects.requireNonNull(target, "target");
        if (target.isNegative() || target.isZero()) {
            throw new IllegalArgumentException("target must be > 0: target=" + target);
        }
        return TimeUnit.NANOSECONDS.convert(target);
    }

    /**
     * A step up while the response time is well below the target, half the rate when it is well above.
     *
     * @param target &gt; 0
     * @return makes it
     */
    public static ResponseTime direct(Duration target) {
        return of(Kind.DIRECT, target, SLOW_START, 1);
    }

    /**
     * By the distance from the target, its change, and its sum.
     *
     * @param target &gt; 0
     * @return makes it
     */
    public static ResponseTime pid(Duration target) {
        return of(Kind.PID, target, SLOW_START, 1);
    }

    /**
     * By the formula for a single queue: with Poisson arrivals and exponential times at the rate that it sets, one in ten events takes longer than the target.
     *
     * @param target &gt; 0
     * @param threads that run the stage, &gt;= 1
     * @return makes it
     */
    public static ResponseTime mm1(Duration target, int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be >= 1: threads=" + threads);
        }
        return of(Kind.MM1, target, OPEN, threads);
    }

    /**
     * Sets the bounds of the rate. Default: 10 at the beginning, 0.05 to 5,000 events a second, 10 at once; for {@link #mm1} no limit but 0.5 at least, and 100 at once.
     *
     * @param newRates any
     * @return a changed copy
     */
    public ResponseTime withRates(Rates newRates) {
        return new ResponseTime(kind, targetNs, Objects.requireNonNull(newRates, "rates"), scale, threads);
    }

    /**
     * Multiplies the steps up, and those of {@link #pid} down, too. Default: 1.
     *
     * @param newScale &gt; 0; about a hundredth of the events a second that the server can do
     * @return a changed copy
     */
    public ResponseTime withScale(double newScale) {
        if (!(newScale > 0)) {
            throw new IllegalArgumentException("scale must be > 0: scale=" + newScale);
        }
        return new ResponseTime(kind, targetNs, rates, newScale, threads);
    }

    @Override
    public Admission create(Stage<?> stage) {
        return switch (kind) {
            case DIRECT -> new ControlledRate(rates, ControlledRate.direct(targetNs, scale));
            case PID -> new ControlledRate(rates, new PidRule(targetNs, scale));
            case MM1 -> new Mm1Rate(rates, targetNs, threads, stage::processingTimeNs);
        };
    }
}
