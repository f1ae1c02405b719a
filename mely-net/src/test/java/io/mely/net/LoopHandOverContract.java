// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.spi.Poller;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.Future;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop is handed from one thread to another between two turns, and loses nothing: no bytes, no tasks, no timers, no wake-ups. */
@Timeout(120)
abstract class LoopHandOverContract {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int CLIENTS = 8;
    private static final int ECHOES_EACH = 1_250;
    private static final int TASKS = 10_000;

    abstract CoreEventLoopGroup newGroup();

    /** One core whose turns are taken by whoever has the baton, which is what makes each see what the last one did. */
    private static final class Relay implements Poller.Seat, AutoCloseable {
        final ReentrantLock baton = new ReentrantLock(true); // fair: so that they alternate
        final CorePoller poller;
        final AtomicReference<Channel> accepted = new AtomicReference<>();
        final Set<Thread> channelThreads = ConcurrentHashMap.newKeySet();
        final AtomicLong handOvers = new AtomicLong();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final List<Thread> runners = new ArrayList<>();
        volatile boolean isStopped;
        private Thread last; // guarded by the baton

        Relay(CoreEventLoopGroup group) {
            poller = (CorePoller) group.create(this);
            poller.start();
        }

        @Override
        public int core() {
            return 0;
        }

        @Override
        public boolean mayBlock() {
            return !isStopped;
        }

        /** Takes turns until told to stop. */
        void run(long seed, int turnsMax) {
            Random random = new Random(seed);
            Thread runner = new Thread(() -> {
                try {
                    while (!isStopped) {
                        takeTurns(1 + random.nextInt(turnsMax));
                    }
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            });
            runners.add(runner);
            runner.start();
        }

        private void takeTurns(int turns) {
            baton.lock();
            try {
                if (last != Thread.currentThread()) {
                    handOvers.incrementAndGet();
                    last = Thread.currentThread();
                    poller.takeOver();
                }
                for (int i = 0; i < turns && !isStopped; i++) {
                    if (poller.poll() == 0) {
                        poller.block(Long.MAX_VALUE);
                    }
                }
            } finally {
                baton.unlock();
            }
        }

        @Override
        public void close() {
            isStopped = true;
            poller.wakeup();
            for (Thread runner : runners) {
                Await.until("the end of a runner", () -> !runner.isAlive());
            }
            baton.lock();
            try {
                poller.close();
            } finally {
                baton.unlock();
            }
            if (failure.get() != null) {
                throw new AssertionError("a turn failed", failure.get());
            }
        }
    }

    private static Channel bindEcho(CoreEventLoopGroup group, Relay relay) throws Exception {
        var bound = new ServerBootstrap()
                .group(group)
                .channel(group.serverChannelType())
                .childHandler(new Echo(relay))
                .bind(ANY_PORT);
        assertThat(bound.await(60, TimeUnit.SECONDS)).isTrue();
        return bound.channel();
    }

    /** Also notes who runs it. */
    @io.netty.channel.ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        private final Relay relay;

        Echo(Relay relay) {
            this.relay = relay;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            relay.accepted.set(ctx.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (!ctx.executor().inEventLoop()) {
                relay.failure.compareAndSet(null, new AssertionError("not in the loop"));
            }
            relay.channelThreads.add(Thread.currentThread());
            ByteBuf copy =
                    ctx.alloc().buffer(); // the allocator's caches belong to threads, and buffers travel between them
            copy.writeBytes((ByteBuf) message);
            ((ByteBuf) message).release();
            ctx.writeAndFlush(copy, ctx.voidPromise());
        }
    }

    private static Socket connect(Channel server) throws IOException {
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        Socket peer = new Socket(address.getAddress(), address.getPort());
        peer.setSoTimeout((int) Await.TIMEOUT.toMillis());
        peer.setTcpNoDelay(true);
        return peer;
    }

