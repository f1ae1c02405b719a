// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides by the time that requests have waited in a core's queues whether there are too many of them, and which to refuse.
 *
 * <p>A queue that comes and goes does no harm; one that stands does. So the core is overloaded when <em>no</em> request of a whole interval
 * has waited less than the target (CoDel, RFC 8289), and no longer when <em>every</em> request of one has. While it is, of the requests
 * that have waited {@code w > t} the part {@code 1 - t / w} is refused, evenly spread ({@link Excess}): for clients that ask again when
 * they are answered it is exactly the part that is too many, and when twice as many requests come as can be served it settles
 * where half of them are refused, after a wait of {@code 2 t}. For newcomers {@code t} is the target; who is connected already has three times the
 * patience, so newcomers are refused first. There is no rate and no number of clients to be guessed.
 *
 * <p>SEDA's controllers (spec: staged servers §3.4) adapt the rate of a token bucket by the 90th percentile, after 100 samples. A rate
 * admitted by mistake takes several periods to correct; here each request is judged by its own wait.
 *
 * <p><b>Threads.</b> One, but for {@link #waitNs} and {@link #hasBegun}: any. <b>Costs.</b> A few comparisons a request; one more volatile write
 * while overloaded. Nothing allocated. <b>Units.</b> Nanoseconds.
 */
public final class SojournControl {
    /** Who is being served already is refused last. By the model of the tests: with 2, work begun is thrown away at twice the capacity. */
    private static final int KEPT_PATIENCE = 3;

    private final long targetNs;
    private final long intervalNs;
    private final Excess excess;
    private volatile boolean isBegun;
    private boolean isOverloaded;
    private long intervalEndNs;
    private long leastNs;
    private long mostNs;

    /** When those that wait now will have been served. Written while overloaded only. */
    private final AtomicLong drainedNs = new AtomicLong();

    private volatile boolean isStanding;

    /**
     * Makes one.
     *
     * @param targetNs longest wait that may become the rule
     * @param intervalNs how long it must be exceeded
     */
    public SojournControl(long targetNs, long intervalNs) {
        this.targetNs = targetNs;
        this.intervalNs = intervalNs;
        excess = new Excess(KEPT_PATIENCE * targetNs);
    }

    /**
     * Takes the wait of one request.
     *
     * @param sojournNs how long it has waited
     * @param nowNs the time
     */
    public void observe(long sojournNs, long nowNs) {
        if (!isBegun || nowNs - intervalEndNs >= 0) {
            endInterval(nowNs);
        }
        leastNs = Math.min(leastNs, sojournNs);
        mostNs = Math.max(mostNs, sojournNs);
        if (isOverloaded) {
            drainedNs.set(nowNs + sojournNs);
        }
    }

    /**
     * Judges the request that was observed last.
     *
     * @param sojournNs how long it has waited
     * @return true if it is to be refused
     */
    public boolean refuses(long sojournNs) {
        boolean isRefused = isOverloaded && excess.refuses(sojournNs);
        if (isRefused) {
            excess.refused();
        }
        return isRefused;
    }

    private void endInterval(long nowNs) {
        if (isBegun && leastNs > targetNs) {
            isOverloaded = true;
        } else if (mostNs <= targetNs) {
            isOverloaded = false;
        }
        if (isStanding != isOverloaded) {
            drainedNs.set(nowNs);
            isStanding = isOverloaded;
        }
        isBegun = true;
        intervalEndNs = nowNs + intervalNs;
        leastNs = Long.MAX_VALUE;
        mostNs = 0;
    }

    /**
     * How long a request that comes now is going to wait, if the core is overloaded: as long as the last one, less the time that has
     * passed since, for by then all that were behind it have been served.
     *
     * @param nowNs the time
     * @return 0 if it is not overloaded
     */
    public long waitNs(long nowNs) {
        return isStanding ? Math.max(0, drainedNs.get() - nowNs) : 0;
    }

    /**
     * Whether there has been a request.
     *
     * @return true from the first one on
     */
    public boolean hasBegun() {
        return isBegun;
    }

    /**
     * Spreads refusals evenly over those that wait too long.
     *
     * <p><b>Threads.</b> One at a time.
     */
    public static final class Excess {
        private final double targetNs;
        private double due;

        /**
         * Makes one.
         *
         * @param targetNs longest wait without refusals
         */
        public Excess(long targetNs) {
            this.targetNs = targetNs;
        }

        /**
         * Judges one.
         *
         * @param sojournNs how long it has waited, or is going to
         * @return true if it is to be refused; then call {@link #refused}
         */
        public boolean refuses(long sojournNs) {
            if (sojournNs <= targetNs) {
                return false;
            }
            if (due < 1) {
                due += 1 - targetNs / sojournNs;
            }
            return due >= 1;
        }

        /** The refusal was carried out. */
        public void refused() {
            due -= 1;
        }
    }
}
