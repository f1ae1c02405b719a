// SPDX-License-Identifier: Apache-2.0
package io.mely;

import org.jspecify.annotations.Nullable;

/**
 * Told of each handler that threw, once per failure.
 *
 * <p><b>Threads.</b> Called by the core that ran the handler, inside the color, if the event has one; must not block. <b>Errors.</b> What it throws
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
