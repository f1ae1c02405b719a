// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Stage;

/**
 * Told of each handler that runs and of each event that is sent, for tools that describe an application's load. A runtime has one observer for each core and
 * one for each thread outside that sends; all virtual threads share one. Experimental.
 *
 * <p><b>Threads.</b> One at a time: a worker of the core, or the sender. <b>Costs.</b> It runs within each event, and what it takes counts as the handler's time.
 * <b>Errors.</b> It must not throw: an exception stops the runtime or reaches the sender.
 */
public interface HandlerObserver {
    /** In place of a core's index: a thread that is no core. */
    int OUTSIDE = -1;

    /**
     * A handler is about to run.
     *
     * @param stage its stage
     * @param slot of the event's color; -1 if it has none
     */
    void began(Stage<?> stage, int slot);

    /** The handler has returned or thrown, and the error handler has been told. */
    void ended();

    /**
     * An event was accepted. Between {@link #began} and {@link #ended} the handler has sent it; else a poller, a timer or a thread outside. The event may have run
     * when this is called.
     *
     * @param stage where it goes
     * @param slot of its color; -1 if it has none
     */
    void sent(Stage<?> stage, int slot);

    /** Makes the observers of one runtime. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes an observer. Called when the runtime is built, later for each further worker of a core, and by threads that send for the first time.
         *
         * @param core 0 to cores - 1, or {@link #OUTSIDE}
         * @return of that worker or sender alone
         */
        HandlerObserver create(int core);
    }
}
