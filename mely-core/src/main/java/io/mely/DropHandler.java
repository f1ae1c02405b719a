// SPDX-License-Identifier: Apache-2.0
package io.mely;

import org.jspecify.annotations.Nullable;

/**
 * Told of each event that a stage refuses: the place to free what the event holds, or to tell its client that the server is busy.
 *
 * <p>Every refusal comes here: the stage is at its {@linkplain StageOptions#withCapacity capacity}, its {@linkplain StageOptions#withAdmission admission} refuses, the runtime is full, or it is closed. The sender is told as ever: when this has returned,
 * {@code offer} returns false or {@code send} throws. What was accepted and is discarded by a close goes to {@link ErrorHandler#onDiscarded}. The event of a timer does not come: the timer tries again.
 *
 * <p>A sender that keeps a refused event to send it again comes here with each refusal. So give a stage a drop handler, or senders that {@linkplain Stage#whenRoom wait}, but not both.
 *
 * <p><b>Threads.</b> The sender's, in its send, and in the sender's color if it has one. Several senders may be in it at once. It must not block. <b>Costs.</b> It holds up the sender. <b>Errors.</b> What it throws is logged once for each stage; the
 * send goes on. <b>Source.</b> spec: libasync-smp §2.6, the drop callback.
 */
@FunctionalInterface
public interface DropHandler {
    /**
     * Takes an event that will not run.
     *
     * @param stage that refused it
     * @param event as sent
     */
    void dropped(Stage<?> stage, @Nullable Object event);
}
