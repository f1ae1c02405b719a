// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * A serial lane: events of one color never run at once, and events of one sender run in the order sent. Different colors run
 * in parallel. A sender is a thread outside, or a color: its handlers are one sender, wherever they run. Between senders the order is that of cause and
 * effect through the runtime, see {@code docs/synchronization.md}.
 *
 * <p>A color lives on one core, its home, until an idle core steals it as a whole. As an {@link Executor} it lets a
 * {@code CompletableFuture} continue in the lane.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A color costs 12 bytes in tables, 24 more once somebody has asked for it, and 80 while it is used, with room for one event; short ones may do without. <b>Source.</b> spec: Mely §1.
 */
public interface Color extends Executor {
    /**
     * The color of the event that runs on this thread. Colors are not inherited: a handler that wants its successor in the
     * same lane passes this on.
     *
     * @return the running color
     * @throws IllegalStateException outside a handler, and in one that runs an event without a color
     */
    static Color current() {
        return io.mely.runtime.CoreThread.currentColor();
    }

    /**
     * Runs a command as an event of this color.
     *
     * @param command what to run
     * @throws java.util.concurrent.RejectedExecutionException if the runtime refuses it: closed, or too many events pending
     */
    @Override
    void execute(Runnable command);

    /**
     * Sends an event to a stage in this color after a delay.
     *
     * @param <E> the type of event
     * @param delay from now; zero or less means at the core's next look at its timers
     * @param stage where to send it
     * @param event what to send
     * @return the timer, to cancel it; if the runtime's close has begun it is dropped at once, and not pending
     */
    <E> Timer schedule(Duration delay, Stage<E> stage, E event);

    /**
     * Runs a command as an event of this color after a delay.
     *
     * @param delay from now; zero or less means at the core's next look at its timers
     * @param command what to run
     * @return the timer, to cancel it; if the runtime's close has begun it is dropped at once, and not pending
     */
    Timer schedule(Duration delay, Runnable command);

    /**
     * Runs a command as an event of this color after a delay, and then again and again. If a run comes late, the next ones do not: they follow at once. What the command throws goes to the
     * error handler, and the next run comes all the same.
     *
     * @param delay of the first run, from now
     * @param period from one run to the next, &gt; 0
     * @param command what to run
     * @return the timer, pending until it is cancelled, or the runtime's close begins
     */
    Timer scheduleAtFixedRate(Duration delay, Duration period, Runnable command);

    /**
     * Tells whether the calling thread is running an event of this color.
     *
     * @return true inside a handler of this color
     */
    boolean isCurrent();

    /**
     * The slot of this color in its runtime.
     *
     * @return 0 for the default color, otherwise unique per color
     */
    int slot();

    /**
     * The core this color lives on now. Only a hint outside the color itself: a thief may move it at any time.
     *
     * @return index of a core
     */
    int homeCore();
}
