// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.MelyStats;
import io.mely.spi.StageGroup;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToLongFunction;

/**
 * The groups that have threads of their own, and the workers on these. A worker whose thread has ended stays, for the books.
 *
 * <p><b>Threads.</b> Any.
 */
final class Pools {
    private final List<StageGroup> groups = new CopyOnWriteArrayList<>();
    private final List<PoolWorker> workers = new CopyOnWriteArrayList<>();
    private boolean isStopped; // guarded by this

    void add(StageGroup group) {
        groups.add(group);
    }

    /** A worker whose thread is about to start. False if everything has stopped. */
    synchronized boolean add(PoolWorker worker) {
        return !isStopped && workers.add(worker);
    }

    /** Its thread could not be started. */
    void remove(PoolWorker worker) {
        workers.remove(worker);
    }

    List<PoolWorker> workers() {
        return workers;
    }

    void start() {
        groups.forEach(StageGroup::start);
    }

    /** Tells the groups once that nothing runs any more. */
    void stop() {
        synchronized (this) {
            if (isStopped) {
                return;
            }
            isStopped = true;
        }
        groups.forEach(StageGroup::stop);
    }

    long runAcquire() {
        return sum(EventWorker::runAcquire);
    }

    /** Adds what was counted for a stage. */
    void addTo(StageCounts.Count sum, int stage) {
        for (PoolWorker each : workers) {
            each.sender.stages.addTo(sum, stage);
        }
    }

    long acceptedAcquire() {
        return sum(worker -> worker.sender.acceptedAcquire());
    }

    private long sum(ToLongFunction<PoolWorker> figure) {
        long sum = 0;
        for (PoolWorker worker : workers) {
            sum += figure.applyAsLong(worker);
        }
        return sum;
    }

    MelyStats.PoolStats stats() {
        long run = runAcquire(); // before accepted: see Sender
        long refused = sum(worker -> worker.sender.refusedAcquire());
        return new MelyStats.PoolStats(
                workers.size(), acceptedAcquire() + refused, refused, run, sum(EventWorker::failed));
    }
}
