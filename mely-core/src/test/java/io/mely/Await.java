// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Bounded waits on conditions: the one place where tests wait. */
public final class Await {
    /** The shared timeout: far longer than anything takes, so that only a hang meets it. */
    public static final long PATIENCE_S = 60;

    private static final long LOOK_NS = 100_000;

    private Await() {}

    /** Waits until the condition holds; fails with the description after the shared timeout. */
    public static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    /** The same, with a description made when it fails. */
    public static void until(Supplier<String> what, BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > PATIENCE_S * 1_000_000_000L) {
                throw new AssertionError("not within " + PATIENCE_S + " s: " + what.get());
            }
            LockSupport.parkNanos(LOOK_NS);
        }
    }
}
