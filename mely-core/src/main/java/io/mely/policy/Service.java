// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How much of what waits at a stage one visit runs. At least one lane is run if there is one.
 *
 * <p><b>Threads.</b> Immutable. <b>Source.</b> spec: stages §4.3.
 */
public final class Service {
    private static final Service EXHAUSTIVE = new Service("exhaustive", visit -> true, Long.MAX_VALUE);
    private static final Service GATED =
            new Service("gated", visit -> visit.served() < visit.waitingAtStart(), Long.MAX_VALUE);

    private final String name;
    private final Gate gate;
    private final long sizeMax;
    private final int batchMin;
    private final int batchMax; // 0: no controller

    /** Whether a visit may go on. */
    @FunctionalInterface
    private interface Gate {
        boolean isOpen(Visit visit);
    }

    private Service(String name, Gate gate, long sizeMax) {
        this(name, gate, sizeMax, 0, 0);
    }

    private Service(String name, Gate gate, long sizeMax, int batchMin, int batchMax) {
        this.name = name;
        this.gate = gate;
        this.sizeMax = sizeMax;
        this.batchMin = batchMin;
        this.batchMax = batchMax;
    }

    /**
     * All, also what comes during the visit.
     *
     * @return the service
     */
    public static Service exhaustive() {
        return EXHAUSTIVE;
    }

    /**
     * What waited when the visit began: D-gated.
     *
     * @return the service
     */
    public static Service gated() {
        return GATED;
    }

    /**
     * What waited when the visit began, but not more than some: T-gated.
     *
     * @param most lanes a visit, &gt; 0
     * @return the service
     */
    public static Service gated(int most) {
        if (most <= 0) {
            throw new IllegalArgumentException("most must be > 0: most=" + most);
        }
        return new Service(
                "gated-" + most, visit -> visit.served() < Math.min(most, visit.waitingAtStart()), Long.MAX_VALUE);
    }

    /**
     * All, but nothing that is large: what is larger than a cutoff is left for the next visit, which begins with it. So small events are first come, first served, and large ones wait for one
     * round: C-gated.
     *
     * @param sizeMax largest {@link io.mely.Sized#size} that is run at once, &gt;= 0; of events that are not sized it is the expected time in nanoseconds
     * @return the service
     */
    public static Service cutoff(long sizeMax) {
        if (sizeMax < 0) {
            throw new IllegalArgumentException("sizeMax must be >= 0: sizeMax=" + sizeMax);
        }
        return new Service("cutoff-" + sizeMax, visit -> true, sizeMax);
    }

    /**
     * All, until a time has passed.
     *
     * @param time &gt; 0; an event that runs is not interrupted
     * @return the service
     */
    public static Service timed(Duration time) {
        Objects.requireNonNull(time, "time");
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("time must be > 0: time=" + time);
        }
        long timeNs = TimeUnit.NANOSECONDS.convert(time);
        return new Service("timed-" + timeNs + "ns", visit -> visit.elapsedNs() < timeNs, Long.MAX_VALUE);
    }

    /**
     * As many as SEDA's batching controller finds best for the stage: the fewest with which it does as much as with the most.
     *
     * @param min fewest lanes a visit, &gt;= 1
     * @param max most lanes a visit
     * @return the service
     */
    public static Service batched(int min, int max) {
        if (min < 1) {
            throw new IllegalArgumentException("min must be >= 1: min=" + min);
        }
        if (max < min) {
            throw new IllegalArgumentException("max must be >= " + min + ": max=" + max);
        }
        return new Service(
                "batched-" + min + "-" + max, visit -> visit.served() < visit.batch(), Long.MAX_VALUE, min, max);
    }

    /** The controller of a stage; null if it needs none. */
    @Nullable
    BatchController controller(long nowNs) {
        return batchMax == 0 ? null : new BatchController(batchMin, batchMax, nowNs);
    }

    /** Whether a visit may go on, if something is left. */
    boolean goesOn(Visit visit) {
        return gate.isOpen(visit);
    }

    /** What is larger waits for the next visit. */
    long sizeMax() {
        return sizeMax;
    }

    @Override
    public String toString() {
        return name;
    }
}
