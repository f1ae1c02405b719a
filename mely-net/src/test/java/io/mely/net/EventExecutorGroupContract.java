// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.OrderedEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What channel handlers expect of a group of executors: Netty's own keeps it, and so do colors. */
@Timeout(120)
abstract class EventExecutorGroupContract {
    static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int CONNECTIONS = 8;

    EventExecutorGroup group;

    /** A group that runs tasks of two executors at once. */
    abstract EventExecutorGroup open() throws Exception;

    abstract void close() throws Exception;

    @BeforeEach
    final void start() throws Exception {
        group = open();
    }

    @AfterEach
    final void stop() throws Exception {
        close();
    }

    static <T> T get(Future<T> future) {
        assertThat(future.awaitUninterruptibly(60, TimeUnit.SECONDS)).isTrue();
        return future.getNow();
    }

    // ------------------------------------------------------------------ tasks

    /** Tasks of one executor run one at a time, in order, inside it; another executor is not inside. */
    @Test
    void execute_inOrder() {
        int count = 10_000;
        EventExecutor executor = group.next();
        EventExecutor other = group.next();
        assertThat(executor).isInstanceOf(OrderedEventExecutor.class).isNotSameAs(other);
        assertThat(executor.parent()).isSameAs(group);
        assertThat(executor.inEventLoop()).isFalse();
        List<Integer> ran = new ArrayList<>();
        AtomicInteger wrong = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(1);
        for (int i = 0; i < count; i++) {
            int number = i;
            executor.execute(() -> {
                if (inside.getAndIncrement() != 0 || !executor.inEventLoop() || other.inEventLoop()) {
                    wrong.incrementAndGet();
                }
                ran.add(number);
                inside.decrementAndGet();
                if (number == count - 1) {
                    done.countDown();
                }
            });
        }
        Await.until("all tasks", () -> done.getCount() == 0);
        assertThat(wrong.get()).isZero();
        assertThat(ran).hasSize(count).isSorted();
    }

    /** What a task does is seen by the next, and a task sent from inside runs after this one. */
    @Test
    void execute_fromInside() {
        EventExecutor executor = group.next();
        List<String> ran = new ArrayList<>();
        Promise<Void> done = executor.newPromise();
        executor.execute(() -> {
            executor.execute(() -> {
                ran.add("second");
                done.setSuccess(null);
            });
            ran.add("first");
        });
        get(done);
        assertThat(ran).containsExactly("first", "second");
    }

    /** A task that throws fails its future, and stops nothing. (A bare one that throws ends Netty's own executor.) */
    @Test
    void submit_throws() {
        EventExecutor executor = group.next();
        IllegalStateException planted = new IllegalStateException("planted");
        Future<?> failed = executor.submit((Callable<Void>) () -> {
            throw planted;
        });
        assertThat(get(executor.submit(() -> 42))).isEqualTo(42);
        assertThat(failed.awaitUninterruptibly(60, TimeUnit.SECONDS)).isTrue();
        assertThat(failed.cause()).isSameAs(planted);
    }

    /** A promise tells its listeners inside its executor, and refuses to be waited for there. */
    @Test
    void promise_ofTheExecutor() {
        EventExecutor executor = group.next();
        Promise<String> promise = executor.newPromise();
        AtomicReference<Boolean> isInside = new AtomicReference<>();
        promise.addListener(f -> isInside.set(executor.inEventLoop()));
        Future<Throwable> refusal = executor.submit(() -> {
            try {
                promise.sync();
                return null;
            } catch (BlockingOperationException e) {
                return e;
            }
        });
        assertThat(get(refusal)).isInstanceOf(BlockingOperationException.class);
        promise.setSuccess("answer");
        Await.until("the listener", () -> isInside.get() != null);
        assertThat(isInside.get()).isTrue();
    }

    /** Two executors run at once. */
    @Test
    void executors_runAtOnce() {
        CyclicBarrier meeting = new CyclicBarrier(2);
        Callable<Integer> meet = () -> meeting.await(60, TimeUnit.SECONDS);
        Future<Integer> one = group.next().submit(meet);
        Future<Integer> two = group.next().submit(meet);
        assertThat(get(one) + get(two)).isEqualTo(1);
    }

    // ------------------------------------------------------------------ timers

