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
import io.netty.channel.IoRegistration;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseNotifier;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One core's event loop as Netty programs see it: Netty's {@link ManualIoEventLoop}, which is stepped by the core's
 * {@link CorePoller}, behind a door.
 *
 * <p>The door is needed because the loop's own {@code execute} is final and, once the loop has terminated, accepts tasks that never run.
 * Here they are refused. Registrations are refused, too, where the loop would touch descriptors that are closed. And while the loop is closed for good others are
 * refused from the beginning: it runs tasks until there are none, so who sends them all the time would keep it from ending.
 */
final class CoreEventLoop extends AbstractEventExecutor implements IoEventLoop {
    private final SeatedLoop loop;
    private final OwedReports owed = new OwedReports();

    /** Only the loop's own thread may still give it tasks. */
    private volatile boolean isSealed;

    /** Set after the loop has terminated, and before its last tasks run. */
    private volatile boolean isRetired;

    CoreEventLoop(CoreEventLoopGroup parent, Transport transport, Poller.Seat seat) {
        super(parent);
        loop = new SeatedLoop(parent, transport, seat);
    }

    /** A loop that does not sleep while its core has work: asked after the loop's announcement, so no wake-up is lost. */
    private static final class SeatedLoop extends ManualIoEventLoop {
        private final Poller.Seat seat;

        SeatedLoop(IoEventLoopGroup parent, Transport transport, Poller.Seat seat) {
            super(parent, null, transport.newHandlers());
            this.seat = seat;
        }

        @Override
        protected boolean canBlock() {
            return super.canBlock() && seat.mayBlock();
        }

        void cancelTimers() {
            cancelScheduledTasks();
        }
    }

    // ------------------------------------------------------------------ for the poller

    /** The loop to step. */
    ManualIoEventLoop stepped() {
        return loop;
    }

    /** The reports to be offered again. */
    OwedReports owed() {
        return owed;
    }

    /** Begins to close; the poller steps it to the end. Netty would make the core sleep through a quiet period, so there is none. */
    void close(long timeout, TimeUnit unit) {
        Future<?> terminated = loop.shutdownGracefully(0, timeout, unit);
        assert terminated == loop.terminationFuture() : "the same for all";
    }

    /** Refuses others from now on, but for one task of each that has just been let in. */
    void seal() {
        isSealed = true;
    }

    /** Refuses everything from now on, and ends what was handed over since the loop's last look. On the loop, which has terminated. */
    void retire() {
        isSealed = true;
        isRetired = true; // first: who sends all the time would keep the next line from ending
        loop.runNonBlockingTasks(0);
        loop.cancelTimers(); // set by those tasks and by the loop's own last ones: it cancels before it runs them
    }

    // ------------------------------------------------------------------ executor

    @Override
    public void execute(Runnable task) {
        if (inEventLoop()) {
            loop.execute(task); // which refuses by itself
            return;
        }
        checkAlive();
        Claim claim = new Claim(task);
        loop.execute(claim);
        if (isRetired && claim.take()) { // it came after the last turn
            throw refused();
        }
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

    /** What was scheduled after the last turn is cancelled, as {@link #retire} cancels the others. */
    private <F extends Future<?>> F orCancelled(F timer) {
        if (isRetired) {
            timer.cancel(false);
        }
        return timer;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        checkAlive();
        return orCancelled(loop.schedule(command, delay, unit));
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        checkAlive();
        return orCancelled(loop.schedule(callable, delay, unit));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        checkAlive();
        return orCancelled(loop.scheduleAtFixedRate(command, initialDelay, period, unit));
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        checkAlive();
        return orCancelled(loop.scheduleWithFixedDelay(command, initialDelay, delay, unit));
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return loop.inEventLoop(thread);
    }

    // ------------------------------------------------------------------ event loop

    @Override
    public IoEventLoop next() {
        return this;
    }

    @Override
    public IoEventLoopGroup parent() {
        return loop.parent();
    }

    /** {@inheritDoc} A loop that is shutting down refuses: it may have closed its handles already, and would leave this one open. */
    @Override
    public Future<IoRegistration> register(IoHandle handle) {
        if (inEventLoop()) {
            return loop.isShuttingDown() ? newFailedFuture(refused()) : loop.register(handle);
        }
        Promise<IoRegistration> promise = newPromise();
        execute(() -> {
            Future<IoRegistration> unused = PromiseNotifier.cascade(register(handle), promise);
        });
        return promise;
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
        return loop.isCompatible(handleType);
    }

    @Override
    public boolean isIoType(Class<? extends IoHandler> handlerType) {
        return loop.isIoType(handlerType);
    }

    // ------------------------------------------------------------------ end

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        return loop.shutdownGracefully(0, timeout, unit); // no quiet period, see close
    }

    @Deprecated
    @Override
    public void shutdown() {
        loop.shutdown();
    }

    @Override
    public Future<?> terminationFuture() {
        return loop.terminationFuture();
    }

    @Override
    public boolean isShuttingDown() {
        return loop.isShuttingDown();
    }

    @Override
    public boolean isShutdown() {
        return loop.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return loop.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return loop.awaitTermination(timeout, unit);
    }
}
