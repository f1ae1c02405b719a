// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import org.jspecify.annotations.Nullable;

/**
 * One queue, first in first out, from which the first core alone takes: a single event loop. Other cores have other groups to serve, or sleep.
 *
 * <p><b>Threads.</b> Any; the list under its lock. <b>Source.</b> spec: stages §2.
 */
public final class EventLoop implements StageGroup, StageGroup.Sink, StageGroup.Visitor {
    private final Workers workers;
    private final LaneList ready;

    /**
     * Makes an empty queue.
     *
     * @param workers whose first core takes from it
     */
    public EventLoop(Workers workers) {
        this.workers = workers;
        ready = new LaneList(workers);
    }

    @Override
    public Sink sink(Stage<?> stage) {
        return this;
    }

    @Override
    public @Nullable Visitor visitor(int core) {
        return core == 0 ? this : null;
    }

    @Override
    public int threads(Stage<?> stage, int cores) {
        return 1;
    }

    @Override
    public void add(Lane lane) {
        ready.add(lane);
        boolean unused = workers.wake(0);
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
            ran++;
            isOurs = worker.run(lane);
        }
        return ran;
    }

    @Override
    public boolean hasWork() {
        return ready.size() != 0;
    }
}