    /** A timer runs once, inside, not early, and gives its result. */
    @Test
    void schedule_once() {
        EventExecutor executor = group.next();
        long startNs = System.nanoTime();
        ScheduledFuture<Long> timer = executor.schedule(
                () -> executor.inEventLoop() ? System.nanoTime() - startNs : -1, 20, TimeUnit.MILLISECONDS);
        assertThat(timer.getDelay(TimeUnit.SECONDS)).isLessThan(1);
        assertThat(get(timer)).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
        assertThat(timer.cancel(false)).isFalse();
        assertThatThrownBy(() -> ((Promise<?>) timer).setSuccess(null)).isInstanceOf(IllegalStateException.class);
        assertThat(get(executor.schedule(() -> "at once", -5, TimeUnit.DAYS))).isEqualTo("at once");
    }

    /** A timer that is cancelled does not run, and its listeners are told. */
    @Test
    void schedule_cancelled() {
        EventExecutor executor = group.next();
        AtomicInteger ran = new AtomicInteger();
        ScheduledFuture<?> far = executor.schedule(ran::incrementAndGet, 1, TimeUnit.HOURS);
        ScheduledFuture<?> farther = executor.schedule(ran::incrementAndGet, 2, TimeUnit.HOURS);
        assertThat(far.getDelay(TimeUnit.MINUTES)).isBetween(58L, 60L);
        assertThat(far.compareTo(farther)).isNegative();
        AtomicInteger told = new AtomicInteger();
        far.addListener(f -> told.incrementAndGet());
        assertThat(far.cancel(true)).isTrue();
        assertThat(far.isCancelled()).isTrue();
        assertThat(far.cancel(true)).isFalse();
        Await.until("the listener", () -> told.get() == 1);
        assertThat(get(executor.submit(farther::isCancelled))).isFalse();
        assertThat(ran.get()).isZero();
    }

    /** Both kinds of repetition go on until they are cancelled, one run at a time, and a run that throws is the last. */
    @Test
    void schedule_repeated() {
        EventExecutor executor = group.next();
        AtomicInteger rate = new AtomicInteger();
        AtomicInteger delay = new AtomicInteger();
        List<ScheduledFuture<?>> timers = List.of(
                executor.scheduleAtFixedRate(rate::incrementAndGet, 0, 1, TimeUnit.MILLISECONDS),
                executor.scheduleWithFixedDelay(delay::incrementAndGet, 1, 1, TimeUnit.MILLISECONDS));
        Await.until("some runs", () -> rate.get() > 5 && delay.get() > 5);
        for (ScheduledFuture<?> timer : timers) {
            assertThat(timer.isDone()).isFalse();
            assertThat(get(executor.submit(() -> timer.cancel(false)))).isTrue();
        }
        int rateThen = get(executor.submit(rate::get));
        int delayThen = get(executor.submit(delay::get));
        assertThat(get(executor.schedule(() -> rate.get(), 10, TimeUnit.MILLISECONDS)))
                .isEqualTo(rateThen);
        assertThat(delay.get()).isEqualTo(delayThen);

        IllegalStateException planted = new IllegalStateException("planted");
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> failing = executor.scheduleAtFixedRate(
                () -> {
                    if (runs.incrementAndGet() == 3) {
                        throw planted;
                    }
                },
                0,
                1,
                TimeUnit.MILLISECONDS);
        assertThat(failing.awaitUninterruptibly(60, TimeUnit.SECONDS)).isTrue();
        assertThat(failing.cause()).isSameAs(planted);
        assertThat(runs.get()).isEqualTo(3);
    }

    /** A repetition may end itself. */
    @Test
    void schedule_cancelledFromInside() {
        EventExecutor executor = group.next();
        AtomicInteger runs = new AtomicInteger();
        AtomicReference<ScheduledFuture<?>> timer = new AtomicReference<>();
        executor.execute(() -> timer.set(executor.scheduleWithFixedDelay(
                () -> {
                    if (runs.incrementAndGet() == 4) {
                        timer.get().cancel(false);
                    }
                },
                0,
                10,
                TimeUnit.MICROSECONDS)));
        Await.until("its end", () -> timer.get() != null && timer.get().isDone());
        assertThat(timer.get().isCancelled()).isTrue();
        assertThat(get(executor.submit(runs::get))).isEqualTo(4);
    }

