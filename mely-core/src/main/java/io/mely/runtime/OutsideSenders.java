// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The senders of threads that are not cores. A platform thread keeps one of its own; virtual threads share some, each under its monitor, as a
 * pool for each of millions would cost more than it saves.
 *
 * <p>The sender of a thread that has died is folded in: its records go to the shared pool and its counters to the sums. A thread that outlives the runtime lets
 * go of it when that is closed: what the thread keeps for good is an empty {@link Place}.
 */
final class OutsideSenders {
    /** Slots. A power of two. Guess: as many threads as that send all the time. */
    private static final int FAST = 64;

    /** Senders of virtual threads. A power of two. Guess: more than there are carriers on most machines. */
    private static final int SHARED = 16;

    /** Keeps them two lines away from what others write. */
    private static final int FAST_PAD = 32;

    private final MelyRuntime runtime;
    private final RecordDepot depot;
    private final ThreadLocal<Place> ofThread = ThreadLocal.withInitial(this::register);

    /** Those of some threads, by {@link #fastSlot}: a hint. Who finds its slot taken uses the thread-local. */
    private final @Nullable OutsideSender[] fast = new @Nullable OutsideSender[FAST + 2 * FAST_PAD];

    private final List<Entry> entries = new ArrayList<>(); // guarded by this
    private final AtomicReferenceArray<@Nullable OutsideSender> shared = new AtomicReferenceArray<>(SHARED);
    private long acceptedByDead; // guarded by this
    private long refusedByDead; // guarded by this
    private final StageCounts stagesOfDead = new StageCounts(); // guarded by this
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

    private record Entry(Place place, OutsideSender sender) {}

    OutsideSenders(MelyRuntime runtime, RecordDepot depot) {
        this.runtime = runtime;
        this.depot = depot;
    }

    /** The calling thread's own sender; null once the runtime is closed, and to virtual threads. A thread-local costs twice as many loads. */
    @Nullable
    OutsideSender own() {
        Thread thread = Thread.currentThread();
        OutsideSender known = fast[fastSlot(thread)];
        return known != null && known.isOf(thread) ? known : ownLookedUp(thread);
    }

    private @Nullable OutsideSender ownLookedUp(Thread thread) {
        if (Threads.isVirtual(thread)) {
            return null;
        }
        OutsideSender sender = ofThread.get().sender;
        int slot = fastSlot(thread);
        if (fast[slot] == null) {
            fast[slot] = sender;
        }
        return sender;
    }

    private static int fastSlot(Thread thread) {
        return FAST_PAD + ((int) thread.getId() & FAST - 1);
    }

    /** For a simulator, in which one thread is many senders: makes it a new one. */
    Place becomeNew() {
        become(null);
        return ofThread.get();
    }

    /** The same: makes the calling thread the sender of a place; of none. */
    void become(@Nullable Place place) {
        if (place == null) {
            ofThread.remove();
        } else {
            ofThread.set(place);
        }
        fast[fastSlot(Thread.currentThread())] = null;
    }

    /** After the close: threads keep nothing of the runtime. What they send from now on is refused by way of {@link #shared}. */
    synchronized void release() {
        isReleased = true;
        for (Entry entry : entries) {
            entry.place.sender = null;
        }
    }

    /** The sender of the calling thread if it has none of its own; hold its monitor. */
    OutsideSender shared() {
        long id = Thread.currentThread().getId();
        int index = (int) (id ^ id >>> 4) & SHARED - 1;
        OutsideSender known = shared.getAcquire(index);
        return known != null ? known : sharedMade(index);
    }

    private synchronized OutsideSender sharedMade(int index) {
        OutsideSender known = shared.getAcquire(index);
        if (known == null) {
            known = new OutsideSender(runtime, depot, null);
            shared.setRelease(index, known);
        }
        return known;
    }

    private synchronized Place register() {
        Place place = new Place();
        if (!isReleased) {
            foldDead();
            OutsideSender sender = new OutsideSender(runtime, depot, Thread.currentThread());
            place.sender = sender;
            entries.add(new Entry(place, sender));
        }
        return place;
    }

    private void foldDead() {
        for (Iterator<Entry> it = entries.iterator(); it.hasNext(); ) {
            Entry entry = it.next();
            if (entry.sender.isOfNobody()) {
                acceptedByDead += entry.sender.decidedAcquire();
                refusedByDead += entry.sender.refusedAcquire();
                stagesOfDead.addAll(entry.sender.stages);
                OutsideSender heir = shared();
                synchronized (heir) {
                    entry.sender.pool.drainTo(heir.pool);
                }
                foldForget(entry.sender);
                it.remove();
            }
        }
    }

    private void foldForget(OutsideSender dead) {
        for (int i = 0; i < fast.length; i++) {
            if (fast[i] == dead) {
                fast[i] = null;
            }
        }
    }

    synchronized long accepted() {
        return acceptedByDead + sum(Sender::acceptedAcquire);
    }

    synchronized long decided() {
        return acceptedByDead + sum(OutsideSender::decidedAcquire);
    }

    synchronized long refused() {
        return refusedByDead + sum(Sender::refusedAcquire);
    }

    /** Adds what was counted for a stage. */
    synchronized void addTo(StageCounts.Count sum, int stage) {
        stagesOfDead.addTo(sum, stage);
        long unused = sum(sender -> {
            sender.stages.addTo(sum, stage);
            return 0;
        });
    }

    /** Some thread has counted an event and does not know yet whether a close refuses it. */
    synchronized boolean areUndecided() {
        return sum(sender -> sender.isUndecided() ? 1 : 0) != 0;
    }

    private long sum(ToLongFunction<OutsideSender> figure) {
        long sum = 0;
        for (int i = 0; i < SHARED; i++) {
            OutsideSender sender = shared.getAcquire(i);
            sum += sender == null ? 0 : figure.applyAsLong(sender);
        }
        for (Entry entry : entries) {
            sum += figure.applyAsLong(entry.sender);
        }
        return sum;
    }
}
