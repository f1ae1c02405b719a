// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.spi.Poller;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoEventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop as a poller: it sleeps, it is woken, it ends. */
@Timeout(120)
abstract class CorePollerContract {
    private static final int ROUND_TRIPS = 300_000;

    /** Those of a machine whose CPUs others have, too. */
    private static final int ROUND_TRIPS_MIN = 1_000;

    private static final long ROUND_TRIPS_NS = TimeUnit.SECONDS.toNanos(20);
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    abstract CoreEventLoopGroup newGroup();

    /** No wake-up is lost between the core's look at its queue and its sleep. */
    @Test
    void wakeup_isNeverLost() {
        try (HandCores cores = HandCores.started(newGroup(), 1)) {
            HandCores.HandCore core = cores.core(0);
            AtomicLong answered = new AtomicLong();
            long startNs = System.nanoTime();
            int trips = 0;
            while (trips < ROUND_TRIPS && (trips < ROUND_TRIPS_MIN || System.nanoTime() - startNs < ROUND_TRIPS_NS)) {
                core.send(answered::incrementAndGet);
                roundTripWait(answered, ++trips);
            }
            System.out.printf(
                    "%s: %d round trips, %d sleeps, %.1f us each%n",
                    getClass().getSimpleName(), trips, core.blocks, (System.nanoTime() - startNs) / 1e3 / trips);
            assertThat(core.blocks).isPositive();
        }
    }

