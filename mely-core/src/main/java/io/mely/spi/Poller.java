// SPDX-License-Identifier: Apache-2.0
package io.mely.spi;

/**
 * What one core blocks in when it has nothing to run, and polls in between: a network loop, or plain parking.
 *
 * <p>The protocol that loses no wake-up: the core announces its sleep, then calls {@link #block}; an implementation
 * calls {@link Seat#mayBlock()} after <i>its own</i> announcement and returns at once when the answer is no. A waker first
 * makes the work visible, then clears the announcement, then calls {@link #wakeup()}.
 *
 * <p><b>Threads.</b> All methods but {@link #wakeup()} are called by the core's thread only. Another thread may become that, see {@link #takeOver}.
 */
public interface Poller {
    /** Called once, first, on the core's thread. */
    default void start() {}

    /**
     * Handles what is ready and returns. May send events; at a close its sends are refused as soon as everything accepted before has run.
     *
     * @return how many things were handled; 0 when nothing was ready
     */
    int poll();

    /**
     * Blocks until something is ready, {@link #wakeup()} is called, or the time has passed, then handles what is ready.
     * May return early.
     *
     * @param timeoutNs longest wait in nanoseconds, &gt; 0
     * @return how many things were handled
     */
    int block(long timeoutNs);

    /** Ends a {@link #block} that is under way or about to begin. Any thread; cheap when the core is awake. It takes a few KB of stack at most, and must not throw: that stops the runtime. */
    void wakeup();

    /**
     * Whether another thread may become the core's, when a handler keeps this one. Then {@link #takeOver} must be done, too.
     *
     * @return false: the core waits for its handlers
     */
    default boolean mayChangeThread() {
        return false;
    }

    /**
     * Makes the calling thread the core's from now on, in place of one that stands still in an event. Called between two calls of {@link #poll} or
     * {@link #block}, by a thread that has seen the end of the last one; the old thread calls nothing here again but {@link #wakeup}.
     */
    default void takeOver() {}

    /**
     * Called once, last, when no event will run any more: releases what it holds. On the core's thread, on the closing thread if the
     * runtime was never started, or on the building one if it could not be built.
     */
    default void close() {}

    /** The core's side, given to a poller at its creation. */
    interface Seat {
        /**
         * Index of the core.
         *
         * @return 0 to cores - 1
         */
        int core();

        /**
         * Asked after the poller has announced its own sleep.
         *
         * @return true if the core still has nothing to do and nobody has woken it
         */
        boolean mayBlock();
    }

    /** Makes the pollers of a runtime, one per core, in order of the cores, before its threads start. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes the poller of one core.
         *
         * @param seat the core's side
         * @return a poller of its own
         */
        Poller create(Seat seat);
    }
}
