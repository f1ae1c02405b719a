// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.util.Arrays;

/**
 * Each stage its share of this core's time: the waiting stage that has used least is next, and stays until it has used more than the next one of those that wait.
 *
 * <p>A stage that had nothing to run does not save up its share: when it has again, it counts as having used as much as the least of those that waited all along.
 *
 * <p>A core leaves a visit to poll after a time slice, and shares are looked at only then: so stages are not changed for each event. <b>Source.</b> spec: stages §14, item 4; the virtual time of Linux's completely
 * fair scheduler.
 */
final class FairShare implements VisitOrder {
    /** A visit lasts as long, where others wait: the time slice after which a core polls anyway. */
    private static final long SLICE_NS = 100_000;

    private long[] usedNs = {};
    private boolean[] hasWaited = {};
    private long baseNs; // no stage that waits has used less
    private long stayNs; // of the visit under way

    @Override
    public int next(Stages stages, Visit last) {
        int count = stages.count();
        if (usedNs.length != count) {
            usedNs = Arrays.copyOf(usedNs, count);
            hasWaited = Arrays.copyOf(hasWaited, count);
        }
        if (last.served() > 0) {
            usedNs[last.stage()] += last.elapsedNs();
        }
        long leastOfOld = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            hasWaited[i] &= stages.waiting(i) > 0;
            leastOfOld = hasWaited[i] ? Math.min(leastOfOld, usedNs[i]) : leastOfOld;
        }
        if (leastOfOld != Long.MAX_VALUE) {
            baseNs = Math.max(baseNs, leastOfOld);
        }
        int next = 0;
        long least = Long.MAX_VALUE;
        long second = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            if (stages.waiting(i) == 0) {
                continue;
            }
            if (!hasWaited[i]) {
                hasWaited[i] = true;
                usedNs[i] = Math.max(usedNs[i], baseNs);
            }
            boolean isNext = usedNs[i] < least || (usedNs[i] == least && next == last.stage());
            second = Math.min(second, isNext ? least : usedNs[i]);
            if (isNext) {
                least = usedNs[i];
                next = i;
            }
        }
        stayNs = second == Long.MAX_VALUE ? SLICE_NS : second - least + SLICE_NS;
        return next;
    }

    @Override
    public boolean stays(Stages stages, Visit current) {
        return current.elapsedNs() < stayNs;
    }
}
