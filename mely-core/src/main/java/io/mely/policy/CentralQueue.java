// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import io.mely.spi.Workers;

/**
 * One queue for all stages of the group, first in first out, from which every core takes.
 *
 * <p>It never visits a stage without work, and never leaves a core idle beside work; in return all cores meet at its lock.
 *
 * <p><b>Threads.</b> Any; the list under the lock. <b>Source.</b> spec: stages §6 (the policy called "Color" there).
 */
public final class CentralQueue implements StageGroup, StageGroup.Sink, StageGroup.Visitor {
    private final Workers workers;
    private final LaneList ready;

    /**
     * Makes an empty queue.
     *
     * @param workers that take from it
     */
    public CentralQueue(Workers workers) {
        this.workers = workers;
        ready = new LaneList(workers);
    }

    @Override
    public Sink sink(Stage<?> stage) {
        return this;
    }

    @Override
    public Visitor visitor(int core) {
        return this; // a core needs nothing of its own
    }

    @Override
    public void add(Lane lane) {
        ready.add(lane);
        workers.wakeOne();
    }

    @Override
    public int run(Worker worker) {
        int ran = 0;
        boolean isOurs = true;
        while (isOurs && !worker.isSliceOver()) {
            Lane lane = ready.poll();
            if (lane == null) {
                break;
            }
            isOurs = worker.run(lane);
            ran++;
        }
        return ran;
    }

    @Override
    public boolean hasWork() {
        return ready.size() != 0;
    }
}
