// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A timer that runs a command again and again: each run starts the next {@link TimerEntry}.
 *
 * <p><b>Threads.</b> {@link #run} is an event of the color; the rest any.
 */
final class PeriodicTimer implements Timer, OwnEvent {
    private final ColorImpl color;
    private final Runnable command;
    private final long periodNs;
    private final AtomicBoolean isCancelled = new AtomicBoolean();
    private long dueNs; // of the color
    private volatile Timer next; // the last one that was started, or one before

    PeriodicTimer(ColorImpl color, Duration delay, long periodNs, Runnable command) {
        this.color = color;
        this.command = command;
        this.periodNs = periodNs;
        dueNs = color.runtime().dueNs(delay);
        next = color.schedule(
                delay,
                this); // which may have run by now, and have written its successor: then a cancel lets that one come,
        // which sees it
    }

    /** What the command throws goes to the error handler, and the next run comes all the same. */
    @Override
    public void run() {
        if (isCancelled.get()) {
            return;
        }
        try {
            command.run();
        } finally {
            dueNs += periodNs;
            long delayNs =
                    Math.max(0, dueNs - color.runtime().config().hooks().clock().nanoTime());
            next = color.schedule(Duration.ofNanos(delayNs), this);
            if (isCancelled.get()) {
                boolean unused = next.cancel(); // who has cancelled may have seen the last one
            }
        }
    }

    @Override
    public boolean cancel() {
        if (!isCancelled.compareAndSet(false, true)) {
            return false;
        }
        boolean unused = next.cancel();
        return true;
    }

    /** {@inheritDoc} While its command runs, too. */
    @Override
    public boolean isPending() {
        return !isCancelled.get() && !color.runtime().life().isDraining();
    }
}
