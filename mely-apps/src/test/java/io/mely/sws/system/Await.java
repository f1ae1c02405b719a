// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for conditions, never for time. */
final class Await {
    /** The shared timeout: far more than anything takes on a loaded machine, far less than a test run's patience. */
    static final Duration TIMEOUT = Duration.ofMinutes(2);

    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private Await() {}

    /**
     * Polls until a condition holds.
     *
     * @param what the condition in words, for the failure
     * @param condition polled every two milliseconds
     */
    static void until(Supplier<String> what, Callable<Boolean> condition) throws Exception {
        long start = System.nanoTime();
        while (!condition.call()) {
            if (System.nanoTime() - start > TIMEOUT.toNanos()) {
                throw new AssertionError("not within " + TIMEOUT.toSeconds() + " s: " + what.get());
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }
}
