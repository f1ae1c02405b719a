// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.mely.Color;
import io.mely.spi.NanoClock;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.OrderedEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One color as Netty sees it. A task is an event of the color; a timer is one of the color's timers.
 *
 * <pre>
 *   OPEN ── close ──► CLOSED, tasks wait ── the last one has run ──► CLOSED, drained
 * </pre>
 *
 * State, tasks that wait or run, and a count of those that were let in are one word, so a task is either refused, or the group's end waits for it.
 */
final class ColorEventExecutor extends AbstractEventExecutor implements OrderedEventExecutor {
    private static final long CLOSED = Long.MIN_VALUE;
    private static final long ONE_ACCEPTED = 1L << 32;
    private static final long PENDING = ONE_ACCEPTED - 1;

    private final ColorEventExecutorGroup group;
    private final Color color;
    private final NanoClock clock;

    /** Top bit: closed; then 31 bits: tasks let in, which may wrap; then 32 bits: tasks that wait or run. */
    private final AtomicLong state = new AtomicLong();

    private @Nullable ColorTimer<?> newestTimer; // guarded by state, as the links between timers

    ColorEventExecutor(ColorEventExecutorGroup group, Color color, NanoClock clock) {
        super(group);
        this.group = group;
        this.color = color;
        this.clock = clock;
    }

    Color color() {
        return color;
    }

    NanoClock clock() {
        return clock;
    }

    // ------------------------------------------------------------------ tasks

    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        if (!enter()) {
            throw refused();
        }
        try {
            color.execute(new Task(this, task));
        } catch (Throwable e) { // refused: closed, or full
            leave();
            throw e;
        }
    }

    private record Task(ColorEventExecutor executor, Runnable task) implements Runnable {
        @Override
        public void run() {
            try {
                task.run();
            } finally {
                executor.leave();
            }
        }
    }

    RejectedExecutionException refused() {
        return new RejectedExecutionException("the group was shut down: " + this);
    }

    /** Counts one more task; false if it is to be refused. */
    boolean enter() {
        long was = state.get();
        while (was >= 0) {
            long next = (was + ONE_ACCEPTED + 1) & Long.MAX_VALUE;
            if (state.compareAndSet(was, next)) {
                return true;
            }
            was = state.get();
        }
        return false;
    }

    /** A task that was counted has run, or does not after all. */
    void leave() {
        long now = state.decrementAndGet();
        assert (now & PENDING) != PENDING : "left more often than entered: " + this;
        if (now < 0 && (now & PENDING) == 0) {
            group.executorDrained();
        }
    }

    long accepted() {
        return (state.get() & Long.MAX_VALUE) >>> 32;
    }

    /** {@inheritDoc} A thread is in a color while it runs one of its events, which only that thread knows. */
    @Override
    public boolean inEventLoop(Thread thread) {
        return thread == Thread.currentThread() && color.isCurrent();
    }

    // ------------------------------------------------------------------ timers

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return scheduleNew(callable(command), delay, 0, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return scheduleNew(Objects.requireNonNull(callable, "callable"), delay, 0, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        checkPeriod(initialDelay, period, "period");
        return scheduleNew(callable(command), initialDelay, Math.max(1, unit.toNanos(period)), unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        checkPeriod(initialDelay, delay, "delay");
        return scheduleNew(callable(command), initialDelay, -Math.max(1, unit.toNanos(delay)), unit);
    }

    private static void checkPeriod(long initialDelay, long period, String name) {
        if (initialDelay < 0) {
            throw new IllegalArgumentException("initialDelay must be >= 0: initialDelay=" + initialDelay);
        }
        if (period <= 0) {
            throw new IllegalArgumentException(name + " must be > 0: " + name + "=" + period);
        }
    }

    private static Callable<@Nullable Void> callable(Runnable command) {
        Objects.requireNonNull(command, "command");
        return () -> {
            command.run();
            return null;
        };
    }

    private <V> ScheduledFuture<V> scheduleNew(Callable<V> work, long delay, long periodNs, TimeUnit unit) {
        ColorTimer<V> timer = new ColorTimer<>(this, work, unit.toNanos(Math.max(0, delay)), periodNs);
        if (group.isShutdown() || !link(timer)) {
            throw refused();
        }
        timer.arm();
        return timer;
    }

    /** Keeps a timer, to be cancelled by the close. */
    private boolean link(ColorTimer<?> timer) {
        synchronized (state) {
            if (state.get() < 0) {
                return false;
            }
            ColorTimer<?> before = newestTimer;
            timer.older = before;
            if (before != null) {
                before.newer = timer;
            }
            newestTimer = timer;
            timer.isLinked = true;
            return true;
        }
    }

    /** Its end. Idempotent. */
    void unlink(ColorTimer<?> timer) {
        synchronized (state) {
            if (!timer.isLinked) {
                return;
            }
            timer.isLinked = false;
            ColorTimer<?> older = timer.older;
            ColorTimer<?> newer = timer.newer;
            if (newer == null) {
                newestTimer = older;
            } else {
                newer.older = older;
            }
            if (older != null) {
                older.newer = newer;
            }
            timer.older = null;
            timer.newer = null;
        }
    }

    /** Whether a timer that was just set, or set anew, was dropped for good. */
    boolean isRuntimeClosed() {
        return !group.isRuntimeOpen();
    }

    // ------------------------------------------------------------------ end

    /** Refuses tasks and timers from now on, and cancels those timers that wait. */
    void close() {
        long was;
        synchronized (state) { // so that no timer is linked any more
            was = state.getAndUpdate(s -> s | CLOSED);
        }
        if (was < 0) {
            return;
        }
        while (true) {
            ColorTimer<?> timer;
            synchronized (state) {
                timer = newestTimer;
            }
            if (timer == null) {
                return;
            }
            timer.cancel(false); // without the lock: it tells its listeners
            unlink(timer); // one that runs can't be cancelled
        }
    }

    /** Closed, and every task has run. */
    boolean isDrained() {
        long now = state.get();
        return now < 0 && (now & PENDING) == 0;
    }

    /** {@inheritDoc} An executor ends with its group: shuts down all of it. */
    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        return group.shutdownGracefully(quietPeriod, timeout, unit);
    }

    @Deprecated
    @Override
    public void shutdown() {
        group.shutdown();
    }

    @Override
    public Future<?> terminationFuture() {
        return group.terminationFuture();
    }

    @Override
    public boolean isShuttingDown() {
        return group.isShuttingDown();
    }

    @Override
    public boolean isShutdown() {
        return group.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return group.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return group.awaitTermination(timeout, unit);
    }

    @Override
    public String toString() {
        return "ColorEventExecutor[color=" + color.slot() + "]";
    }
}
