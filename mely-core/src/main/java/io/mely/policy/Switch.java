// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * When a visit is interrupted for the sake of another stage: that has too long a queue, or was not visited for too long and has something to run. The other stage is served until its queue is empty, without a further
 * switch.
 *
 * <p><b>Source.</b> spec: stages §4, threshold switch.
 */
final class Switch {
    private final int waitingMax;
    private final long unvisitedNsMax;

    Switch(int waitingMax, Duration unvisitedMax) {
        this.waitingMax = waitingMax;
        unvisitedNsMax = TimeUnit.NANOSECONDS.convert(unvisitedMax);
    }

    /** The stage that is beyond its limits most; -1 if none is. */
    int urgent(VisitPart group, int visited, int core) {
        long nowNs = group.clock().nanoTime();
        int urgent = -1;
        int most = 0;
        for (int i = group.count() - 1; i >= 0; i--) {
            int waiting = i == visited ? 0 : group.queue(i).waiting(core);
            boolean isBeyond = waiting > waitingMax
                    || (waiting > 0 && nowNs - group.queue(i).visitedNs() > unvisitedNsMax);
            if (isBeyond && waiting >= most) {
                urgent = i;
                most = waiting;
            }
        }
        return urgent;
    }
}
