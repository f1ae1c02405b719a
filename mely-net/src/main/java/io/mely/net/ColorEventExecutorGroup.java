// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.mely.Color;
import io.mely.Mely;
import io.mely.spi.NanoClock;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.AbstractEventExecutorGroup;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.OrderedEventExecutor;
import io.netty.util.concurrent.Promise;
import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs Netty's channel handlers as colored events: each channel gets a color of its own, so its handlers keep their order, and an idle core takes
 * over the channels that wait behind a handler that takes long. The channels' I/O stays with their loops.
 *
 * <pre>{@code
 * var loops = CoreEventLoopGroup.auto();
 * try (Mely mely = Mely.builder().pollers(loops).build().start()) {
 *     var colors = new ColorEventExecutorGroup(mely);
 *     new ServerBootstrap()
 *             .group(loops)
 *             .channel(loops.serverChannelType())
 *             .childHandler(new ChannelInitializer<Channel>() {
 *                 protected void initChannel(Channel channel) {
 *                     channel.pipeline()
 *                             .addLast(new HttpServerCodec())          // short: on the channel's loop
 *                             .addLast(colors.guard())                 // see Errors
 *                             .addLast(colors, new SearchHandler());   // long: in the channel's color
 *                 }
 *             })
 *             .bind(8080).sync().channel().closeFuture().sync();
 *     colors.shutdownGracefully().sync();
 * }
 * }</pre>
 *
 * <p>A channel that is to share the color of a key, such as its user, is given {@code addLast(colors.executor(key), handler)}. The loops need not be
 * the cores': any Netty event loop group will do. Netty 4.2 marks the methods of a pipeline that take a group as deprecated and names no
 * other way; they work, and a handler that sends its messages to {@link #executor} itself needs none of them.
 *
 * <p><b>Threads.</b> Any. {@link EventExecutor#inEventLoop()} of an executor is true exactly inside the events of its color; asked about a thread that does
 * not ask itself, it is false. <b>Costs.</b> An event and an object of 24 bytes for each task; Netty makes one task for each message that enters the color, and one for each
 * write that leaves it. An executor is made when its color is first used, and kept: about 100 bytes. <b>Bounds.</b> {@link #next} makes no more executors than
 * it was told; channels beyond that share them in turn. Tasks that wait count as the runtime's pending events.
 *
 * <p><b>Errors.</b> What a task throws goes to the runtime's {@link io.mely.ErrorHandler}; what a channel handler throws goes to its
 * {@code exceptionCaught}, as ever. A task is refused by a {@link RejectedExecutionException} when the group was shut down, or the runtime is full or was closed. As with Netty's own
 * executors, a write that is refused fails its promise, and <b>a message that is refused is gone</b>, while the channel reads on. So put a {@link #guard} before the
 * first handler of the group: it releases that message and closes that channel. When a channel ends while the runtime is full, Netty logs that it
 * could not tell the handlers.
 *
 * <p><b>End.</b> Shut the group down before the runtime is closed, as other Netty groups: {@link #shutdownGracefully()} lets tasks in for the quiet period,
 * then refuses tasks, cancels timers, and completes when the tasks have run. When the runtime closes first, tasks are refused, and timers that
 * wait are dropped without an answer until the group is shut down.
 */
public final class ColorEventExecutorGroup extends AbstractEventExecutorGroup {
    private static final Logger LOGGER = System.getLogger(ColorEventExecutorGroup.class.getName());
    private static final int COLORS = 4_096;

    /** Keys of a group's colors begin at a multiple of this, far from the keys of programs. */
    private static final int COLORS_MAX = 1 << 20;

    private static final long FIRST_KEY = 0x6d65_6c79_0000_0000L;
    private static final AtomicInteger GROUPS = new AtomicInteger();

    private final Mely mely;
    private final int colors;
    private final long firstKey = FIRST_KEY + (long) GROUPS.getAndIncrement() * COLORS_MAX;
    private final AtomicInteger nextColor = new AtomicInteger();
    private final ConcurrentMap<Integer, ColorEventExecutor> executors = new ConcurrentHashMap<>(); // by slot
    private final Promise<?> terminationFuture = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);
    private final ChannelHandler guard = new Guard();

    private volatile boolean isShuttingDown;
    private volatile boolean isSealed; // set before the executors are closed; who makes one looks afterwards
    private volatile boolean isAllClosed;

    /**
     * Deals out 4,096 colors.
     *
     * @param mely runs the tasks
     */
    public ColorEventExecutorGroup(Mely mely) {
        this(mely, COLORS);
    }

    /**
     * Deals out some colors.
     *
     * @param mely runs the tasks
     * @param colors how many channels have a color of their own, 1 to 1,048,576
     * @throws IllegalArgumentException if there can't be so many
     */
    public ColorEventExecutorGroup(Mely mely, int colors) {
        this.mely = Objects.requireNonNull(mely, "mely");
        if (colors < 1 || colors > COLORS_MAX) {
            throw new IllegalArgumentException("colors must be 1 to " + COLORS_MAX + ": colors=" + colors);
        }
        this.colors = colors;
    }

    // ------------------------------------------------------------------ executors

    /**
     * The executor of another color, in turn. Netty asks once for each channel and group.
     *
     * @return of a color that {@link Mely#color(long)} gives for a key of the group's own; two may share one, which is slower and never wrong
     */
    @Override
    public OrderedEventExecutor next() {
        return executor(firstKey + Integer.remainderUnsigned(nextColor.getAndIncrement(), colors));
    }

    /**
     * The executor of a key's color, for channels that belong together, or to other events of the key. It is a group of one:
     * {@code pipeline.addLast(colors.executor(userId), handler)}.
     *
     * @param key any, as for {@link Mely#color(long)}
     * @return always the same for the same color
     */
    public OrderedEventExecutor executor(long key) {
        return executor(mely.color(key));
    }

    /**
     * The executor of a color.
     *
     * @param color of the group's runtime
     * @return always the same for the same color
     */
    public OrderedEventExecutor executor(Color color) {
        ColorEventExecutor known = executors.get(color.slot());
        return known != null ? known : executorNew(color);
    }

    private ColorEventExecutor executorNew(Color color) {
        if (mely.colorAt(color.slot()) != color) {
            throw new IllegalArgumentException("color belongs to another runtime: color=" + color);
        }
        ColorEventExecutor executor =
                executors.computeIfAbsent(color.slot(), slot -> new ColorEventExecutor(this, color, NanoClock.SYSTEM));
        if (isSealed) { // it may have come too late to be closed with the others
            executor.close();
        }
        return executor;
    }

    /**
     * The executors that were asked for so far.
     *
     * @return a copy
     */
    @Override
    public Iterator<EventExecutor> iterator() {
        List<EventExecutor> copy = new ArrayList<>(executors.values());
        return copy.iterator();
    }

    // ------------------------------------------------------------------ refusal

    /**
     * A handler to be put before the first handler of this group: when the group refuses a message, it releases the message and closes
     * the channel, whose other messages would be out of step.
     *
     * @return sharable; runs on the channel's loop
     */
    public ChannelHandler guard() {
        return guard;
    }

    @ChannelHandler.Sharable
    private static final class Guard extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            try {
                ctx.fireChannelRead(message);
            } catch (RejectedExecutionException e) { // what the next handler throws if it runs here does not come here
                ReferenceCountUtil.release(message);
                close(ctx, e);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) throws Exception {
            if (cause instanceof RejectedExecutionException) {
                close(ctx, cause);
            } else {
                super.exceptionCaught(ctx, cause);
            }
        }

        private static void close(ChannelHandlerContext ctx, Throwable cause) {
            if (ctx.channel().isOpen()) {
                LOGGER.log(
                        Logger.Level.WARNING, "closed, as its handlers were refused: " + ctx.channel() + ": " + cause);
                Future<?> unused = ctx.close();
            }
        }
    }

    // ------------------------------------------------------------------ end

    /** Whether the runtime takes new events. */
    boolean isRuntimeOpen() {
        return mely.isAccepting();
    }

    /**
     * {@inheritDoc}
     *
     * @param quietPeriod tasks are let in until there was none for so long; 0 refuses them at once
     * @param timeout when it is over the group has terminated, whatever still runs, and no task is let in
     */
    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        Objects.requireNonNull(unit, "unit");
        if (quietPeriod < 0 || timeout < quietPeriod) {
            throw new IllegalArgumentException(
                    "quietPeriod must be 0 to timeout: quietPeriod=" + quietPeriod + ", timeout=" + timeout);
        }
        synchronized (executors) {
            if (isShuttingDown) {
                return terminationFuture;
            }
            isShuttingDown = true;
        }
        if (quietPeriod == 0) {
            seal();
        } else {
            long quietNs = unit.toNanos(quietPeriod);
            sealLater(quietNs, accepted());
        }
        if (!terminationFuture.isDone()) {
            Future<?> unused = GlobalEventExecutor.INSTANCE.schedule(this::timeOut, timeout, unit);
        }
        return terminationFuture;
    }

    /** How many tasks were let in; only a difference says something. */
    private long accepted() {
        return executors.values().stream()
                .mapToLong(ColorEventExecutor::accepted)
                .sum();
    }

    private void sealLater(long quietNs, long acceptedBefore) {
        Future<?> unused = GlobalEventExecutor.INSTANCE.schedule(
                () -> {
                    long accepted = accepted();
                    if (isSealed || terminationFuture.isDone()) {
                        return;
                    }
                    if (accepted == acceptedBefore) {
                        seal();
                    } else {
                        sealLater(quietNs, accepted);
                    }
                },
                quietNs,
                TimeUnit.NANOSECONDS);
    }

    private void timeOut() {
        seal();
        terminationFuture.trySuccess(null);
    }

    private void seal() {
        isSealed = true;
        executors.values().forEach(ColorEventExecutor::close);
        isAllClosed = true;
        executorDrained();
    }

    /** A closed executor has run its last task, or all have been closed. */
    void executorDrained() {
        if (isAllClosed && executors.values().stream().allMatch(ColorEventExecutor::isDrained)) {
            terminationFuture.trySuccess(null);
        }
    }

    @Deprecated
    @Override
    public void shutdown() {
        isShuttingDown = true;
        seal();
    }

    @Override
    public Future<?> terminationFuture() {
        return terminationFuture;
    }

    @Override
    public boolean isShuttingDown() {
        return isShuttingDown || !isRuntimeOpen();
    }

    @Override
    public boolean isShutdown() {
        return isSealed || !isRuntimeOpen();
    }

    @Override
    public boolean isTerminated() {
        return terminationFuture.isDone();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return terminationFuture.await(timeout, unit);
    }

    @Override
    public String toString() {
        return "ColorEventExecutorGroup[colors=" + colors + ", executors=" + executors.size() + "]";
    }
}
