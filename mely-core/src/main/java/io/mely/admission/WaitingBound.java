// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import org.jspecify.annotations.Nullable;

/**
 * A bound on how many events wait, so that their response time has its 90th percentile at nine tenths of the target.
 *
 * <p>The response time of a stage under overload is the bound over the service rate. So a bound that was reached is multiplied by what the percentile should be over what it is. Where none was reached, the number of events inside is taken instead, by
 * Little's law: the sum of the response times over the time in which the stage had work. A bound that nothing reaches, while the percentile is below the target, stays as it is.
 *
 * <p>A rate would have to equal the service rate: the smallest difference adds up in the queue, and is seen a response time later. A bound keeps the cores busy whatever the service rate does.
 *
 * <p>Events that were let in before the last decision say nothing about it, and are left out. So each decision is judged before the next one.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §3.4, threshold variant; its steps of one event are replaced by the ratio.
 */
final class WaitingBound implements Admission {
    private static final int SAMPLES = 100; // as in the source

    /** Of the target: the source's lower limit. Then most of the last tenth is in time, too. */
    private static final double AIM = 0.9;

    /** Largest step up: the percentile of a period in which the bound was reached only now and then is too low. */
    private static final double GROWTH_MAX = 2;

    private final long targetNs;
    private volatile int most = Integer.MAX_VALUE;
    private volatile boolean isReached; // since the last decision

    // guarded by this
    private final Sojourns sojourns;
    private long decidedNs = Long.MIN_VALUE;
    private long lastNs = Long.MIN_VALUE; // end of the last event
    private double sumNs;
    private double busyNs;

    WaitingBound(long targetNs) {
        this.targetNs = targetNs;
        sojourns = new Sojourns(SAMPLES, targetNs, 0);
    }

    @Override
    public boolean admits(@Nullable Object event, int waiting, long nowNs) {
        if (waiting < most) {
            return true;
        }
        if (!isReached) {
            isReached = true;
        }
        return false;
    }

    @Override
    public synchronized void ran(@Nullable Object event, long sojournNs, long nowNs) {
        long sentNs = nowNs - sojournNs;
        if (sentNs >= decidedNs) {
            sumNs += sojournNs;
            busyNs += Math.max(0, nowNs - Math.max(sentNs, lastNs));
            if (sojourns.add(sojournNs, nowNs)) {
                decide(sojourns.p90Ns(), nowNs);
            }
        }
        lastNs = Math.max(lastNs, nowNs);
    }

    private void decide(double p90Ns, long nowNs) {
        boolean wasReached = isReached;
        if (wasReached || p90Ns > targetNs) {
            double waited = wasReached ? most : sumNs / busyNs;
            double factor = Math.min(GROWTH_MAX, AIM * targetNs / p90Ns);
            most = (int) Math.max(1, Math.min(Math.rint(waited * factor), Integer.MAX_VALUE));
        }
        isReached = false;
        decidedNs = nowNs;
        sumNs = 0;
        busyNs = 0;
    }

    /** How many may wait now. */
    int most() {
        return most;
    }
}