    private static void roundTripWait(AtomicLong answered, long expected) {
        long startNs = System.nanoTime();
        for (int spins = 0; answered.get() < expected; spins++) {
            if (spins < 20_000) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(50_000);
                if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(30)) {
                    throw new AssertionError("a wake-up was lost at round trip " + expected);
                }
            }
        }
    }

    /** A core without work sleeps: its thread uses next to no CPU and hardly polls. */
    @Test
    void idle_sleeps() {
        CoreEventLoopGroup group = newGroup();
        try (HandCores cores = HandCores.started(group, 1)) {
            HandCores.HandCore core = cores.core(0);
            CountDownLatch later = new CountDownLatch(1);
            long pollsBefore = core.polls;
            Future<?> timer = group.loop(0).schedule(later::countDown, 500, TimeUnit.MILLISECONDS);
            Await.until("the timer", () -> later.getCount() == 0);
            assertThat(timer.isCancelled()).isFalse();
            assertThat(core.polls - pollsBefore).isLessThan(50);
        }
    }

    /** A wait ends in time, and not much too early, whatever its length. */
    @Test
    void block_endsInTime() throws Exception {
        CoreEventLoopGroup group = newGroup();
        AtomicLong elapsedNs = new AtomicLong();
        AtomicInteger returns = new AtomicInteger();
        AtomicInteger handled = new AtomicInteger();
        Poller poller = group.create(seat(0));
        Thread thread = new Thread(() -> {
            poller.start();
            handled.addAndGet(poller.poll());
            long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < 20_000_000) {
                handled.addAndGet(poller.block(300_000));
                returns.incrementAndGet();
            }
            elapsedNs.set(System.nanoTime() - startNs);
            poller.close();
        });
        thread.start();
        thread.join(60_000);
        assertThat(handled.get()).as("0 means: nothing happened").isZero();
        assertThat(returns.get()).as("sleeps, no spin").isLessThan(200);
        assertThat(elapsedNs.get()).isPositive();
    }

    private static Poller.Seat seat(int core) {
        return new Poller.Seat() {
            @Override
            public int core() {
                return core;
            }

            @Override
            public boolean mayBlock() {
                return true;
            }
        };
    }

    /** Tasks of the loop are counted, and those from elsewhere wake it. */
    @Test
    void execute_wakesAndCounts() throws Exception {
        CoreEventLoopGroup group = newGroup();
        Poller poller = group.create(seat(0));
        CountDownLatch ran = new CountDownLatch(2);
        group.loop(0).execute(ran::countDown); // before the start: runs after it
        AtomicInteger handled = new AtomicInteger();
        Thread thread = new Thread(() -> {
            poller.start();
            while (ran.getCount() > 0) {
                handled.addAndGet(poller.block(Long.MAX_VALUE));
            }
            poller.close();
        });
        thread.start();
        Await.until("the first task", () -> ran.getCount() == 1);
        group.loop(0).execute(ran::countDown);
        thread.join(60_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(handled.get()).isEqualTo(2);
    }

    /** After the end everything is refused; nothing is silently dropped. */
    @Test
    void close_refusesTasks() throws Exception {
        CoreEventLoopGroup group = newGroup();
        HandCores cores = HandCores.started(group, 2);
        IoEventLoop loop = group.loop(0);
        CountDownLatch ran = new CountDownLatch(1);
        loop.execute(ran::countDown);
        cores.close();
        assertThat(ran.getCount()).isZero();
        assertThat(loop.isTerminated()).isTrue();
        assertThat(group.isTerminated()).isTrue();
        assertThat(group.isShutdown()).isTrue();
        assertThat(group.awaitTermination(1, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> loop.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> loop.submit(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> loop.schedule(() -> {}, 1, TimeUnit.SECONDS))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> group.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    /** Tasks sent while the loop ends are run or refused: the books close. */
    @Test
    void close_racesWithTasks() throws Exception {
        for (int round = 0; round < 100; round++) {
            CoreEventLoopGroup group = newGroup();
            HandCores cores = HandCores.started(group, 1);
            AtomicLong accepted = new AtomicLong();
            AtomicLong ran = new AtomicLong();
            CountDownLatch begun = new CountDownLatch(1);
            Thread sender = new Thread(() -> {
                try {
                    while (true) {
                        group.loop(0).execute(ran::incrementAndGet);
                        accepted.incrementAndGet();
                        begun.countDown();
                    }
                } catch (RejectedExecutionException e) {
                    // the end
                }
            });
            sender.start();
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            closesBeside(sender, cores, accepted, ran);
        }
    }

    /** The cores end, then the sender, who is refused, and what was accepted has run. */
    private static void closesBeside(Thread sender, HandCores cores, AtomicLong accepted, AtomicLong ran)
            throws InterruptedException {
        cores.close();
        sender.join(60_000);
        assertThat(sender.isAlive()).isFalse();
        assertThat(ran.get()).isEqualTo(accepted.get());
    }

    /** Somebody always has one more task, and the loop runs tasks until there are none: the close does not wait for that. */
    @Test
    void close_endsBesideWhoNeverStops() throws Exception {
        CoreEventLoopGroup group = newGroup();
        HandCores cores = HandCores.started(group, 1);
        AtomicLong accepted = new AtomicLong();
        AtomicLong ran = new AtomicLong();
        AtomicBoolean isRefused = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        Thread sender = new Thread(() -> {
            try {
                for (long next = 2; ; next++) {
                    long successor = next;
                    group.loop(0).execute(() -> {
                        ran.incrementAndGet();
                        while (accepted.get() < successor && !isRefused.get()) {
                            Thread.onSpinWait();
                        }
                    });
                    accepted.incrementAndGet();
                    begun.countDown();
                    while (accepted.get() - ran.get() > 1) {
                        Thread.onSpinWait();
                    }
                }
            } catch (RejectedExecutionException e) {
                isRefused.set(true);
            }
        });
        sender.start();
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        closesBeside(sender, cores, accepted, ran);
    }

    /** A runtime that is closed without a start leaves nothing open. */
    @Test
    void close_withoutStart() throws Exception {
        newGroup().create(seat(0)).close();
        int before = Descriptors.open();
        CoreEventLoopGroup group = newGroup();
        Poller poller = group.create(seat(0));
        poller.close();
        poller.close();
        assertThat(group.isTerminated()).isTrue();
        assertThat(Descriptors.open()).isLessThanOrEqualTo(before);
    }

    /** A program that shuts the group down itself leaves the cores alive: they sleep, and are woken, without a loop. */
    @Test
    void shutdownGracefully_leavesTheCoresAlive() throws Exception {
        CoreEventLoopGroup group = newGroup();
        try (HandCores cores = HandCores.started(group, 2)) {
            assertThat(group.shutdownGracefully().await(60, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> group.loop(1).execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
            for (int core = 0; core < 2; core++) {
                HandCores.HandCore hand = cores.core(core);
                AtomicLong answered = new AtomicLong();
                for (int i = 1; i <= 1_000; i++) {
                    hand.send(answered::incrementAndGet);
                    roundTripWait(answered, i);
                }
                Await.until("it sleeps", () -> hand.sleepFlag.get() == 1);
                long polls = hand.polls;
                assertThat(hand.polls - polls).isLessThan(10);
            }
        }
        assertThat(group.isTerminated()).isTrue();
    }

    /** If the third poller can't be made, the others are closed by who made them: nothing is left, and the group has ended. */
    @Test
    void close_byTheBuilder() throws Exception {
        HandCores.started(newGroup(), 2).close();
        int before = Descriptors.open();
        for (int round = 0; round < 4; round++) {
            CoreEventLoopGroup group = newGroup();
            Poller first = group.create(seat(0));
            Poller second = group.create(seat(1));
            Future<?> task = group.loop(1).submit(() -> {});
            Future<?> timer = group.loop(0).schedule(() -> {}, 1, TimeUnit.HOURS);
            var bound = new ServerBootstrap()
                    .group(group)
                    .channel(group.serverChannelType())
                    .childHandler(new ChannelInboundHandlerAdapter())
                    .bind(ANY_PORT);
            boolean isAskedBefore = round % 2 == 0;
            if (isAskedBefore) {
                assertThat(group.shutdownGracefully().isDone()).isFalse();
            }
            second.close();
            assertThat(group.isTerminated()).isFalse();
            first.close();
            first.close();
            assertThat(group.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            assertThat(group.shutdownGracefully().isSuccess()).isTrue();
            assertThat(group.isShuttingDown()).isTrue();
            assertThat(task.isDone()).isTrue();
            assertThat(timer.isCancelled()).isTrue();
            assertThat(bound.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(bound.channel().isOpen()).isFalse();
            assertThatThrownBy(() -> group.create(seat(2)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("was shut down");
        }
        assertThat(Descriptors.open()).isLessThanOrEqualTo(before);
    }

    /** A group that never had a runtime ends at once when it is asked to, and gets none then. */
    @Test
    void shutdownGracefully_withoutARuntime() throws Exception {
        CoreEventLoopGroup group = newGroup();
        assertThat(group.isShuttingDown()).isFalse();
        assertThat(group.shutdownGracefully().isSuccess()).isTrue();
        assertThat(group.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
        assertThat(group.isShutdown()).isTrue();
        assertThatThrownBy(() -> group.create(seat(0))).isInstanceOf(IllegalStateException.class);
    }

    /** A loop that its user has shut down, and whose core is closed later, counts once: the group has ended when all loops have. */
    @Test
    void close_afterTheLoopsOwnEnd() throws Exception {
        CoreEventLoopGroup group = newGroup();
        Poller first = group.create(seat(0));
        Poller second = group.create(seat(1));
        first.start();
        group.loop(0).shutdownGracefully();
        for (int turns = 0; !group.loop(0).isTerminated() && turns < 1_000; turns++) {
            first.poll();
        }
        first.close();
        assertThat(group.isTerminated()).as("the second loop is there still").isFalse();
        second.close();
        assertThat(group.isTerminated()).isTrue();
    }

    /** What a handle's end asks of the loop that ends it is done or refused: a timer is cancelled, a channel closed. */
    @Test
    void close_asksForTimersAndChannels() throws Exception {
        HandCores.started(newGroup(), 1).close();
        int before = Descriptors.open();
        CoreEventLoopGroup group = newGroup();
        HandCores cores = HandCores.started(group, 1);
        IoEventLoop loop = group.loop(0);
        AtomicReference<Future<?>> timer = new AtomicReference<>();
        AtomicReference<ChannelFuture> bound = new AtomicReference<>();
        ColoredListener.listen(group, ANY_PORT, ListenOptions.defaults(), 0, listener -> {
            bound.set(new ServerBootstrap()
                    .group(loop)
                    .channel(group.serverChannelType())
                    .childHandler(new ChannelInboundHandlerAdapter())
                    .bind(ANY_PORT));
            loop.execute(() -> timer.set(loop.schedule(() -> {}, 1, TimeUnit.HOURS)));
            return true;
        });
        cores.close();
        assertThat(timer.get().isCancelled()).isTrue();
        assertThat(bound.get().await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(bound.get().isSuccess()).isFalse();
        assertThat(bound.get().channel().isOpen()).isFalse();
        assertThat(Descriptors.open()).isLessThanOrEqualTo(before);
    }

    /** Nothing of the loops is left when they have ended. */
    @Test
    void close_leavesNoDescriptors() throws Exception {
        HandCores.started(newGroup(), 2).close();
        int before = Descriptors.open();
        for (int i = 0; i < 20; i++) {
            HandCores.started(newGroup(), 2).close();
        }
        assertThat(Descriptors.open()).isLessThanOrEqualTo(before + 1);
    }
}
