// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import org.jctools.queues.MessagePassingQueue;
import org.jspecify.annotations.Nullable;

/**
 * What woven classes call. One simulation at a time in each class loader, on one thread.
 *
 * <p>{@link #at} is in front of every atomic access of the runtime and must cost next to nothing: it counts down to the next preemption.
 */
public final class Yield {
    private static int countdown;
    private static @Nullable Scheduler scheduler;

    private Yield() {}

    static void use(@Nullable Scheduler next) {
        scheduler = next;
        countdown = 0;
    }

    /** The next preemption is so many accesses away. */
    static void after(int accesses) {
        countdown = accesses;
    }

    static int left() {
        return countdown;
    }

    /** Before an atomic access. */
    public static void at() {
        Scheduler current = scheduler;
        if (current != null && --countdown == 0) {
            current.countdownEnded();
        }
    }

    /** At the beginning of a try-lock: true refuses it. */
    public static boolean refusesLock() {
        Scheduler current = scheduler;
        return current != null && current.fault(Fault.REFUSED_LOCK, 24);
    }

    /** Instead of a relaxed poll: null says that a sender is still inside its offer. */
    public static @Nullable Object relaxedPoll(Object queue) {
        at();
        Scheduler current = scheduler;
        if (current != null && current.fault(Fault.SLOW_DRAIN, 24)) {
            return null;
        }
        return ((MessagePassingQueue<?>) queue).relaxedPoll();
    }
}
