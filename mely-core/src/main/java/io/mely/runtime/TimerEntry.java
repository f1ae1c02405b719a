// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Timer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One timer. It stays with the core that was its color's home, or its creator, and fires there; the event finds its color wherever that
 * lives then.
 *
 * <pre>
 *   WAITING ──fire──► SENT          fire: the owner; cancel: any thread; drop: the owner at a close.
 *      │ └──cancel──► CANCELLED     Each is one CAS, so exactly one wins.
 *      └────drop────► DROPPED
 * </pre>
 */
final class TimerEntry extends AtomicInteger implements Timer {
    private static final long serialVersionUID = 1L;

    private static final int WAITING = 0;
    private static final int SENT = 1;
    private static final int CANCELLED = 2;
    private static final int DROPPED = 3;

    final transient ColorImpl color;
    final transient StageImpl<?> stage;
    final transient @Nullable Object event;
    final transient Core owner;

    final long deadlineNs;
    /** Order among equal deadlines, set by the owner; 0 before. */
    long sequence;

    TimerEntry(Core owner, ColorImpl color, StageImpl<?> stage, @Nullable Object event, long deadlineNs) {
        this.owner = owner;
        this.color = color;
        this.stage = stage;
        this.event = event;
        this.deadlineNs = deadlineNs;
    }

    /** First come, first served among equals. Deadlines are compared by difference, as the clock may wrap. */
    static int compareDeadlines(TimerEntry a, TimerEntry b) {
        long laterNs = a.deadlineNs - b.deadlineNs;
        return Long.signum(laterNs != 0 ? laterNs : a.sequence - b.sequence);
    }

    @Override
    public boolean cancel() {
        StackRoom.check();
        return cancelChecked();
    }

    /** The same, if the room on the stack was checked before. */
    boolean cancelChecked() {
        if (!compareAndSet(WAITING, CANCELLED)) {
            return false;
        }
        owner.timers().forget(this);
        return true;
    }

    @Override
    public boolean isPending() {
        return get() == WAITING;
    }

    boolean tryFire() {
        return compareAndSet(WAITING, SENT);
    }

    /** Back after a send that was refused for want of room: tried again later. */
    void retry() {
        set(WAITING);
    }

    /** The close came first. */
    void drop() {
        if (compareAndSet(WAITING, DROPPED)) {
            color.runtime().books().countDroppedTimer();
        }
    }
}
