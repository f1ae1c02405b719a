// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A rate with bursts: the bucket of tokens in its virtual-scheduling form (GCRA, ITU-T I.371), which is one number, the time at which
 * the bucket will be full again.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> One CAS a call; nothing allocated. <b>Units.</b> Nanoseconds of any clock that does not go back.
 */
public final class RateLimit {
    private final long intervalNs;
    private final long burstNs;
    private final AtomicLong fullNs;

    /**
     * Makes a full bucket.
     *
     * @param perSecond rate in the long run, 1 to 1,000,000
     * @param burst most at once, 1 to 1,000,000
     * @param nowNs the time
     */
    public RateLimit(int perSecond, int burst, long nowNs) {
        intervalNs = TimeUnit.SECONDS.toNanos(1) / perSecond;
        burstNs = intervalNs * burst;
        fullNs = new AtomicLong(nowNs);
    }

    /**
     * Takes a token.
     *
     * @param nowNs the time
     * @return false if there is none
     */
    public boolean take(long nowNs) {
        while (true) {
            long full = fullNs.get();
            long next = (full - nowNs > 0 ? full : nowNs) + intervalNs;
            if (next - nowNs > burstNs) {
                return false;
            }
            if (fullNs.compareAndSet(full, next)) {
                return true;
            }
        }
    }

    /** Gives a token back that was taken. */
    public void giveBack() {
        fullNs.addAndGet(-intervalNs);
    }

    /**
     * Tells whether a new bucket would be the same.
     *
     * @param nowNs the time
     * @return true if no token is missing
     */
    public boolean isFull(long nowNs) {
        return fullNs.get() - nowNs <= 0;
    }
}
