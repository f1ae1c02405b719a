// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

/**
 * Told that connections wait at a listener. It sends an event into the color that accepts, says whether it could, and does nothing else.
 *
 * <p><b>Threads.</b> The thread of the core the listener is registered with. <b>Costs.</b> It holds up the core's loop.
 * <b>Errors.</b> As of a {@link ReadinessHandler}.
 */
@FunctionalInterface
public interface AcceptHandler {
    /**
     * Reports that connections wait. They are certain to be reported again only after {@link ColoredListener#accept} has answered
     * null; a report may find nothing to accept.
     *
     * @param listener where they wait
     * @return true if the report was taken; false if it was refused and is to be made again, as with {@link ReadinessHandler#onReady}
     */
    boolean onAcceptable(ColoredListener listener);
}
