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
    /** Every place of the runtime. */
    static final int EVERYWHERE = -1;

    private static final long[] RARITIES = new long[Rarity.values().length];

    private static int countdown;
    private static int countdownIn = EVERYWHERE;
    private static int hangCountdown;
    private static int held; // spin locks, and undivided methods that are under way
    private static @Nullable Scheduler scheduler;

    private Yield() {}

    /** From here on another scheduler is asked; null: nobody. Nobody holds anything, unless an error has broken an action off. */
    static void use(@Nullable Scheduler next) {
        scheduler = next;
        held = 0;
    }

    /** The next preemption is so many accesses away; 0 for none. */
    static void after(int accesses, int place) {
        countdown = accesses;
        countdownIn = place;
    }

    /** How often each happened in this class loader. */
    static long[] rarities() {
        return RARITIES.clone();
    }

    /** One of {@link Rarity}. */
    public static void happens(int rarity) {
        RARITIES[rarity]++;
    }

    static int left() {
        return countdown;
    }

    /** So many accesses from now something does not come to an end. */
    static void hangAfter(int accesses) {
        hangCountdown = accesses;
    }

    /** Before an atomic access. */
    public static void at(int place) {
        Scheduler current = scheduler;
        if (current == null) {
            return;
        }
        if (--hangCountdown <= 0) {
            current.hangs();
        }
        if (held == 0 && (countdownIn == EVERYWHERE || countdownIn == place) && --countdown == 0) {
            current.countdownEnded();
        }
    }

    /** After a spin lock was taken, or at the beginning of an undivided method: until {@link #unlocked} nobody else runs. */
    public static void locked() {
        held++;
    }

    /** After it was released, or at the end of the method. */
    public static void unlocked() {
        held--;
    }

    /** At the beginning of a try-lock: true refuses it. */
    public static boolean refusesLock() {
        Scheduler current = scheduler;
        return current != null && current.fault(Fault.REFUSED_LOCK, 24);
    }

    /** At the beginning of a look into an inbox: true says that a sender is still inside its offer. */
    public static boolean isUnpublished() {
        Scheduler current = scheduler;
        return current != null && current.fault(Fault.SLOW_DRAIN, 24);
    }

    /** Instead of a relaxed poll: null says that a sender is still inside its offer. */
    public static @Nullable Object relaxedPoll(Object queue, int place) {
        at(place);
        Scheduler current = scheduler;
        if (current != null && current.fault(Fault.SLOW_DRAIN, 24)) {
            return null;
        }
        return ((MessagePassingQueue<?>) queue).relaxedPoll();
    }
}
