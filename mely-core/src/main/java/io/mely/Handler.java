// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * The code of a stage: runs one event to completion and must not block.
 *
 * <p><b>Threads.</b> Called by the core that owns the event's color; never by two at once for one color. What it writes is
 * seen by the next event of that color. <b>Errors.</b> A thrown exception goes to the {@link ErrorHandler}, is counted, and
 * the color goes on with its next event. An interrupt that a handler leaves set is cleared, before its exception is told of, too. <b>Source.</b> spec: Mely §1.
 *
 * <p>Threads that it starts are confined to the CPU of its core, if that is pinned: see {@link MelyBuilder#pinned}.
 *
 * @param <E> the type of event
 */
@FunctionalInterface
public interface Handler<E> {
    /**
     * Handles one event.
     *
     * @param event what was sent
     * @throws Exception goes to the error handler
     */
    void handle(E event) throws Exception;
}
