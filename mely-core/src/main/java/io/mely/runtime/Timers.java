// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one core: a heap of those that wait, and an inbox through which any thread adds and takes back.
 *
 * <p><b>Threads.</b> The worker that has the core, but where a method says otherwise.
 */
final class Timers {
    private static final int DRAIN_MAX = 64;
    private static final int FIRE_MAX = 64;

    /** How soon a timer that was refused, for want of memory, is tried again. */
    private static final long RETRY_NS = 1_000_000;

    private final Core core;
    private final TimerHeap waiting = new TimerHeap();
    private final MpscUnboundedVarHandleArrayQueue<TimerEntry> inbox = new MpscUnboundedVarHandleArrayQueue<>(64);

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
        return waiting.size() == 0 && inbox.isEmpty();
    }

    /** Whether the core may sleep: nothing is on its way in, and after a close has begun nothing waits. */
    boolean mayRest(boolean isDraining) {
        return inbox.isEmpty() && !(isDraining && waiting.size() != 0);
    }

    /** How long until the first is due: at least 1 ns. */
    long untilNextNs(long nowNs) {
        TimerEntry first = waiting.first();
        return first == null ? Long.MAX_VALUE : Math.max(1, first.deadlineNs - nowNs);
    }

    /** Sends what is due. After a close has begun all are dropped instead. Returns how many. */
    int fire(boolean isDraining, long nowNs) {
        takeIn();
        if (isDraining) {
            return drop();
        }
        int fired = 0;
        TimerEntry timer = waiting.first();
        while (timer != null && timer.deadlineNs - nowNs <= 0 && fired < FIRE_MAX) {
            waiting.remove(timer);
            if (timer.tryFire() && !core.fire(timer)) {
                timer.retry();
                timer.deadlineNs = nowNs + RETRY_NS;
                waiting.add(timer);
            }
            fired++;
            timer = waiting.first();
        }
        return fired;
    }

    private void takeIn() {
        for (int i = 0; i < DRAIN_MAX && waiting.hasRoom(); i++) {
            TimerEntry timer = inbox.relaxedPoll();
            if (timer == null) {
                break;
            }
            if (timer.isPending()) {
                waiting.add(timer);
            } else {
                waiting.remove(timer);
            }
        }
    }

    private int drop() {
        int count = 0;
        TimerEntry timer = waiting.first();
        while (timer != null) {
            waiting.remove(timer);
            timer.drop();
            count++;
            timer = waiting.first();
        }
        return count;
    }

    /** Drops every timer, those on their way in included. When no thread steps the core any more, or its own at its end. */
    void dropForGood(boolean isBroken) {
        for (TimerEntry timer = last(isBroken); timer != null; timer = last(isBroken)) {
            waiting.remove(timer);
            timer.drop();
        }
        drop();
    }

    /** Waits for a sender inside its offer, unless one may never come back from it. */
    private @Nullable TimerEntry last(boolean isBroken) {
        return isBroken ? inbox.relaxedPoll() : inbox.poll();
    }
}
