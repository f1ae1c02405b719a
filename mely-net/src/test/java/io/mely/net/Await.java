// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, and never for longer than the shared timeout. */
final class Await {
    static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final long PAUSE_NS = 200_000;

    private Await() {}

    static void until(String what, BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > TIMEOUT.toNanos()) {
                throw new AssertionError("not within " + TIMEOUT + ": " + what);
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
