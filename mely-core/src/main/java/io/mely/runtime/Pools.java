// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.MelyStats;
import io.mely.spi.StageGroup;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

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

    MelyStats.PoolStats stats() {
        long run = Books.sum(workers, EventWorker::runAcquire); // before accepted: see Sender
        long refused = Books.sum(workers, worker -> worker.sender.refusedAcquire());
        long sent = Books.sum(workers, worker -> worker.sender.acceptedAcquire()) + refused;
        return new MelyStats.PoolStats(workers.size(), sent, refused, run, Books.sum(workers, EventWorker::failed));
    }
}
