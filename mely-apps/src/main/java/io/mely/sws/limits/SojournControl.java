// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides by the time that requests have waited in a core's queues whether there are too many of them, and which to refuse.
 *
 * <p><b>When.</b> A queue that comes and goes does no harm; one that stands does. So the core is overloaded when <em>no</em> request of a whole
 * interval has waited less than the target (CoDel, RFC 8289), and no longer when <em>every</em> request of one has.
 *
 * <p><b>Whether it helps.</b> Clients that ask again as soon as they are answered make a standing queue by themselves, as long as there are
 * many of them, and to refuse them makes it no shorter: they are back at once. So somebody is refused only while others <em>join</em>, who stayed away for
 * longer than one waits here, and are at least a {@value #JOINED_PART}th of the requests that are served. If then the refused come back at once, and nobody
 * joins, the control stops after a while; if that was wrong, the queue grows, others join, and it goes on.
 *
 * <p>Newcomers do not count as joining: see {@link Newcomers}.
 *
 * <p><b>Who.</b> Everybody who is connected and has waited for three targets. Requests are looked at in the order in which they came, and to refuse costs little, so
 * the others wait for no longer than that. Newcomers are refused first, at one target. There is no rate and no number of clients to be guessed.
 *
 * <p>SEDA's controllers (spec: staged servers §3.4) adapt the rate of a token bucket by the 90th percentile, after 100 samples. A rate
 * admitted by mistake takes several periods to correct; here each request is judged by its own wait.
 *
 * <p><b>Threads.</b> One, but for {@link #waitNs}, {@link #standingNs} and {@link #hasBegun}: any. <b>Costs.</b> A few comparisons a request; one more volatile
 * write while overloaded. Nothing allocated. <b>Units.</b> Nanoseconds.
 */
public final class SojournControl {
    /** Of a client that has made no request before. */
    public static final long NEVER = Long.MIN_VALUE;

    /** Who is being served already is refused last. By the model of the tests: with 2, work begun is thrown away at twice the capacity. */
    private static final int KEPT_PATIENCE = 3;

    /** So an excess of a thirtieth is seen, and a crowd that connects anew after a hundred requests is none. */
    static final int JOINED_PART = 32;

    private final long targetNs;
    private final long intervalNs;
    private volatile boolean isBegun;
    private boolean isOverloaded;
    private long intervalEndNs;
    private long leastNs;
    private long mostNs;

    // Of this interval, and half of what was counted before. Requests that were refused do not count.
    private double requests;
    private double joined;
    private boolean isRefusing;

    /** When those that wait now will have been served. Written while overloaded only. */
    private final AtomicLong drainedNs = new AtomicLong();

    private volatile boolean isStanding;
    private volatile long standingSinceNs;

    /**
     * Makes one.
     *
     * @param targetNs longest wait that may become the rule
     * @param intervalNs how long it must be exceeded
     */
    public SojournControl(long targetNs, long intervalNs) {
        this.targetNs = targetNs;
        this.intervalNs = intervalNs;
    }

    /**
     * Takes the wait of one request.
     *
     * @param sojournNs how long it has waited
     * @param awayNs time from the end of the client's last answer, or its last read, until this request came; {@link #NEVER} for the first
     * @param nowNs the time
     */
    public void observe(long sojournNs, long awayNs, long nowNs) {
        if (!isBegun || nowNs - intervalEndNs >= 0) {
            endInterval(nowNs - sojournNs, nowNs);
        }
        leastNs = Math.min(leastNs, sojournNs);
        mostNs = Math.max(mostNs, sojournNs);
        requests++;
        if (awayNs > Math.max(sojournNs, targetNs)) {
            joined++;
        }
        if (isOverloaded) {
            drainedNs.set(nowNs + sojournNs);
            isRefusing = joined * JOINED_PART > requests;
        }
    }

    /**
     * Judges the request that was observed last.
     *
     * @param sojournNs how long it has waited
     * @return true if it is to be refused
     */
    public boolean refuses(long sojournNs) {
        boolean isRefused = sojournNs > KEPT_PATIENCE * targetNs && isRefusing;
        if (isRefused) {
            requests = Math.max(0, requests - 1);
        }
        return isRefused;
    }

    private void endInterval(long cameNs, long nowNs) {
        if (isBegun && cameNs - intervalEndNs >= intervalNs) {
            isOverloaded = false; // nobody came for an interval, so no queue stood
        } else if (isBegun && leastNs > targetNs) {
            isOverloaded = true;
        } else if (mostNs <= targetNs) {
            isOverloaded = false;
        }
        if (isStanding != isOverloaded) {
            drainedNs.set(nowNs);
            standingSinceNs = nowNs;
            isStanding = isOverloaded;
        }
        isRefusing &= isOverloaded;
        isBegun = true;
        intervalEndNs = nowNs + intervalNs;
        requests /= 2;
        joined /= 2;
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
     * For how long it has been overloaded.
     *
     * @param nowNs the time
     * @return 0 if it is not
     */
    public long standingNs(long nowNs) {
        return isStanding ? nowNs - standingSinceNs : 0;
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
     * Spreads refusals evenly over those that wait too long: of who has waited {@code w > t} the part {@code 1 - t / w}, for clients that ask
     * again when they are answered exactly the part that is too many.
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
