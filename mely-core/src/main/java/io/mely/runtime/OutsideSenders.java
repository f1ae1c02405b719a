// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.memory.HeadPad;
import io.mely.queue.RecordDepot;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The senders of threads that are not cores. A platform thread keeps one of its own; virtual threads share one under a lock, as a
 * pool for each of millions would cost more than it saves.
 *
 * <p>The sender of a thread that has died is folded in: its records go to the shared pool and its counters to the sums. A thread that outlives the runtime lets
 * go of it when that is closed: what the thread keeps for good is an empty {@link Place}.
 */
final class OutsideSenders {
    private final EngineRuntime runtime;
    private final RecordDepot depot;
    /** A simulator exchanges the value, to be many senders on one thread. */
    final ThreadLocal<Place> ofThread = ThreadLocal.withInitial(this::register);

    private final List<Entry> entries = new ArrayList<>(); // guarded by this
    private final OutsideSender shared;
    private long acceptedByDead; // guarded by this
    private long refusedByDead; // guarded by this
    private boolean isReleased; // guarded by this

    /**
     * What a thread keeps of the runtime. A sender leads to the runtime and so to the key of this thread-local: as the value itself it would keep both for as
     * long as the thread lives.
     */
    static final class Place extends HeadPad {
        /** Null once the runtime is closed; who still sees it is refused by the phase. */
        private @Nullable OutsideSender sender;

        @SuppressWarnings("unused") // each send reads the place: nobody else's writes may lie on its line
        private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;
    }

    private record Entry(WeakReference<Thread> thread, Place place, OutsideSender sender) {
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

    /** The calling thread's own sender, null once the runtime is closed. Platform threads only. */
    @Nullable
    OutsideSender own() {
        return ofThread.get().sender;
    }

    /** After the close: threads keep nothing of the runtime. What they send from now on is refused by way of {@link #shared}. */
    synchronized void release() {
        isReleased = true;
        for (Entry entry : entries) {
            entry.place.sender = null;
        }
    }

    /** The sender of all virtual threads; hold its monitor. */
    OutsideSender shared() {
        return shared;
    }

    private synchronized Place register() {
        Place place = new Place();
        if (!isReleased) {
            foldDead();
            OutsideSender sender = new OutsideSender(runtime, depot);
            place.sender = sender;
            entries.add(new Entry(new WeakReference<>(Thread.currentThread()), place, sender));
        }
        return place;
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
