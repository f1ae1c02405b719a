// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.queue.RecordDepot;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The senders of threads that are not cores. A platform thread keeps one of its own; virtual threads share one under a lock, as a
 * pool for each of millions would cost more than it saves.
 *
 * <p>The sender of a thread that has died is folded in: its records go to the shared pool and its counters to the sums.
 */
final class OutsideSenders {
    private final EngineRuntime runtime;
    private final RecordDepot depot;
    /** A simulator exchanges the value, to be many senders on one thread. */
    final ThreadLocal<OutsideSender> ofThread = ThreadLocal.withInitial(this::register);

    private final List<Entry> entries = new ArrayList<>(); // guarded by this
    private final OutsideSender shared;
    private long acceptedByDead; // guarded by this
    private long refusedByDead; // guarded by this

    private record Entry(WeakReference<Thread> thread, OutsideSender sender) {
        boolean isDead() {
            Thread owner = thread.get();
            return owner == null || !owner.isAlive();
        }
    }

    OutsideSenders(EngineRuntime runtime, RecordDepot depot) {
        this.runtime = runtime;
        this.depot = depot;
        shared = new OutsideSender(runtime, depot);
    }

    /** The calling thread's own sender. Platform threads only. */
    OutsideSender own() {
        return ofThread.get();
    }

    /** The sender of all virtual threads; hold its monitor. */
    OutsideSender shared() {
        return shared;
    }

    private synchronized OutsideSender register() {
        foldDead();
        OutsideSender sender = new OutsideSender(runtime, depot);
        entries.add(new Entry(new WeakReference<>(Thread.currentThread()), sender));
        return sender;
    }

    private void foldDead() {
        for (Iterator<Entry> it = entries.iterator(); it.hasNext(); ) {
            Entry entry = it.next();
            if (entry.isDead()) {
                acceptedByDead += entry.sender.decidedAcquire();
                refusedByDead += entry.sender.refusedAcquire();
                synchronized (shared) {
                    entry.sender.pool.drainTo(shared.pool);
                }
                it.remove();
            }
        }
    }

    synchronized long accepted() {
        long sum = acceptedByDead + shared.acceptedAcquire();
        for (Entry entry : entries) {
            sum += entry.sender.acceptedAcquire();
        }
        return sum;
    }

    synchronized long decided() {
        long sum = acceptedByDead + shared.decidedAcquire();
        for (Entry entry : entries) {
            sum += entry.sender.decidedAcquire();
        }
        return sum;
    }

    /** Some thread has counted an event and does not know yet whether a close refuses it. */
    synchronized boolean areUndecided() {
        for (Entry entry : entries) {
            if (entry.sender.isUndecided()) {
                return true;
            }
        }
        return shared.isUndecided();
    }

    synchronized long refused() {
        long sum = refusedByDead + shared.refusedAcquire();
        for (Entry entry : entries) {
            sum += entry.sender.refusedAcquire();
        }
        return sum;
    }
}
