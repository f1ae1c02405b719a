// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.TreeSet;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one core: those that wait, in the order of their deadlines, and an inbox through which any thread adds and takes back.
 *
 * <p><b>Threads.</b> The worker that has the core, but where a method says otherwise. <b>Costs.</b> O(log n) to add and to take out.
 */
final class Timers {
    private static final int FIRE_MAX = 64;

    /** How soon a timer that was refused, for want of memory, is tried again. */
    private static final long RETRY_NS = 1_000_000;

    private final Core core;
    private final TreeSet<TimerEntry> waiting = new TreeSet<>(TimerEntry::compareDeadlines);
    private final MpscUnboundedAtomicArrayQueue<TimerEntry> inbox = new MpscUnboundedAtomicArrayQueue<>(64);
    private long added;
    private boolean isRefused; // the first that waits

    Timers(Core core) {
        this.core = core;
    }

    // ------------------------------------------------------------------ any thread

    /** Starts a timer, at the core's next look. The caller wakes the core. May find no memory; then nothing has happened. */
    void add(TimerEntry timer) {
        inbox.offer(timer);
    }

    /** Takes a cancelled timer out, at the next look: there is nothing to be late for. */
    void forget(TimerEntry timer) {
        try {
            inbox.offer(timer);
        } catch (OutOfMemoryError e) {
            assert !timer.isPending() : "it is taken out at its time";
        }
    }

    // ------------------------------------------------------------------ the core

    /** Whether there is anything to look at. */
    boolean isEmpty() {
        return waiting.isEmpty() && inbox.isEmpty();
    }

    /** Whether the core may sleep: nothing is on its way in, and after a close has begun nothing waits. */
    boolean mayRest(boolean isDraining) {
        return inbox.isEmpty() && !(isDraining && !waiting.isEmpty());
    }

    /** How long until the first is due: at least 1 ns. */
    long untilNextNs(long nowNs) {
        TimerEntry first = first();
        return first == null ? Long.MAX_VALUE : isRefused ? RETRY_NS : Math.max(1, first.deadlineNs - nowNs);
    }

    /** Sends what is due, in the order of deadlines. After a close has begun all are dropped instead. Returns how many. */
    int fire(boolean isDraining, long nowNs) {
        takeIn();
        if (isDraining) {
            return drop();
        }
        isRefused = false;
        int fired = 0;
        TimerEntry timer = first();
        while (timer != null && timer.deadlineNs - nowNs <= 0 && fired < FIRE_MAX) {
            if (timer.tryFire() && !core.fire(timer)) {
                timer.retry();
                isRefused = true; // and so would be the others
                break;
            }
            boolean unused = waiting.remove(timer);
            fired++;
            timer = first();
        }
        return fired;
    }

    private @Nullable TimerEntry first() {
        return waiting.isEmpty() ? null : waiting.first();
    }

    /** All that was there when it began: a timer that is left behind may be due before one that is not. It stays in the inbox if there is no memory to put it anywhere else. */
    private void takeIn() {
        int count = inbox.size();
        try {
            for (int i = 0; i < count; i++) {
                TimerEntry timer = inbox.relaxedPeek();
                if (timer == null) {
                    return;
                }
                if (timer.isPending()) {
                    timer.sequence = ++added;
                    waiting.add(timer);
                } else {
                    waiting.remove(timer);
                }
                inbox.relaxedPoll();
            }
        } catch (OutOfMemoryError e) {
            return;
        }
    }

    private int drop() {
        int count = 0;
        for (TimerEntry timer = first(); timer != null; timer = first()) {
            boolean unused = waiting.remove(timer);
            timer.drop();
            count++;
        }
        return count;
    }

    /** Drops every timer, those on their way in included. When no thread steps the core any more, or its own at its end. */
    void dropForGood(boolean isBroken) {
        for (TimerEntry timer = last(isBroken); timer != null; timer = last(isBroken)) {
            timer.drop();
        }
        int unused = drop();
    }

    /** Waits for a sender inside its offer, unless one may never come back from it. */
    private @Nullable TimerEntry last(boolean isBroken) {
        return isBroken ? inbox.relaxedPoll() : inbox.poll();
    }
}
