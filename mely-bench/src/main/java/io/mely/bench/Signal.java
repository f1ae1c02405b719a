// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Tells a benchmark's thread that the cores have finished one invocation, or what they did wrong.
 *
 * <p><b>Threads.</b> One thread arms and awaits; any other reports.
 */
final class Signal {
    private static final long LIMIT_NS = 30_000_000_000L;

    private volatile boolean isDone;
    private volatile @Nullable String failure;
    private volatile @Nullable Thread waiter;

    /** Before the first event of an invocation. */
    void arm() {
        waiter = Thread.currentThread();
        isDone = false;
    }

    /** The last event has run. */
    void done() {
        isDone = true;
        LockSupport.unpark(waiter);
    }

    /** The work is wrong; the first report stays. */
    void fail(String what) {
        if (failure == null) {
            failure = what;
        }
        LockSupport.unpark(waiter);
    }

    /** Waits for {@link #done}, without using the CPU. */
    void await() {
        long startNs = System.nanoTime();
        while (!isDone) {
            check(startNs);
            LockSupport.parkNanos(this, LIMIT_NS);
        }
        check(startNs);
    }

    /**
     * Throws if the work is wrong or takes far too long.
     *
     * @param startNs when it began
     */
    void check(long startNs) {
        String what = failure;
        if (what == null && System.nanoTime() - startNs > LIMIT_NS) {
            what = "an invocation took more than " + LIMIT_NS + " ns";
        }
        if (what != null) {
            throw new IllegalStateException(what);
        }
    }
}
