// SPDX-License-Identifier: Apache-2.0
package io.mely;

import org.jspecify.annotations.Nullable;

/**
 * Told of each handler that threw, once per failure, and of what a close discards.
 *
 * <p><b>Threads.</b> {@link #onError} is called by the core that ran the handler, inside the color, if the event has one; must not block. <b>Errors.</b> What it throws
 * itself is logged and dropped.
 */
@FunctionalInterface
public interface ErrorHandler {
    /**
     * Reports one failed event.
     *
     * @param failure who threw what
     */
    void onError(Failure failure);

    /**
     * Reports an event that was accepted and will not run, as a close has given up. By default nothing is done: {@link Mely.CloseReport} counts them. Who waits for an answer may be told here. A command of
     * {@link Color#execute} or {@link Mely#executor} comes as it was given. What has a future that fails does not come, nor do timers, nor an event that is null.
     *
     * <p><b>Threads.</b> The one that closes, in no color, after every core has stopped.
     *
     * @param stage where it was sent; that of commands is named execute
     * @param event as sent
     */
    default void onDiscarded(Stage<?> stage, Object event) {}

    /**
     * One failed event.
     *
     * @param core index of the core that ran it; -1 for a thread of a group's own
     * @param color the event's color; of an event without one, what {@link Stage#color} says
     * @param stage the stage whose handler threw
     * @param event the event, as sent
     * @param cause what was thrown
     */
    record Failure(
            int core, Color color, Stage<?> stage, @Nullable Object event, Throwable cause) {}
}
