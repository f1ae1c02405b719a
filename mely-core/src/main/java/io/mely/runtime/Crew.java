// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one core: the one that has it, those that stand still in a handler, and spare ones.
 *
 * <pre>
 *   SPARE ──take──► the core's worker ──{@link Watch}: stands still──► in its handler ──returns, ends its color──► SPARE
 * </pre>
 *
 * <p>A worker works for one core for good, so the figures of a core are the sums of its workers', and a pinned worker stays on its core's CPU.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> {@code workersPerCore} of the configuration: when all of them stand still, so does the core.
 */
final class Crew {
    private final Core core;
    private final int most;
    private final ArrayDeque<CoreWorker> spare = new ArrayDeque<>(); // guarded by this
    private volatile CoreWorker[] all;

    Crew(Core core, CoreWorker first, int most) {
        this.core = core;
        this.most = most;
        all = new CoreWorker[] {first};
    }

    /** All there are: never changed, but replaced by a longer one. */
    CoreWorker[] all() {
        return all;
    }

    /** Takes a spare worker, which waits for its core, or makes one. Null if there are as many as there may be, or no more threads are to be had. */
    synchronized @Nullable CoreWorker take() {
        CoreWorker worker = spare.poll();
        return worker != null || all.length == most ? worker : made();
    }

    private @Nullable CoreWorker made() {
        CoreWorker worker = core.newWorker();
        CoreWorker[] longer = Arrays.copyOf(all, all.length + 1);
        longer[all.length] = worker;
        if (!core.runtime().life().startWorker(worker, all.length)) {
            worker.sender.pool.drainTo(worker.sender.pool); // it is empty: the depot allows for it no more
            return null;
        }
        all = longer;
        return worker;
    }

    /** The worker waits for its core from now on; see {@link CoreWorker#awaitCore}. */
    boolean awaitCore(CoreWorker worker) {
        give(worker);
        return worker.awaitCore();
    }

    /** The worker is spare. It is woken, as everything may have stopped while somebody had taken it. */
    synchronized void give(CoreWorker worker) {
        spare.push(worker);
        LockSupport.unpark(worker.thread);
    }

    /** The worker waits no more. False if somebody has taken it, and is about to give it the core. */
    synchronized boolean leave(CoreWorker worker) {
        return spare.remove(worker);
    }

    /** Wakes those that wait, as everything stops. */
    void wakeAll() {
        for (CoreWorker worker : all) {
            LockSupport.unpark(worker.thread);
        }
    }
}
