// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import org.jspecify.annotations.Nullable;

/**
 * One queue for all stages of the group, first in first out, from which every core takes, or the first ones only. With one core it is an event loop.
 *
 * <p>It never visits a stage without work, and never leaves one of its cores idle beside work; in return they all meet at its lock.
 *
 * <p><b>Threads.</b> Any; the list under the lock. <b>Source.</b> spec: stages §6 (the policy called "Color" there), §2.
 */
public final class CentralQueue implements StageGroup, StageGroup.Sink, StageGroup.Visitor {
    private final Workers workers;
    private final int cores;
    private final LaneList ready;

    /**
     * Makes an empty queue for all cores.
     *
     * @param workers that take from it
     */
    public CentralQueue(Workers workers) {
        this(workers, workers.cores());
    }

    /**
     * Makes an empty queue for the first cores.
     *
     * @param workers that have them
     * @param cores how many of them take from it
     */
    public CentralQueue(Workers workers, int cores) {
        this.workers = workers;
        this.cores = cores;
        ready = new LaneList(workers);
    }

    @Override
    public Sink sink(Stage<?> stage) {
        return this;
    }

    @Override
    public @Nullable Visitor visitor(int core) {
        return core < cores ? this : null; // a core needs nothing of its own
    }

    @Override
    public int threads(Stage<?> stage, int all) {
        return cores;
    }

    @Override
    public void add(Lane lane) {
        ready.add(lane);
        workers.wakeOne(0, cores);
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
