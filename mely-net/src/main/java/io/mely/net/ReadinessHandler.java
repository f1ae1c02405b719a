// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

/**
 * Told that a socket became ready. It sends an event into the socket's color, and does nothing else.
 *
 * <p><b>Threads.</b> The thread of the core the socket is registered with; for a socket that is closed by its loop's
 * shutdown, that thread too. <b>Costs.</b> It holds up the core's loop: no reading, no writing, no blocking here.
 * <b>Errors.</b> What it throws is logged and dropped.
 */
@FunctionalInterface
public interface ReadinessHandler {
    /**
     * Reports readiness once; the same readiness may be reported again, so that a report may find nothing to do.
     *
     * @param socket what became ready
     * @param ready {@link ColoredSocket#READ}, {@link ColoredSocket#WRITE} and {@link ColoredSocket#HANGUP}, or-ed
     */
    void onReady(ColoredSocket socket, int ready);
}
