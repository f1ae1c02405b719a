// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.MelyStats;
import io.mely.spi.StageGroup;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The groups that have threads of their own, and the workers on these. A worker whose thread has ended stays, for the books, and gets the next thread.
 *
 * <p><b>Threads.</b> Any.
 */
final class Pools {
    private final List<StageGroup> groups = new CopyOnWriteArrayList<>();
    private final List<PoolWorker> workers = new CopyOnWriteArrayList<>();
    private final Deque<PoolWorker> idle = new ArrayDeque<>(); // without a thread; guarded by this
    private boolean isStopped; // guarded by this

    void add(StageGroup group) {
        groups.add(group);
    }

    /** A worker for a thread that is about to start: of a thread that has ended, or a new one. Null if everything has stopped. */
    synchronized @Nullable PoolWorker take(Supplier<PoolWorker> maker) {
        if (isStopped) {
            return null;
        }
        PoolWorker free = idle.poll();
        if (free == null) {
            free = maker.get();
            workers.add(free);
        }
        return free;
    }

    /** Its thread has ended, or could not be started. */
    synchronized void giveBack(PoolWorker worker) {
        idle.push(worker);
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
