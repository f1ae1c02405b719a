// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * How many threads a pool has.
 *
 * @param initial at the start, min to max
 * @param min fewest, &gt;= 1
 * @param max most
 * @param idle a thread beyond the fewest that finds nothing for as long leaves, &gt; 0
 */
public record PoolSize(int initial, int min, int max, Duration idle) {
    /** Sandstorm's: spec stages §3.2. */
    private static final Duration IDLE_DEFAULT = Duration.ofSeconds(1);

    /** Checks the values. Fails naming the one that is out of range. */
    public PoolSize {
        Objects.requireNonNull(idle, "idle");
        if (min < 1) {
            throw new IllegalArgumentException("min must be >= 1: min=" + min);
        }
        if (initial < min || initial > max) {
            throw new IllegalArgumentException("initial must be " + min + " to " + max + ": initial=" + initial);
        }
        if (idle.isNegative() || idle.isZero()) {
            throw new IllegalArgumentException("idle must be > 0: idle=" + idle);
        }
    }

    /**
     * A pool that keeps its size.
     *
     * @param threads &gt;= 1
     * @return the size
     */
    public static PoolSize fixed(int threads) {
        return new PoolSize(threads, threads, threads, IDLE_DEFAULT);
    }

    /**
     * A pool that a controller may change. A thread that is idle for a second leaves.
     *
     * @param min fewest, which it starts with, &gt;= 1
     * @param max most
     * @return the size
     */
    public static PoolSize between(int min, int max) {
        return new PoolSize(min, min, max, IDLE_DEFAULT);
    }

    long idleNs() {
        return TimeUnit.NANOSECONDS.convert(idle);
    }
}
