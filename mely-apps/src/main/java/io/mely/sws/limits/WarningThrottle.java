// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Lets one message through in ten seconds, with how many were not told before it: what goes wrong with each request must not fill the log.
 *
 * <p><b>Threads.</b> Any.
 */
public final class WarningThrottle {
    private static final long EVERY_MS = TimeUnit.SECONDS.toMillis(10);

    private final Logger log;
    private final LongSupplier clockMs;
    private final AtomicLong nextMs;
    private final AtomicLong untold = new AtomicLong();

    /**
     * Makes one that lets the first message through.
     *
     * @param log where it goes
     * @param clockMs any clock
     */
    public WarningThrottle(Logger log, LongSupplier clockMs) {
        this.log = log;
        this.clockMs = clockMs;
        nextMs = new AtomicLong(clockMs.getAsLong());
    }

    /**
     * Tells, or counts.
     *
     * @param level of the message
     * @param message whole
     */
    public void tell(Level level, String message) {
        long nowMs = clockMs.getAsLong();
        long next = nextMs.get();
        if (nowMs - next < 0 || !nextMs.compareAndSet(next, nowMs + EVERY_MS)) {
            untold.incrementAndGet();
            return;
        }
        long before = untold.getAndSet(0);
        log.log(level, before == 0 ? message : message + " (messages like this not told before: " + before + ")");
    }
}
