// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.mely.spi.Poller;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.AbstractEventExecutorGroup;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.lang.System.Logger;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The network side of a runtime's cores: each core's thread drives one event loop in between its colored events, and sleeps in it. It is a
 * Netty event loop group too, so that any Netty program runs on the cores.
 *
 * <pre>{@code
 * var group = CoreEventLoopGroup.auto();
 * try (Mely mely = Mely.builder().pollers(group).build().start()) {
 *     new ServerBootstrap().group(group).channel(group.serverChannelType())...
 * }
 * }</pre>
 *
 * <p>One group belongs to one runtime, which must be built before the group is used; what is registered or executed before the runtime is
 * started waits for that. Closing the runtime closes the loops and what is registered with them; so a program needs no
 * {@link #shutdownGracefully()}. It may call it: the loops close, and the runtime goes on without a network.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> The loops' own task queues are unbounded, as Netty's are.
 */
public final class CoreEventLoopGroup extends AbstractEventExecutorGroup implements IoEventLoopGroup, Poller.Factory {
    private static final Logger LOGGER = System.getLogger(CoreEventLoopGroup.class.getName());
    private static final AtomicBoolean CHOICE_LOGGED = new AtomicBoolean();
    private static final CoreEventLoop[] NONE = {};

    private final Transport transport;
    private final AtomicInteger nextCore = new AtomicInteger();
    private final Promise<?> terminationFuture = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);
    private final AtomicInteger terminated = new AtomicInteger();

    /** One per core, in order; replaced under the lock of this while the runtime is built. */
    private volatile CoreEventLoop[] loops = NONE;

    private CoreEventLoopGroup(Transport transport) {
        this.transport = transport;
    }

    /**
     * Loops on Linux's epoll.
     *
     * @return a group for one runtime
     * @throws IllegalStateException if epoll or Netty's native library for it is not available here, with the reason as its cause
     */
    public static CoreEventLoopGroup epoll() {
        if (!Epoll.isAvailable()) {
            throw new IllegalStateException("epoll is not available", Epoll.unavailabilityCause());
        }
        return new CoreEventLoopGroup(Transport.EPOLL);
    }

    /**
     * Loops on the JDK's selectors: slower, and with timers to the millisecond, but everywhere.
     *
     * @return a group for one runtime
     */
    public static CoreEventLoopGroup nio() {
        return new CoreEventLoopGroup(Transport.NIO);
    }

    /**
     * Loops on epoll where it is available, and on NIO elsewhere. The first call logs which, and why.
     *
     * @return a group for one runtime
     */
    public static CoreEventLoopGroup auto() {
        boolean isEpoll = Epoll.isAvailable();
        if (CHOICE_LOGGED.compareAndSet(false, true)) {
            LOGGER.log(
                    Logger.Level.INFO,
                    isEpoll
                            ? "network: epoll"
                            : "network: NIO, as epoll is not available: " + Epoll.unavailabilityCause());
        }
        return new CoreEventLoopGroup(isEpoll ? Transport.EPOLL : Transport.NIO);
    }

    // ------------------------------------------------------------------ for the runtime

    /**
     * Makes the poller of one core; called by the runtime that is built with this group.
     *
     * @param seat the core's side
     * @return steps the core's event loop
     * @throws IllegalStateException if the group belongs to a runtime already, or was shut down
     */
    @Override
    public Poller create(Poller.Seat seat) {
        synchronized (terminated) {
            if (isTerminated()) {
                throw new IllegalStateException("the CoreEventLoopGroup was shut down; make one for each runtime");
            }
            CoreEventLoop[] loops = this.loops;
            if (seat.core() != loops.length) {
                throw new IllegalStateException("a CoreEventLoopGroup belongs to one runtime; make one for each: core="
                        + seat.core() + ", coresAlready=" + loops.length);
            }
            CoreEventLoop loop = new CoreEventLoop(this, transport, seat);
            CoreEventLoop[] more = Arrays.copyOf(loops, loops.length + 1);
            more[loops.length] = loop;
            this.loops = more;
            return new CorePoller(this, transport, seat, loop);
        }
    }

    /** A loop has terminated and its last tasks have run. */
    void loopTerminated() {
        if (terminated.incrementAndGet() == loops.length) {
            terminationFuture.trySuccess(null);
        }
    }

    Transport transport() {
        return transport;
    }

    // ------------------------------------------------------------------ for Netty programs

    /**
     * The channel type for {@code ServerBootstrap.channel}.
     *
     * @return of this group's transport
     */
    public Class<? extends ServerSocketChannel> serverChannelType() {
        return transport.serverChannelType;
    }

    /**
     * The channel type for {@code Bootstrap.channel}.
     *
     * @return of this group's transport
     */
    public Class<? extends SocketChannel> channelType() {
        return transport.channelType;
    }

    /**
     * The transport's name, for messages.
     *
     * @return "epoll" or "nio"
     */
    public String transportName() {
        return transport.label;
    }

    /**
     * The number of loops, one per core.
     *
     * @return 0 before the runtime is built
     */
    public int cores() {
        return loops.length;
    }

    /**
     * The loop of one core, for a program that places its channels itself.
     *
     * @param core index of the core
     * @return its loop, which is a group of one
     * @throws IllegalArgumentException if there is no such core
     * @throws IllegalStateException if no runtime was built with this group yet
     */
    public IoEventLoop loop(int core) {
        return coreLoop(core);
    }

    CoreEventLoop coreLoop(int core) {
        CoreEventLoop[] loops = checkBuilt();
        if (core < 0 || core >= loops.length) {
            throw new IllegalArgumentException("core must be 0 to " + (loops.length - 1) + ": core=" + core);
        }
        return loops[core];
    }

    /**
     * The loops in turn, whoever asks, as Netty programs expect it: if a core got its own loop, all connections would
     * stay with the core that accepts them. Take {@link #loop} for that.
     *
     * @return a core's loop
     * @throws IllegalStateException if no runtime was built with this group yet
     */
    @Override
    public IoEventLoop next() {
        CoreEventLoop[] loops = checkBuilt();
        return loops[Integer.remainderUnsigned(nextCore.getAndIncrement(), loops.length)];
    }

    private CoreEventLoop[] checkBuilt() {
        CoreEventLoop[] loops = this.loops;
        if (loops.length == 0) {
            throw new IllegalStateException(
                    "no runtime was built with this group yet: Mely.builder().pollers(group).build() comes first");
        }
        return loops;
    }

    @Deprecated
    @Override
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        return next().register(channel, promise);
    }

    @Override
    public Iterator<EventExecutor> iterator() {
        return List.<EventExecutor>of(loops).iterator();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return checkBuilt()[0].isCompatible(handleType);
    }

    @Override
    public boolean isIoType(Class<? extends IoHandler> handlerType) {
        return transport.handlerType.equals(handlerType);
    }

    // ------------------------------------------------------------------ end

    /**
     * Closes the loops and what is registered with them; the runtime goes on without a network. A group without a runtime has ended then,
     * and gets none. If a runtime could not be built or started, its loops are closed already.
     *
     * @param quietPeriod ignored: Netty makes the loop's thread sleep through it, and here that thread is a core
     * @param timeout longest wait of a loop, &gt;= quietPeriod
     * @param unit of both
     * @return completed when all loops have closed
     */
    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        for (CoreEventLoop loop : loopsAtTheEnd()) {
            loop.close();
        }
        return terminationFuture;
    }

    private CoreEventLoop[] loopsAtTheEnd() {
        synchronized (terminated) {
            if (loops.length == 0) {
                terminationFuture.trySuccess(null);
            }
            return loops;
        }
    }

    @Deprecated
    @Override
    public void shutdown() {
        for (CoreEventLoop loop : loopsAtTheEnd()) {
            loop.close();
        }
    }

    @Override
    public Future<?> terminationFuture() {
        return terminationFuture;
    }

    @Override
    public boolean isShuttingDown() {
        return all(CoreEventLoop::isShuttingDown);
    }

    @Override
    public boolean isShutdown() {
        return all(CoreEventLoop::isShutdown);
    }

    @Override
    public boolean isTerminated() {
        return terminationFuture.isDone();
    }

    private boolean all(java.util.function.Predicate<CoreEventLoop> condition) {
        CoreEventLoop[] loops = this.loops;
        return loops.length == 0 ? isTerminated() : Arrays.stream(loops).allMatch(condition);
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return terminationFuture.await(timeout, unit);
    }

    @Override
    public String toString() {
        return "CoreEventLoopGroup[" + transport.label + ", cores=" + loops.length + "]";
    }
}
