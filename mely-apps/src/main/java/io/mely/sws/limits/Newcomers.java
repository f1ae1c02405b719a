// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.limits;

/**
 * Decides which newcomers are refused, as those who are connected have too much to wait for, or they themselves in the kernel's queue.
 *
 * <p>A crowd that connects once and stays makes others wait, too, and to refuse some of it helps nobody: they are as many as they are. So newcomers are
 * refused for what others wait only while they go on coming, for an interval after the queue was found to stand, as a {@value SojournControl#JOINED_PART}th of
 * all requests; and for their own wait only while half as many leave as come.
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> A few comparisons; what counts the others is asked once in an interval. <b>Units.</b> Nanoseconds.
 */
public final class Newcomers {
    private final long targetNs;
    private final long intervalNs;
    private final SojournControl.Excess excess;
    private Counts before = new Counts(0, 0, 0);
    private boolean isBegun;
    private boolean isPart;
    private boolean isChanging;
    private long intervalEndNs;

    /**
     * What a server has counted from its start.
     *
     * @param accepted connections, those that were refused among them
     * @param closed connections
     * @param responses to requests
     */
    public record Counts(long accepted, long closed, long responses) {}

    /** Where the counts come from. */
    @FunctionalInterface
    public interface Counter {
        /**
         * Counts, which may take a while.
         *
         * @return up to now
         */
        Counts count();
    }

    /**
     * Makes one.
     *
     * @param targetNs longest wait that may become the rule
     * @param intervalNs how long it must be exceeded
     */
    public Newcomers(long targetNs, long intervalNs) {
        this.targetNs = targetNs;
        this.intervalNs = intervalNs;
        excess = new SojournControl.Excess(targetNs);
    }

    /**
     * Judges the next one.
     *
     * @param insideNs how long it is going to wait inside; 0 if no queue stands there
     * @param standingNs for how long that queue has been standing
     * @param kernelNs how long it has waited to be accepted, if a queue stands there
     * @param nowNs the time
     * @param counter of the server
     * @return true if it is to be refused; then call {@link #refused}
     */
    public boolean refuses(long insideNs, long standingNs, long kernelNs, long nowNs, Counter counter) {
        if (!isBegun || nowNs - intervalEndNs >= 0) {
            endInterval(nowNs, counter.count());
        }
        if (insideNs > targetNs) {
            return isPart && standingNs > intervalNs && excess.refuses(insideNs);
        }
        return isChanging && excess.refuses(kernelNs);
    }

    /** The refusal was carried out. */
    public void refused() {
        excess.refused();
    }

    private void endInterval(long nowNs, Counts now) {
        if (isBegun) {
            long accepted = now.accepted - before.accepted;
            isPart = accepted * SojournControl.JOINED_PART > now.responses - before.responses;
            isChanging = 2 * (now.closed - before.closed) >= accepted;
        }
        isBegun = true;
        before = now;
        intervalEndNs = nowNs + intervalNs;
    }
}