    /** Wrong arguments are named. */
    @Test
    void schedule_wrongArguments() {
        EventExecutor executor = group.next();
        assertThatThrownBy(() -> executor.scheduleAtFixedRate(() -> {}, -1, 1, TimeUnit.SECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("initialDelay");
        assertThatThrownBy(() -> executor.scheduleAtFixedRate(() -> {}, 0, 0, TimeUnit.SECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("period");
        assertThatThrownBy(() -> executor.scheduleWithFixedDelay(() -> {}, 0, 0, TimeUnit.SECONDS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("delay");
        assertThatThrownBy(() -> executor.execute(null)).isInstanceOf(NullPointerException.class);
    }

    // ------------------------------------------------------------------ end

    /** The end waits for the tasks, cancels the timers, and refuses what comes later. */
    @Test
    void shutdownGracefully_atOnce() throws Exception {
        EventExecutor executor = group.next();
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        executor.execute(() -> awaitQuietly(release));
        for (int i = 0; i < 100; i++) {
            executor.execute(ran::incrementAndGet);
        }
        ScheduledFuture<?> timer = executor.schedule(ran::incrementAndGet, 1, TimeUnit.HOURS);
        ScheduledFuture<?> repeated = executor.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
        assertThat(group.isShuttingDown()).isFalse();
        Future<?> end = group.shutdownGracefully(0, 60, TimeUnit.SECONDS);
        assertThat(group.isShuttingDown()).isTrue();
        assertThat(end.isDone()).isFalse();
        assertThat(group.isTerminated()).isFalse();
        release.countDown();
        assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(group.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ran.get()).isEqualTo(100);
        assertThat(timer.isCancelled()).isTrue();
        assertThat(repeated.isCancelled()).isTrue();
        assertThat(group.isTerminated()).isTrue();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.isShutdown()).isTrue();
        assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.submit(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.schedule(() -> {}, 1, TimeUnit.MILLISECONDS))
                .isInstanceOf(RejectedExecutionException.class);
    }

    static void awaitQuietly(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("not released");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** During the quiet period tasks are let in, and make it longer; then the group ends by itself. */
    @Test
    void shutdownGracefully_quietPeriod() throws Exception {
        EventExecutor executor = group.next();
        CountDownLatch isEnding = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        executor.execute(() -> {
            awaitQuietly(isEnding); // no period is over before this is
            executor.execute(ran::incrementAndGet);
        });
        Future<?> end = group.shutdownGracefully(50, 60_000, TimeUnit.MILLISECONDS);
        executor.execute(ran::incrementAndGet);
        isEnding.countDown();
        assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ran.get()).isEqualTo(2);
        assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    /** Tasks that many threads send while the group ends either run before it has, or are refused. */
    @Test
    void shutdownGracefully_racesWithTasks() throws Exception {
        EventExecutor executor = group.next();
        AtomicInteger accepted = new AtomicInteger();
        AtomicInteger ran = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(4);
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread sender = new Thread(() -> {
                try {
                    for (int n = 0; n < 1_000_000; n++) {
                        executor.execute(ran::incrementAndGet);
                        accepted.incrementAndGet();
                        started.countDown();
                    }
                } catch (RejectedExecutionException e) {
                    // the end
                }
            });
            senders.add(sender);
            sender.start();
        }
        awaitQuietly(started);
        Future<?> end = group.shutdownGracefully(0, 60, TimeUnit.SECONDS);
        assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
        for (Thread sender : senders) {
            sender.join(60_000);
        }
        assertThat(ran.get()).isEqualTo(accepted.get());
    }

    // ------------------------------------------------------------------ pipelines

    /** Notes where and when it is called, and echoes; every 16th read is slow. */
    static final class SlowEcho extends ChannelInboundHandlerAdapter {
        private final Queue<String> failures;
        private final List<String> calls = new ArrayList<>();
        private final AtomicInteger inside = new AtomicInteger();
        private int reads;
        final CountDownLatch removed = new CountDownLatch(1);

        SlowEcho(Queue<String> failures) {
            this.failures = failures;
        }

        private void called(ChannelHandlerContext ctx, String name) {
            if (!ctx.executor().inEventLoop()) {
                failures.add(name + " outside its executor");
            }
            if (ctx.channel().eventLoop().inEventLoop()) {
                failures.add(name + " inside the loop");
            }
            if (inside.getAndIncrement() != 0) {
                failures.add(name + " together with another call");
            }
            if (calls.isEmpty() || !calls.get(calls.size() - 1).equals(name)) {
                calls.add(name);
            }
            inside.decrementAndGet();
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            called(ctx, "added");
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            called(ctx, "active");
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            called(ctx, "read");
            if (++reads % 16 == 0) {
                long untilNs = System.nanoTime() + 500_000;
                while (System.nanoTime() < untilNs) {
                    Thread.onSpinWait();
                }
            }
            ctx.writeAndFlush(message, ctx.voidPromise());
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            called(ctx, "inactive");
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            called(ctx, "removed");
            removed.countDown();
        }
    }

    static Channel bind(
            EventLoopGroup loops,
            EventExecutorGroup group,
            Supplier<ChannelHandler[]> before,
            Supplier<ChannelHandler> in)
            throws Exception {
        return new ServerBootstrap()
                .group(loops)
                .channel(
                        loops instanceof CoreEventLoopGroup cores
                                ? cores.serverChannelType()
                                : NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    @SuppressWarnings("deprecation") // there is no other way to name an executor
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(before.get());
                        channel.pipeline().addLast(group, in.get());
                    }
                })
                .bind(ANY_PORT)
                .sync()
                .channel();
    }

    static Socket connect(Channel server) throws IOException {
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        Socket peer = new Socket(address.getAddress(), address.getPort());
        peer.setSoTimeout((int) Await.TIMEOUT.toMillis());
        peer.setTcpNoDelay(true);
        return peer;
    }

    /** Handlers that are slow now and then, behind loops that are not theirs: each channel keeps its order, and hears of its life in order. */
    @Test
    void pipeline_slowHandlers() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            checkPipeline(loops);
        } finally {
            loops.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
        }
    }

    final void checkPipeline(EventLoopGroup loops) throws Exception {
        int bytes = 2_000;
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        Queue<SlowEcho> handlers = new ConcurrentLinkedQueue<>();
        Channel server = bind(loops, group, () -> new ChannelHandler[0], () -> {
            SlowEcho handler = new SlowEcho(failures);
            handlers.add(handler);
            return handler;
        });
        List<Thread> clients = new ArrayList<>();
        for (int c = 0; c < CONNECTIONS; c++) {
            Thread client = new Thread(() -> {
                try (Socket peer = connect(server)) {
                    Thread writer = new Thread(() -> {
                        try {
                            for (int i = 0; i < bytes; i++) {
                                peer.getOutputStream().write(i);
                            }
                        } catch (IOException e) {
                            failures.add(e.toString());
                        }
                    });
                    writer.start();
                    for (int i = 0; i < bytes; i++) {
                        int read = peer.getInputStream().read();
                        if (read != (i & 0xff)) {
                            failures.add("byte " + i + " is " + read);
                            break;
                        }
                    }
                    writer.join(60_000);
                } catch (IOException | InterruptedException e) {
                    failures.add(e.toString());
                }
            });
            clients.add(client);
            client.start();
        }
        for (Thread client : clients) {
            client.join(Await.TIMEOUT.toMillis());
            assertThat(client.isAlive()).isFalse();
        }
        assertThat(failures).isEmpty();
        assertThat(handlers).hasSize(CONNECTIONS);
        for (SlowEcho handler : handlers) {
            assertThat(handler.removed.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(handler.calls).containsExactly("added", "active", "read", "inactive", "removed");
        }
        server.close().sync();
    }

    /** A handler that stands still holds up its own channel and no other. */
    @Test
    void pipeline_oneStandsStill() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        CountDownLatch release = new CountDownLatch(1);
        try {
            Channel server = bind(loops, group, () -> new ChannelHandler[0], () -> new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    int first = ((ByteBuf) message).readByte();
                    ((ByteBuf) message).release();
                    if (first == 7) {
                        awaitQuietly(release);
                    }
                    ctx.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {(byte) first}), ctx.voidPromise());
                }
            });
            try (Socket still = connect(server);
                    Socket other = connect(server)) {
                still.getOutputStream().write(7);
                for (int i = 20; i < 40; i++) {
                    other.getOutputStream().write(i);
                    assertThat(other.getInputStream().read()).isEqualTo(i);
                }
                release.countDown();
                assertThat(still.getInputStream().read()).isEqualTo(7);
            }
        } finally {
            release.countDown();
            loops.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
        }
    }
}
