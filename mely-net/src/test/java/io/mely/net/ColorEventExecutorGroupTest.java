// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Color;
import io.mely.Mely;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.OrderedEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

final class ColorEventExecutorGroupTest extends EventExecutorGroupContract {
    private Mely mely;
    private CoreEventLoopGroup loops;
    private final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();

    @Override
    EventExecutorGroup open() {
        loops = CoreEventLoopGroup.auto();
        mely = started(loops, 1 << 20);
        return new ColorEventExecutorGroup(mely);
    }

    private Mely started(CoreEventLoopGroup pollers, int pendingEventsMax) {
        return Mely.builder()
                .pollers(pollers)
                .cores(2)
                .pinned(false)
                .pendingEventsMax(pendingEventsMax)
                .errorHandler(failure -> errors.add(failure.cause()))
                .build()
                .start();
    }

    @Override
    void close() throws Exception {
        group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
        mely.close();
    }

    private ColorEventExecutorGroup colors() {
        return (ColorEventExecutorGroup) group;
    }

    /** On the cores' own loops, where the color runs on the channel's core at one time and elsewhere at another. */
    @Test
    void pipeline_onTheCoresLoops() throws Exception {
        checkPipeline(loops);
    }

    /** Executors are one for each color, bounded, in turn; of a key always the same. */
    @Test
    void next_isBounded() {
        ColorEventExecutorGroup few = new ColorEventExecutorGroup(mely, 5);
        Set<EventExecutor> dealt = new HashSet<>();
        OrderedEventExecutor first = few.next();
        for (int i = 1; i < 5; i++) {
            dealt.add(few.next());
        }
        assertThat(few.next()).isSameAs(first);
        dealt.add(first);
        assertThat(dealt).hasSizeBetween(2, 5); // two keys may have one color
        assertThat(few).containsExactlyInAnyOrderElementsOf(dealt);
        assertThat(few.executor(42)).isSameAs(few.executor(mely.color(42)));
        assertThat(few.toString()).contains("colors=5");
        few.shutdownGracefully(0, 60, TimeUnit.SECONDS).syncUninterruptibly();
        assertThatThrownBy(() -> few.executor(43).execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> new ColorEventExecutorGroup(mely, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("colors=0");
        assertThatThrownBy(() -> few.shutdownGracefully(2, 1, TimeUnit.SECONDS))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Events that come into the color another way are inside the executor, too. */
    @Test
    void inEventLoop_isTheColors() {
        Color color = mely.color(7);
        OrderedEventExecutor executor = colors().executor(color);
        AtomicInteger inside = new AtomicInteger();
        mely.<Integer>stage("any", n -> inside.set(executor.inEventLoop() ? 1 : 2))
                .offer(color, 1);
        Await.until("the event", () -> inside.get() != 0);
        assertThat(inside.get()).isEqualTo(1);
        assertThat(executor.inEventLoop(new Thread())).isFalse();
        try (Mely other = Mely.builder().cores(1).build()) {
            assertThatThrownBy(() -> colors().executor(other.color(7))).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** What a bare task throws goes to the runtime's error handler, and the executor goes on. */
    @Test
    void execute_throws() {
        IllegalStateException planted = new IllegalStateException("planted");
        EventExecutor executor = group.next();
        executor.execute(() -> {
            throw planted;
        });
        assertThat(get(executor.submit(() -> 42))).isEqualTo(42);
        assertThat(errors).containsExactly(planted);
    }

    /** A full runtime refuses tasks, and loses none that it let in. */
    @Test
    void execute_full() {
        try (Mely small = started(CoreEventLoopGroup.nio(), 1_024)) {
            OrderedEventExecutor busy = new ColorEventExecutorGroup(small).next();
            CountDownLatch release = new CountDownLatch(1);
            AtomicInteger ran = new AtomicInteger();
            int sent = 0;
            busy.execute(() -> awaitQuietly(release));
            try {
                while (true) {
                    busy.execute(ran::incrementAndGet);
                    sent++;
                }
            } catch (RejectedExecutionException e) {
                assertThat(sent).isPositive();
            }
            release.countDown();
            int all = sent;
            Await.until("what was let in has run", () -> ran.get() == all);
            assertThat(get(busy.submit(ran::get))).isEqualTo(all);
        }
    }

    /** The guard releases a message that is refused, and closes its channel. */
    @Test
    void guard_closesTheChannel() {
        AtomicInteger reads = new AtomicInteger();
        EmbeddedChannel channel = new EmbeddedChannel(colors().guard());
        addLast(channel, colors().next(), new Counting(reads));
        ByteBuf taken = Unpooled.buffer().writeByte(1);
        channel.writeOneInbound(taken);
        Await.until("the first message", () -> reads.get() == 1);
        channel.pipeline().fireExceptionCaught(new IllegalStateException("not the guard's business"));
        assertThat(channel.isOpen()).isTrue();

        group.shutdownGracefully(0, 60, TimeUnit.SECONDS).syncUninterruptibly();
        ByteBuf refused = Unpooled.buffer().writeByte(1);
        Logger log = Logger.getLogger("");
        Level before = log.getLevel();
        log.setLevel(Level.OFF); // the guard says so, and Netty that it can't tell the handlers of the end
        try {
            channel.writeOneInbound(refused);
            channel.runPendingTasks();
        } finally {
            log.setLevel(before);
        }
        assertThat(channel.isOpen()).isFalse();
        assertThat(refused.refCnt()).isZero();
        assertThat(taken.refCnt()).isZero();
        assertThat(reads.get()).isEqualTo(1);
    }

    @SuppressWarnings("deprecation") // there is no other way to name an executor
    private static void addLast(Channel channel, EventExecutorGroup group, ChannelHandler handler) {
        channel.pipeline().addLast(group, handler);
    }

    private static final class Counting extends ChannelInboundHandlerAdapter {
        private final AtomicInteger reads;

        Counting(AtomicInteger reads) {
            this.reads = reads;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            reads.incrementAndGet();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {}
    }

    /** If the runtime is closed first, tasks and timers are refused; the group's end still comes. */
    @Test
    void runtime_closedFirst() throws Exception {
        EventExecutor executor = group.next();
        ScheduledFuture<?> timer = executor.schedule(() -> {}, 1, TimeUnit.HOURS);
        AtomicInteger ran = new AtomicInteger();
        executor.execute(ran::incrementAndGet);
        mely.close();
        assertThat(ran.get()).isEqualTo(1);
        assertThat(group.isShutdown()).isTrue();
        assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.schedule(() -> {}, 1, TimeUnit.HOURS))
                .isInstanceOf(RejectedExecutionException.class);
        Future<?> end = group.shutdownGracefully(0, 60, TimeUnit.SECONDS);
        assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(timer.isCancelled()).isTrue();
    }

    /** A task that does not end delays the group's end to the timeout, and no longer. */
    @Test
    void shutdownGracefully_timesOut() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        group.next().execute(() -> awaitQuietly(release));
        Future<?> end = group.shutdownGracefully(0, 10, TimeUnit.MILLISECONDS);
        assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
        release.countDown();
    }
}
