// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import java.util.concurrent.locks.LockSupport;

/** Waiting for a planned instant. */
public final class Instants {
    /** Less than this before an instant it spins: a guess, short of the 50 us by which the kernel oversleeps. */
    private static final long SPIN_NS = 10_000;

    private Instants() {}

    /**
     * Parks until an instant is near, and spins until it is there.
     *
     * @param instantNs of {@link System#nanoTime}
     */
    public static void await(long instantNs) {
        for (long leftNs = instantNs - System.nanoTime(); leftNs > 0; leftNs = instantNs - System.nanoTime()) {
            if (leftNs > SPIN_NS) {
                LockSupport.parkNanos(leftNs - SPIN_NS);
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
