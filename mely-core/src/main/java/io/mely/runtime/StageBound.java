// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * How many events of a stage wait, and may wait; and who is to be called when there is room.
 *
 * <p>An event that leaves calls one who waits for room. The one that leaves the stage empty calls all, for who is called need not send. So nobody waits for good: <b>while somebody is in the list, an event waits too, or a thread is about to
 * {@link #look}</b>. Who begins to wait enters the list, and then reads how many events wait. Who leaves counts itself off, and then reads the list. One of them sees the other.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> All who send or run the stage's events write one line of memory.
 */
final class StageBound extends HeadPad {
    private static final AtomicIntegerFieldUpdater<StageBound> WAITING =
            AtomicIntegerFieldUpdater.newUpdater(StageBound.class, "waiting");

    private final int most;

    private volatile int waiting;

    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    private final Queue<Runnable> forRoom = new ConcurrentLinkedQueue<>();
    private volatile boolean isOver;

    StageBound(int most) {
        this.most = most;
    }

    /**
     * Counts an event that is about to be sent.
     *
     * @param isDue it was promised a place before: it is let in anyway
     * @return false if too many wait
     */
    boolean tryEnter(boolean isDue) {
        int known;
        do {
            known = waiting;
            if (known >= most && !isDue) {
                return false;
            }
        } while (!WAITING.compareAndSet(this, known, known + 1));
        return true;
    }

    /** How many wait now. */
    int waiting() {
        return waiting;
    }

    boolean hasRoom() {
        return waiting < most;
    }

    /** Its handler is about to be called. Under no lock, as {@link #look}. */
    void leave() {
        giveBack();
        look();
    }

    /** It was not sent after all. Whoever calls this calls {@link #look} next, as soon as it holds no lock. */
    void giveBack() {
        int before = WAITING.getAndDecrement(this); // before the list is read; pairs with callForRoom
        assert before > 0 : "left without having entered: waiting=" + before;
    }

    /**
     * Calls when there is room; see {@link io.mely.Stage#whenRoom}.
     *
     * @return false if there is now, or will be no more
     */
    boolean callForRoom(Runnable action) {
        if (hasRoom() || isOver) {
            return false;
        }
        forRoom.add(action); // before the count is read; pairs with giveBack
        look();
        return true;
    }

    /** Calls who waits for room, if there is some. Under no lock: it runs what the user gave. */
    void look() {
        if (forRoom.isEmpty() || !(hasRoom() || isOver)) {
            return;
        }
        do {
            Runnable action = forRoom.poll();
            if (action == null) {
                return;
            }
            try {
                action.run();
            } catch (Throwable e) { // not the matter of the event that leaves, nor of the others who wait
                Lifecycle.logError("a call for room in a stage threw", e);
            }
        } while (waiting == 0 || isOver);
    }

    /** The runtime has stopped: calls all, and keeps nobody any more. */
    void end() {
        isOver = true;
        look();
    }
}