    /** Two threads take turns by turns; clients are echoed, tasks and timers from outside run, a sleep is ended from outside. */
    @Test
    void takeOver_losesNothing() throws Exception {
        CoreEventLoopGroup group = newGroup();
        Relay relay = new Relay(group);
        try (relay) {
            relay.run(1, 3);
            relay.run(2, 3);
            Channel server = bindEcho(group, relay);
            List<Thread> clients = new ArrayList<>();
            AtomicInteger echoed = new AtomicInteger();
            for (int c = 0; c < CLIENTS; c++) {
                Thread client = new Thread(() -> {
                    try (Socket peer = connect(server)) {
                        DataOutputStream out = new DataOutputStream(peer.getOutputStream());
                        DataInputStream in = new DataInputStream(peer.getInputStream());
                        for (int i = 0; i < ECHOES_EACH; i++) {
                            out.writeInt(i);
                            if (in.readInt() != i) {
                                throw new AssertionError("another answer");
                            }
                            echoed.incrementAndGet();
                        }
                    } catch (Throwable e) {
                        relay.failure.compareAndSet(null, e);
                    }
                });
                clients.add(client);
                client.start();
            }
            IoEventLoop loop = group.loop(0);
            AtomicInteger ran = new AtomicInteger();
            AtomicInteger rang = new AtomicInteger();
            for (int i = 0; i < TASKS; i++) {
                loop.execute(ran::incrementAndGet);
                if (i % 10 == 0) {
                    Future<?> timer = loop.schedule(rang::incrementAndGet, i % 3, TimeUnit.MILLISECONDS);
                    assertThat(timer.isCancelled()).isFalse();
                }
            }
            for (Thread client : clients) {
                client.join(Await.TIMEOUT.toMillis());
            }
            assertThat(relay.failure.get()).isNull();
            assertThat(echoed.get()).isEqualTo(CLIENTS * ECHOES_EACH);
            Await.until("all tasks and timers", () -> ran.get() == TASKS && rang.get() == TASKS / 10);
            for (int i = 0;
                    i < 2_000;
                    i++) { // one at a time, so that the loop sleeps in between, and whoever has it is woken
                int nr = i;
                AtomicInteger woken = new AtomicInteger();
                loop.execute(woken::incrementAndGet);
                Await.until("wake-up " + nr, () -> woken.get() == 1);
            }
            System.out.println(getClass().getSimpleName() + ": hand-overs: " + relay.handOvers.get());
            assertThat(relay.handOvers.get()).isGreaterThan(100);
            assertThat(relay.channelThreads).hasSize(2);
        }
        assertThat(group.isTerminated()).isTrue();
    }

    /** While one thread stands still in an event another serves the loop; what the first then does to a channel is a task, and in order. */
    @Test
    void takeOver_fromAThreadThatStandsStill() throws Exception {
        CoreEventLoopGroup group = newGroup();
        Relay relay = new Relay(group);
        try (relay) {
            CountDownLatch atRest = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            AtomicReference<Boolean> isInLoop = new AtomicReference<>();
            AtomicReference<Boolean> isTaken = new AtomicReference<>();
            Thread stuck = new Thread(() -> {
                relay.takeTurns(1); // it owns the loop, and then runs an event
                atRest.countDown();
                try {
                    isTaken.set(release.await(60, TimeUnit.SECONDS));
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                isInLoop.set(group.loop(0).inEventLoop());
                Channel channel = relay.accepted.get();
                for (int i = 1; i <= 3; i++) {
                    channel.writeAndFlush(channel.alloc().buffer().writeInt(i), channel.voidPromise());
                }
            });
            Future<?> ready = group.loop(0).submit(() -> {});
            stuck.start();
            assertThat(atRest.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(ready.isDone()).isTrue();

            relay.run(1, 1_000);
            Channel server = bindEcho(group, relay);
            try (Socket peer = connect(server)) {
                DataInputStream in = new DataInputStream(peer.getInputStream());
                for (int i = 0; i < 100; i++) {
                    peer.getOutputStream().write(i);
                    assertThat(in.read()).isEqualTo(i);
                }
                release.countDown();
                for (int i = 1; i <= 3; i++) {
                    assertThat(in.readInt()).isEqualTo(i);
                }
            }
            stuck.join(60_000);
            assertThat(isTaken.get()).isTrue();
            assertThat(isInLoop.get()).isFalse();
            assertThat(relay.handOvers.get()).isEqualTo(2);
        }
    }

    /** The close is a turn, too, of any thread: here the test's, while the loop is another's. */
    @Test
    void takeOver_byTheClose() throws Exception {
        CoreEventLoopGroup group = newGroup();
        Relay relay = new Relay(group);
        relay.run(1, 3);
        Channel server = bindEcho(group, relay);
        try (Socket peer = connect(server)) {
            peer.getOutputStream().write(1);
            assertThat(peer.getInputStream().read()).isEqualTo(1);
            relay.close();
            assertThat(peer.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(server.isOpen()).isFalse();
        assertThat(group.isTerminated()).isTrue();
    }
}
