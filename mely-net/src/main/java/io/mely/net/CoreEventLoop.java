// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.mely.spi.Poller;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseNotifier;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One core's event loop: what Netty's {@link io.netty.channel.ManualIoEventLoop} is, stepped by the core's {@link CorePoller}, with three differences.
 *
 * <h2>A thread is in the loop during a turn only</h2>
 *
 * Netty's loop belongs to a thread for good. Here {@link #inEventLoop()} is true inside {@link #runNow} and {@link #run}, and false when the same
 * thread runs a colored event between two turns. This is needed twice:
 *
 * <ul>
 *   <li><b>Order.</b> A color writes to a channel from whichever core it runs on. From another core its write is a task of the loop. If a
 *       later write, from the loop's own core, went straight to the channel, it would overtake that task.
 *   <li><b>Hand-over.</b> A core whose handler stands still can give its loop to another thread: the loop has no thread of its own between
 *       two turns, so any thread may take the next one that has seen the last one's end. What the handler that stood still asks of the loop
 *       afterwards is a task, as it would be from any other thread.
 * </ul>
 *
 * <h2>It sleeps only if its core may</h2>
 *
 * {@link Poller.Seat#mayBlock} is asked after the loop's announcement, so no wake-up is lost.
 *
 * <h2>Nothing is accepted that does not run</h2>
 *
 * <pre>
 *   OPEN ── shutdownGracefully, close ──► CLOSING ── the next turn ──► TERMINATED
 *
 *   CLOSING     the next turn runs the tasks, closes the handles, cancels the timers
 *   TERMINATED  tasks and registrations are refused, timers cancelled
 *   sealed      at TERMINATED at the latest, and from the core's close on: only the loop itself may give it tasks, as who sends all the time would keep
 *               it from ending
 * </pre>
 *
 * <p><b>Threads.</b> Turns: one thread at a time, each having seen what the last one did. The others: any.
 */
final class CoreEventLoop extends AbstractScheduledEventExecutor implements IoEventLoop {
    private static final int OPEN = 0;
    private static final int CLOSING = 1;
    private static final int TERMINATED = 2;

    private final IoEventLoopGroup parent;
    private final Poller.Seat seat;
    private final OwedReports owed = new OwedReports();
    private final Queue<Runnable> tasks = PlatformDependent.newMpscQueue();
    private final Promise<?> terminationFuture = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);
    private final AtomicInteger state = new AtomicInteger(OPEN);
    private final IoHandler handler;
    private final Looking looking = new Looking();
    private final Sleeping sleeping = new Sleeping();

    /**
     * The thread whose turn it is. Plain: the only thread whose answer it decides is the one that asks, and no thread can see itself here but
     * between its own two writes.
     */
    private @Nullable Thread turn;

    private boolean isInitialized; // in turns

    /** Only the loop itself may still give it tasks. */
    private volatile boolean isSealed;

    /** Nobody may. Set before the last tasks run. */
    private volatile boolean isRetired;

    CoreEventLoop(CoreEventLoopGroup parent, Transport transport, Poller.Seat seat) {
        super(parent);
        this.parent = parent;
        this.seat = seat;
        handler = transport.newHandlers().newHandler(this);
    }

    // ------------------------------------------------------------------ for the poller

    /** The reports to be offered again. */
    OwedReports owed() {
        return owed;
    }

    /**
     * Handles what is ready.
     *
     * @param tasksNs longest time for tasks; 0 for all there are
     * @return how many things were handled
     */
    int runNow(long tasksNs) {
        return runTurn(looking, tasksNs);
    }

    /**
     * Waits until something is ready, for some time at most, and handles it.
     *
     * @param waitNs &gt; 0; {@link Long#MAX_VALUE} for no limit
     * @param tasksNs as for {@link #runNow}
     * @return how many things were handled
     */
    int run(long waitNs, long tasksNs) {
        sleeping.longestNs = waitNs;
        return runTurn(sleeping, tasksNs);
    }

    private int runTurn(IoHandlerContext how, long tasksNs) {
        assert turn == null : "one thread at a time, and not from inside: " + turn;
        turn = Thread.currentThread();
        EventExecutor before = ThreadExecutorMap.setCurrentExecutor(this);
        try {
            if (!isInitialized) {
                isInitialized = true;
                handler.initialize();
            }
            return switch (state.get()) {
                case OPEN -> handler.run(how) + runTasks(tasksNs);
                case CLOSING -> runLast();
                default -> 0;
            };
        } finally {
            ThreadExecutorMap.setCurrentExecutor(before);
            turn = null;
        }
    }

    private int runTasks(long tasksNs) {
        boolean isAll = fetchFromScheduledTaskQueue(tasks);
        assert isAll : "the queue is unbounded";
        long startNs = tasksNs > 0 ? ticker().nanoTime() : 0;
        int ran = 0;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            safeExecute(task);
            ran++;
            if (tasksNs > 0 && ticker().nanoTime() - startNs >= tasksNs) {
                break;
            }
        }
        return ran;
    }

    private int runLast() {
        int ran = runTasks(0);
        handler.prepareToDestroy();
        cancelScheduledTasks();
        ran += runTasks(0);
        isSealed = true;
        try {
            handler.destroy();
            ran += runTasks(0);
        } finally {
            isRetired = true; // first: who sends all the time would keep the next line from ending
            ran += runTasks(0);
            cancelScheduledTasks(); // set by the last tasks
            state.set(TERMINATED);
            terminationFuture.setSuccess(null);
        }
        return ran;
    }

    /** Ends a {@link #run} that is under way or about to begin, unless the loop is closing, when it does not sleep. Any thread. */
    void wakeup() {
        if (state.get() == OPEN) {
            handler.wakeup();
        }
    }

    /** Begins to close; the poller steps it to the end. Netty would make the core sleep through a quiet period, so there is none. */
    void close() {
        if (state.compareAndSet(OPEN, CLOSING)) {
            handler.wakeup(); // pairs with canBlock, which looks at the state after the announcement
        }
    }

    /** Refuses others from now on, but for one task of each that has just been let in. */
    void seal() {
        isSealed = true;
    }

    /** A look: nothing waits. */
    private static final class Looking implements IoHandlerContext {
        @Override
        public boolean canBlock() {
            return false;
        }

        @Override
        public long delayNanos(long nowNs) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return -1;
        }
    }

    /** A sleep, if neither the loop nor its core has anything to do. */
    private final class Sleeping implements IoHandlerContext {
        long longestNs;

        @Override
        public boolean canBlock() {
            return state.get() == OPEN && tasks.isEmpty() && !hasScheduledTasks() && seat.mayBlock();
        }

        @Override
        public long delayNanos(long nowNs) {
            return Math.min(longestNs, CoreEventLoop.this.delayNanos(nowNs, longestNs));
        }

        @Override
        public long deadlineNanos() {
            long timerNs = nextScheduledTaskDeadlineNanos();
            if (longestNs == Long.MAX_VALUE) {
                return timerNs;
            }
            long nowNs = ticker().nanoTime();
            return timerNs == -1 || timerNs - nowNs > longestNs ? nowNs + longestNs : timerNs;
        }
    }

    // ------------------------------------------------------------------ executor

    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        if (inEventLoop()) {
            if (isRetired) {
                throw refused();
            }
            tasks.add(task);
            return;
        }
        checkAlive();
        Claim claim = new Claim(task);
        tasks.add(claim);
        if (isRetired && claim.take()) { // it came after the last turn
            throw refused();
        }
        handler.wakeup();
    }

    /** {@inheritDoc} Timers take themselves off the loop by a task, which no closing loop refuses: their cancellation must not throw. */
    @Override
    public void lazyExecute(Runnable task) {
        if (task instanceof ScheduledFuture<?> timer && timer.isCancelled()) {
            if (!isRetired) {
                tasks.add(task);
            }
            return;
        }
        execute(task);
    }

    /** A task that is either run, or refused after all. */
    private static final class Claim extends AtomicBoolean implements Runnable {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // never serialized
        private final Runnable task;

        Claim(Runnable task) {
            this.task = task;
        }

        boolean take() {
            return compareAndSet(false, true);
        }

        @Override
        public void run() {
            if (take()) {
                task.run();
            }
        }
    }

    private void checkAlive() {
        if (isSealed && (isRetired || !inEventLoop())) {
            throw refused();
        }
    }

    private static RejectedExecutionException refused() {
        return new RejectedExecutionException("the event loop was shut down");
    }

    /** What was scheduled after the last turn is cancelled, as that cancels the others. */
    private <F extends Future<?>> F orCancelled(F timer) {
        if (isRetired) {
            timer.cancel(false);
        }
        return timer;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        checkAlive();
        return orCancelled(super.schedule(command, delay, unit));
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        checkAlive();
        return orCancelled(super.schedule(callable, delay, unit));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        checkAlive();
        return orCancelled(super.scheduleAtFixedRate(command, initialDelay, period, unit));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        checkAlive();
        return orCancelled(super.scheduleWithFixedDelay(command, initialDelay, delay, unit));
    }

    /** {@inheritDoc} True in a turn only: see the class comment. */
    @Override
    public boolean inEventLoop(Thread thread) {
        return turn == thread;
    }

    // ------------------------------------------------------------------ event loop

    @Override
    public IoEventLoop next() {
        return this;
    }

    @Override
    public IoEventLoopGroup parent() {
        return parent;
    }

    /** {@inheritDoc} A loop that is shutting down refuses: it may have closed its handles already, and would leave this one open. */
    @Override
    public Future<IoRegistration> register(IoHandle handle) {
        if (inEventLoop()) {
            return registerInTurn(handle);
        }
        Promise<IoRegistration> promise = newPromise();
        execute(() -> {
            Future<IoRegistration> unused = PromiseNotifier.cascade(registerInTurn(handle), promise);
        });
        return promise;
    }

    private Future<IoRegistration> registerInTurn(IoHandle handle) {
        if (isShuttingDown()) {
            return newFailedFuture(refused());
        }
        try {
            return newSucceededFuture(handler.register(handle));
        } catch (Exception e) {
            return newFailedFuture(e);
        }
    }

    @Deprecated
    @Override
    public ChannelFuture register(Channel channel) {
        return register(new DefaultChannelPromise(channel, this));
    }

    @Deprecated
    @Override
    public ChannelFuture register(ChannelPromise promise) {
        promise.channel().unsafe().register(this, promise);
        return promise;
    }

    @Deprecated
    @Override
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        channel.unsafe().register(this, promise);
        return promise;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return handler.isCompatible(handleType);
    }

    @Override
    public boolean isIoType(Class<? extends IoHandler> handlerType) {
        return handler.getClass().equals(handlerType);
    }

    // ------------------------------------------------------------------ end

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        close();
        return terminationFuture;
    }

    @Deprecated
    @Override
    public void shutdown() {
        close();
    }

    @Override
    public Future<?> terminationFuture() {
        return terminationFuture;
    }

    @Override
    public boolean isShuttingDown() {
        return state.get() >= CLOSING;
    }

    @Override
    public boolean isShutdown() {
        return isSealed;
    }

    @Override
    public boolean isTerminated() {
        return state.get() == TERMINATED;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return terminationFuture.await(timeout, unit);
    }
}
