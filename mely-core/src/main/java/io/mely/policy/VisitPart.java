// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.NanoClock;
import io.mely.spi.Workers;
import java.util.Arrays;

/**
 * Some cores, and the stages between which they go: all, a copy of all, or a part.
 *
 * <p><b>Threads.</b> Any.
 */
final class VisitPart {
    private final Workers workers;
    private final int firstCore;
    private final int endCore;
    private volatile StageQueue[] queues = new StageQueue[0];

    /** Of the cores from the first one to before the end. */
    VisitPart(Workers workers, int firstCore, int endCore) {
        this.workers = workers;
        this.firstCore = firstCore;
        this.endCore = endCore;
    }

    /** Under the group's monitor. */
    void add(StageQueue queue) {
        StageQueue[] longer = Arrays.copyOf(queues, queues.length + 1);
        longer[queues.length] = queue;
        queues = longer;
    }

    StageQueue queue(int stage) {
        return queues[stage];
    }

    /** Wakes one of its cores that sleeps, if one does. */
    void wakeOne() {
        boolean unused = workers.wakeOne(firstCore, endCore);
    }

    NanoClock clock() {
        return workers.clock();
    }

    int count() {
        return queues.length;
    }

    /** Whether a core is one of those that visit the stages. */
    boolean isOf(int core) {
        return core >= firstCore && core < endCore;
    }
}
