// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The future of a command that runs at once, at its time, or again and again. A periodic one waits anew at the end of each run.
 *
 * <p>To wait for it in the color that has to run it is an error. To wait for one that a stopped executor will never run cancels it, as does the stop with those that it
 * finds. (The JDK's {@code ExecutorCompletionService} hides its futures inside others, so that the stop finds only the outer ones.)
 *
 * @param <V> the type of the result
 */
final class CommandFuture<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
    private final ColorExecutor executor;

    /** Zero for once; from start to start if positive; from end to start if negative. */
    private final long periodNs;

    /** When it runs next, or has run; zero if it was given without a time. */
    volatile long timeNs;

    private volatile boolean hasBegun;

    /** Sends the command when its time has come; null if it was never delayed. */
    volatile @Nullable TimerEntry timer;

    CommandFuture(ColorExecutor executor, Callable<V> callable, long timeNs, long periodNs) {
        super(callable);
        this.executor = executor;
        this.timeNs = timeNs;
        this.periodNs = periodNs;
    }

    @Override
    public void run() {
        hasBegun = true;
        if (periodNs == 0) {
            super.run();
            return;
        }
        boolean isKept = false;
        try {
            isKept = !executor.isShutdown() && runAndReset() && delayAgain();
        } finally {
            if (!isKept) {
                cancelChecked(false); // unless it has thrown
            }
        }
    }

    private boolean delayAgain() {
        timeNs = periodNs > 0 ? timeNs + periodNs : executor.nowNs() - periodNs;
        return executor.delay(this);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        StackRoom.check();
        return cancelChecked(mayInterruptIfRunning);
    }

    /** The same, if the room on the stack was checked before. */
    boolean cancelChecked(boolean mayInterruptIfRunning) {
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        TimerEntry waitsFor = timer;
        if (isCancelled && waitsFor != null) {
            executor.forget(waitsFor);
        }
        return isCancelled;
    }

    @Override
    public V get() throws InterruptedException, ExecutionException {
        beforeWait();
        return super.get();
    }

    @Override
    public V get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (unit.toNanos(timeout) > 0) {
            beforeWait();
        }
        return super.get(timeout, unit);
    }

    private void beforeWait() {
        if (!isDone()) {
            executor.color().checkMayWait();
            if (!hasBegun && executor.isStopped()) {
                cancel(false);
            }
        }
    }

    @Override
    public boolean isPeriodic() {
        return periodNs != 0;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(timeNs - executor.nowNs(), TimeUnit.NANOSECONDS);
    }

    /** As differences of a clock that may wrap. */
    @Override
    public int compareTo(Delayed other) {
        return other instanceof CommandFuture<?> future && future.executor == executor
                ? Long.signum(timeNs - future.timeNs)
                : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
}
