// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.MelyStats;
import org.jspecify.annotations.Nullable;

/**
 * What all contenders can do: run events of one key one at a time and in the order sent, those of different keys in parallel.
 *
 * <p><b>Threads.</b> Any thread sends.
 */
interface KeyedExecutor extends AutoCloseable {
    /**
     * Sends an event.
     *
     * @param key 0 to keys - 1
     * @param kind index of what is known about it; most contenders have no use for it
     * @param event what to run
     */
    void execute(int key, int kind, Runnable event);

    /** Whether {@link #schedule} works. */
    default boolean hasTimers() {
        return false;
    }

    /**
     * Sends an event later.
     *
     * @param key 0 to keys - 1
     * @param kind as for {@link #execute}
     * @param delayNs from now
     * @param event what to run
     * @return to cancel it
     */
    default Cancel schedule(int key, int kind, long delayNs, Runnable event) {
        throw new UnsupportedOperationException();
    }

    /** Stops an event that is to be sent later. */
    interface Cancel {
        /**
         * Cancels.
         *
         * @return true if the event will not run; false if it has run or will
         */
        boolean cancel();
    }

    /** Counters, from Mely only. */
    default @Nullable MelyStats stats() {
        return null;
    }

    /** Whether keys are left where they were stolen to, so that they have to be sent home. */
    default boolean leavesKeysAway() {
        return false;
    }

    /**
     * Puts a key that was left elsewhere back to its home. Called by the driver, with nothing else pending.
     *
     * @return what it found and did
     */
    default Homing rehome(int key) {
        return Homing.AT_HOME;
    }

    /** What {@link #rehome} found and did. */
    enum Homing {
        /** It was there. */
        AT_HOME,
        /** It was elsewhere, and is at home now. */
        BROUGHT,
        /** It is elsewhere, and stays there: nothing is left to bring it home with. */
        STAYS
    }

    /** Whether the calling event runs on the first worker, as far as the contender knows. */
    default boolean isOnFirstWorker() {
        return true;
    }

    /** Stops its threads; nothing is pending. */
    @Override
    void close();
}
