// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

/**
 * Told that a socket became ready. It sends an event into the socket's color, says whether it could, and does nothing else.
 *
 * <p><b>Threads.</b> The thread of the core the socket is registered with; for a socket that is closed by its loop's
 * shutdown, that thread too. <b>Costs.</b> It holds up the core's loop: no reading, no writing, no blocking here.
 * <b>Errors.</b> A {@link java.util.concurrent.RejectedExecutionException} or an {@link OutOfMemoryError} means refused, as false does. Anything else that it
 * throws is logged, and the report is dropped.
 */
@FunctionalInterface
public interface ReadinessHandler {
    /**
     * Reports readiness once; the same readiness may be reported again, so that a report may find nothing to do.
     *
     * <p>A report that is refused, as the runtime is full, is not lost: the core offers it again at each of its polls, and at least about every
     * millisecond, together with what became ready meanwhile, until it is taken or the socket or the runtime is closed. So
     * {@code (s, ready) -> stage.offer(color, s)} is all it takes.
     *
     * @param socket what became ready
     * @param ready {@link ColoredSocket#READ}, {@link ColoredSocket#WRITE} and {@link ColoredSocket#HANGUP}, or-ed
     * @return true if the color will see the report, or need not; false if it was refused and is to be made again. Of several events
     *     that one report sends some may be sent twice then
     */
    boolean onReady(ColoredSocket socket, int ready);
}
