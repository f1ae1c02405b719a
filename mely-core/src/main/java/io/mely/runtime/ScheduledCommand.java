// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The future of a command with a time: once, or again and again. A periodic one is delayed anew, as a new {@link DelayedCommand}, at the end of each run.
 *
 * @param <V> the type of the result
 */
final class ScheduledCommand<V> extends CommandFuture<V> implements RunnableScheduledFuture<V> {
    final long sequence;

    /** Zero for once; from start to start if positive; from end to start if negative. */
    private final long periodNs;

    private volatile long timeNs;
    private volatile @Nullable DelayedCommand waiting;

    ScheduledCommand(ColorExecutor executor, Callable<V> callable, long timeNs, long periodNs) {
        super(executor, callable);
        this.timeNs = timeNs;
        this.periodNs = periodNs;
        sequence = executor.nextSequence();
    }

    @Override
    public void run() {
        if (periodNs == 0) {
            super.run();
        } else if (executor.isShutdown()) {
            cancel(false);
        } else if (runAndReset()) {
            timeNs = periodNs > 0 ? timeNs + periodNs : executor.nowNs() - periodNs;
            if (!executor.delay(this)) {
                cancel(false);
            }
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        StackRoom.check();
        return cancelChecked(mayInterruptIfRunning);
    }

    /** The same, if the room on the stack was checked before. */
    boolean cancelChecked(boolean mayInterruptIfRunning) {
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        DelayedCommand command = waiting;
        if (isCancelled && command != null) {
            executor.forget(command);
        }
        return isCancelled;
    }

    /** Says where it waits. If it was cancelled before, the caller sees that afterwards: see {@link ColorExecutor#delay}. */
    void waitsAs(DelayedCommand command) {
        waiting = command;
    }

    long timeNs() {
        return timeNs;
    }

    @Override
    public boolean isPeriodic() {
        return periodNs != 0;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(timeNs - executor.nowNs(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        if (other == this) {
            return 0;
        }
        if (other instanceof ScheduledCommand<?> scheduled && scheduled.executor == executor) {
            long difference = timeNs - scheduled.timeNs;
            return difference != 0 ? (difference < 0 ? -1 : 1) : Long.compare(sequence, scheduled.sequence);
        }
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(sequence);
    }
}
