// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.mely.Timer;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A timer of a color with Netty's future on it. Its work is an event of the color; if it repeats, it is set again by that event, so it never runs
 * twice at once.
 *
 * <p><b>Threads.</b> {@link #run} belongs to the color. The others: any.
 */
final class ColorTimer<V> extends DefaultPromise<V> implements ScheduledFuture<V>, Runnable {
    private static final long DELAY_NS_MAX = Long.MAX_VALUE / 4; // 73 years, as a runtime's timers

    private final ColorEventExecutor executor;
    private final Callable<V> work;

    /** 0: once; &gt; 0: at that rate; &lt; 0: so long after the end of the last run. */
    private final long periodNs;

    private volatile long deadlineNs; // written before it is published, then by the color
    private volatile @Nullable Timer timer;

    // the executor's
    @Nullable
    ColorTimer<?> older;

    @Nullable
    ColorTimer<?> newer;

    boolean isLinked;

    ColorTimer(ColorEventExecutor executor, Callable<V> work, long delayNs, long periodNs) {
        super(executor);
        this.executor = executor;
        this.work = work;
        this.periodNs = periodNs;
        deadlineNs = executor.clock().nanoTime() + Math.min(delayNs, DELAY_NS_MAX);
    }

    /** Sets the color's timer. */
    void arm() {
        long delayNs = Math.max(0, getDelay(TimeUnit.NANOSECONDS));
        Timer timer = executor.color().schedule(Duration.ofNanos(delayNs), this);
        this.timer = timer; // volatile: before the look below; cancel looks in the opposite order
        if (isCancelled()) {
            timer.cancel();
        } else if (executor.isRuntimeClosed() && !timer.isPending()) {
            cancel(false); // it was dropped
        }
    }

    @Override
    public void run() {
        if (isDone()) {
            return;
        }
        if (!executor.enter()) {
            cancel(false);
            return;
        }
        try {
            if (periodNs == 0) {
                runOnce();
            } else {
                runAgain();
            }
        } catch (Throwable e) { // as Netty has it: the future tells
            executor.unlink(this);
            super.tryFailure(e);
        } finally {
            executor.leave();
        }
    }

    private void runOnce() throws Exception {
        if (super.setUncancellable()) {
            V result = work.call();
            executor.unlink(this);
            super.trySuccess(result);
        }
    }

    private void runAgain() throws Exception {
        V unused = work.call();
        if (!isDone()) {
            long sinceNs = periodNs > 0 ? deadlineNs : executor.clock().nanoTime();
            deadlineNs = sinceNs + Math.min(Math.abs(periodNs), DELAY_NS_MAX);
            arm();
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        if (isCancelled) {
            executor.unlink(this);
            Timer timer = this.timer;
            if (timer != null) {
                timer.cancel();
            }
        }
        return isCancelled;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(deadlineNs - executor.clock().nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        return other instanceof ColorTimer<?> timer
                ? Long.signum(deadlineNs - timer.deadlineNs)
                : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    // As with Netty's own: nobody but the executor completes it.

    @Override
    public Promise<V> setSuccess(V result) {
        throw new IllegalStateException("a timer's future: " + this);
    }

    @Override
    public boolean trySuccess(V result) {
        return false;
    }

    @Override
    public Promise<V> setFailure(Throwable cause) {
        throw new IllegalStateException("a timer's future: " + this);
    }

    @Override
    public boolean tryFailure(Throwable cause) {
        return false;
    }

    @Override
    public boolean setUncancellable() {
        throw new IllegalStateException("a timer's future: " + this);
    }
}
