// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * How a controller changes a pool of threads: at each fourth period it adds one if many lanes wait. Threads leave when they are idle, see {@link PoolSize}. The first core
 * looks, between two steps; a period that it misses in a long handler is made up for.
 *
 * @param period between two looks, &gt; 0
 * @param waitingMin lanes that wait, from which a thread is added, &gt;= 1
 * @param findsBest whether it also looks, at each tenth period, whether what the pool has done is less than with another number of threads, and goes back to that, or to some threads fewer
 */
public record PoolTuning(Duration period, int waitingMin, boolean findsBest) {
    /** Checks the values. Fails naming the one that is out of range. */
    public PoolTuning {
        Objects.requireNonNull(period, "period");
        if (period.isNegative() || period.isZero()) {
            throw new IllegalArgumentException("period must be > 0: period=" + period);
        }
        if (waitingMin < 1) {
            throw new IllegalArgumentException("waitingMin must be >= 1: waitingMin=" + waitingMin);
        }
    }

    /**
     * Sandstorm's: two seconds, a thousand, and no search for the best number.
     *
     * @return the tuning
     */
    public static PoolTuning sandstorm() {
        return new PoolTuning(Duration.ofSeconds(2), 1_000, false);
    }

    long periodNs() {
        return TimeUnit.NANOSECONDS.convert(period);
    }
}
