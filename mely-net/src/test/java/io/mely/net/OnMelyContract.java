// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The network on the real runtime. */
@Timeout(120)
abstract class OnMelyContract {
    private static final int CORES = 2;
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    abstract CoreEventLoopGroup newGroup();

    /** Which queues stages have; the network must not care. */
    Policy policy() {
        return Policy.colored();
    }

    private Mely started(CoreEventLoopGroup group) {
        return Mely.builder()
                .policy(policy())
                .pollers(group)
                .cores(CORES)
                .build()
                .start();
    }

    /** An echo server in stages: one color accepts, each connection is a color. */
    private static final class EchoServer {
        final Stage<ColoredListener> accept;
        final Stage<ColoredSocket> serve;
        final Mely mely;
        final ColoredListener listener;
        final AtomicInteger closed = new AtomicInteger();
        final AtomicReference<Throwable> failure = new AtomicReference<>();

        private record Connection(Color color, ByteBuffer buffer) {}

        EchoServer(Mely mely, CoreEventLoopGroup group) throws IOException {
            this.mely = mely;
            accept = mely.stage("accept", this::accept);
            serve = mely.stage("serve", this::serve);
            Color acceptor = mely.color(0);
            listener = ColoredListener.listen(
                    group, ANY_PORT, ListenOptions.defaults(), 0, l -> accept.offer(acceptor, l));
        }

        private void accept(ColoredListener listener) throws IOException {
            try {
                for (ColoredSocket s = listener.accept(); s != null; s = listener.accept()) {
                    Color color = mely.colorAt(s.id() % mely.colors());
                    s.attach(new Connection(color, ByteBuffer.allocateDirect(1 << 14)));
                    s.register(color.homeCore(), (socket, ready) -> serve.offer(connection(socket).color, socket));
                }
            } catch (java.nio.channels.ClosedChannelException e) {
                // the end of the test
            }
        }

        private static Connection connection(ColoredSocket socket) {
            return (Connection) java.util.Objects.requireNonNull(socket.attachment());
        }

        private void serve(ColoredSocket socket) {
            try {
                ByteBuffer buffer = connection(socket).buffer;
                while (true) {
                    buffer.flip();
                    socket.write(buffer);
                    buffer.compact();
                    if (buffer.position() > 0) {
                        socket.awaitWritable();
                        return;
                    }
                    int n = socket.read(buffer);
                    if (n < 0) {
                        close(socket);
                        return;
                    }
                    if (n == 0) {
                        return;
                    }
                }
            } catch (PeerGoneException | java.nio.channels.ClosedChannelException e) {
                close(socket);
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        /** Counts the first close: an event that was under way finds the socket closed. */
        private void close(ColoredSocket socket) {
            if (socket.isOpen()) {
                socket.close();
                closed.incrementAndGet();
            }
        }

        Socket connect() throws IOException {
            Socket peer = new Socket(
                    listener.localAddress().getAddress(),
                    listener.localAddress().getPort());
            peer.setSoTimeout((int) Await.TIMEOUT.toMillis());
            peer.setTcpNoDelay(true);
            return peer;
        }
    }

    /** Bytes come back as they went in, on many connections at once. */
    @Test
    void echo_onColors() throws Exception {
        CoreEventLoopGroup group = newGroup();
        try (Mely mely = started(group)) {
            EchoServer server = new EchoServer(mely, group);
            List<Thread> clients = new ArrayList<>();
            AtomicLong echoed = new AtomicLong();
            for (int i = 0; i < 16; i++) {
                Random random = new Random(i);
                Thread client = new Thread(() -> {
                    try (Socket peer = server.connect()) {
                        for (int round = 0; round < 500; round++) {
                            byte[] bytes = new byte[1 + random.nextInt(4_000)];
                            random.nextBytes(bytes);
                            peer.getOutputStream().write(bytes);
                            assertThat(peer.getInputStream().readNBytes(bytes.length))
                                    .isEqualTo(bytes);
                            echoed.incrementAndGet();
                        }
                    } catch (Throwable e) {
                        server.failure.compareAndSet(null, e);
                    }
                });
                clients.add(client);
                client.start();
            }
            for (Thread client : clients) {
                client.join(Await.TIMEOUT.toMillis());
            }
            assertThat(server.failure.get()).isNull();
            assertThat(echoed.get()).isEqualTo(16 * 500);
            Await.until("all connections are closed", () -> server.closed.get() == 16);
            server.listener.close();
            assertThat(mely.close(Duration.ofSeconds(30)).isDrained()).isTrue();
        }
    }

    /** Handlers that wait, one on each core, hold up no socket: the cores have other threads by then. */
    @Test
    void waitingHandlers_socketsOfTheirCoresAreServed() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CoreEventLoopGroup group = newGroup();
        try (Mely mely = started(group)) {
            EchoServer server = new EchoServer(mely, group);
            List<Socket> peers = new ArrayList<>();
            for (int i = 0; i < 2 * CORES; i++) {
                Socket peer = server.connect();
                peers.add(peer);
                echoOne(peer, i);
            }
            AtomicInteger waiting = new AtomicInteger();
            for (int core = 0; core < CORES; core++) {
                // in colors that no connection has
                mely.colorAt(mely.colors() - CORES + core).execute(() -> {
                    waiting.incrementAndGet();
                    awaitQuietly(release);
                });
            }
            Await.until("a handler waits on each core", () -> waiting.get() == CORES);
            for (int i = 0; i < peers.size(); i++) {
                echoOne(peers.get(i), i);
            }
            peers.add(server.connect());
            echoOne(peers.get(peers.size() - 1), 9);
            release.countDown();
            for (Socket peer : peers) {
                peer.close();
            }
            Await.until("all connections are closed", () -> server.closed.get() == 2 * CORES + 1);
            assertThat(server.failure.get()).isNull();
            server.listener.close();
            assertThat(mely.close(Duration.ofSeconds(30)).isDrained()).isTrue();
        } finally {
            release.countDown();
        }
    }

    private static void echoOne(Socket peer, int value) throws IOException {
        peer.getOutputStream().write(value);
        assertThat(peer.getInputStream().read()).isEqualTo(value);
    }

    /** Sockets that become ready while the runtime is full are served when there is room: the readiness handler is the documented one. */
    @Test
    void full_servesAllAfterwards() throws Exception {
        int connections = 200;
        CoreEventLoopGroup group = newGroup();
        try (Mely mely = Mely.builder()
                .policy(policy())
                .pollers(group)
                .cores(CORES)
                .pendingEventsMax(1_024)
                .build()
                .start()) {
            CountDownLatch release = new CountDownLatch(1);
            Set<ColoredSocket> reported = ConcurrentHashMap.newKeySet();
            AtomicInteger refused = new AtomicInteger();
            Queue<ColoredSocket> accepted = new ConcurrentLinkedQueue<>();
            Stage<ColoredListener> accept = mely.stage("accept", l -> acceptAll(l, accepted));
            Stage<ColoredSocket> echo = mely.stage("echo", OnMelyContract::echoOnce);
            Color acceptor = mely.color(0);
            ColoredListener listener = ColoredListener.listen(
                    group, ANY_PORT, ListenOptions.defaults(), 0, l -> accept.offer(acceptor, l));
            List<Socket> peers = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                Socket peer = new Socket(
                        listener.localAddress().getAddress(),
                        listener.localAddress().getPort());
                peer.setSoTimeout((int) Await.TIMEOUT.toMillis());
                peers.add(peer);
            }
            Await.until("all are accepted", () -> accepted.size() == connections);
            Stage<Runnable> stuck = mely.stage("stuck", Runnable::run);
            AtomicReference<String> stuckThread = new AtomicReference<>();
            Color busy = mely.color(1);
            assertThat(stuck.offer(busy, () -> {
                        stuckThread.set(Thread.currentThread().getName());
                        awaitQuietly(release);
                    }))
                    .isTrue();
            Await.until("a core is stuck", () -> stuckThread.get() != null);
            int freeCore = 1 - coreOf(stuckThread.get());
            AtomicLong ran = new AtomicLong();
            long filled = 0;
            while (stuck.offer(busy, ran::incrementAndGet)) {
                filled++;
            }
            for (ColoredSocket each : accepted) {
                Color color = mely.colorAt(each.id() % mely.colors());
                each.register(freeCore, (s, ready) -> {
                    boolean isTaken = echo.offer(color, s);
                    if (!isTaken) {
                        refused.incrementAndGet();
                    }
                    reported.add(s);
                    return isTaken;
                });
            }
            for (int i = 0; i < connections; i++) {
                peers.get(i).getOutputStream().write(i);
            }
            Await.until("all were reported", () -> reported.size() == connections);
            assertThat(refused.get()).isPositive(); // of some an event may find room, as the books are kept by core
            release.countDown();
            for (int i = 0; i < connections; i++) {
                assertThat(peers.get(i).getInputStream().read()).isEqualTo(i);
                peers.get(i).close();
            }
            long sent = filled;
            Await.until("nothing else was lost", () -> ran.get() == sent);
        }
    }

    private static void acceptAll(ColoredListener listener, Queue<ColoredSocket> accepted) throws IOException {
        try {
            for (ColoredSocket s = listener.accept(); s != null; s = listener.accept()) {
                accepted.add(s);
            }
        } catch (java.nio.channels.ClosedChannelException e) {
            // the end of the test
        }
    }

    private static void echoOnce(ColoredSocket socket) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(100);
        try {
            int n = socket.read(buffer);
            if (n > 0) {
                socket.write(buffer.flip());
            } else if (n < 0) {
                socket.close();
            }
        } catch (PeerGoneException | java.nio.channels.ClosedChannelException e) {
            socket.close();
        }
    }

    /** The close of the runtime closes sockets and listeners that are still open, and leaves no descriptor. */
    @Test
    void close_withOpenSockets() throws Exception {
        started(newGroup()).close();
        int before = Descriptors.open();
        CoreEventLoopGroup group = newGroup();
        Mely mely = started(group);
        EchoServer server = new EchoServer(mely, group);
        List<Socket> peers = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Socket peer = server.connect();
            peers.add(peer);
            peer.getOutputStream().write(i);
            assertThat(peer.getInputStream().read()).isEqualTo(i);
        }
        mely.close();
        for (Socket peer : peers) {
            assertThat(peer.getInputStream().read()).isEqualTo(-1);
            peer.close();
        }
        assertThat(server.listener.isOpen()).isFalse();
        assertThat(group.isTerminated()).isTrue();
        assertThat(server.failure.get()).isNull();
        Await.until("no more descriptors than before", () -> Descriptors.open() <= before);
    }

    /** A socket of a core that is stuck in a handler is served by the other core. */
    @Test
    void stolen_colorWritesFromTheOtherCore() throws Exception {
        CoreEventLoopGroup group = newGroup();
        try (Mely mely = started(group)) {
            Set<String> threads = ConcurrentHashMap.newKeySet();
            CountDownLatch release = new CountDownLatch(1);
            Stage<ColoredSocket> answer = mely.stage("answer", socket -> {
                threads.add(Thread.currentThread().getName());
                ByteBuffer buffer = ByteBuffer.allocateDirect(100);
                if (socket.read(buffer) > 0) {
                    buffer.flip();
                    socket.write(buffer);
                }
            });
            Stage<Runnable> stuck = mely.stage("stuck", Runnable::run);
            AtomicReference<ColoredSocket> accepted = new AtomicReference<>();
            ColoredListener listener = ColoredListener.listen(group, ANY_PORT, ListenOptions.defaults(), 0, l -> {
                try {
                    accepted.compareAndSet(null, l.accept());
                } catch (java.nio.channels.ClosedChannelException e) {
                    // the end of the test
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return true;
            });
            try (Socket peer = new Socket(
                    listener.localAddress().getAddress(),
                    listener.localAddress().getPort())) {
                peer.setSoTimeout((int) Await.TIMEOUT.toMillis());
                Await.until("a connection", () -> accepted.get() != null);
                AtomicReference<String> stuckThread = new AtomicReference<>();
                stuck.offer(mely.color(1), () -> {
                    stuckThread.set(Thread.currentThread().getName());
                    awaitQuietly(release);
                });
                Await.until("a core is stuck", () -> stuckThread.get() != null);
                int stuckCore = coreOf(stuckThread.get());
                // the color lives on the stuck core, and the other core's loop reports
                Color color = colorAtHome(mely, stuckCore);
                accepted.get().register(1 - stuckCore, (s, ready) -> answer.offer(color, s));
                peer.getOutputStream().write(7);
                assertThat(peer.getInputStream().read()).isEqualTo(7);
                assertThat(threads).hasSize(1).doesNotContain(stuckThread.get());
            } finally {
                release.countDown();
            }
        }
    }

    /** A core that stood still, as its thread had no CPU, has further threads. */
    private static int coreOf(String thread) {
        assertThat(thread).matches("mely-[0-9]+(\\.[0-9]+)?");
        return Integer.parseInt(thread.replaceAll("mely-([0-9]+).*", "$1"));
    }

    private static Color colorAtHome(Mely mely, int core) {
        int slot = 100;
        while (mely.colorAt(slot).homeCore() != core) {
            slot++;
        }
        return mely.colorAt(slot);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("not released");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A Netty server runs on the runtime's cores, and ends with it. */
    @Test
    void netty_onMely() throws Exception {
        CoreEventLoopGroup group = newGroup();
        Mely mely = started(group);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(group.serverChannelType())
                .childHandler(new EchoHandler(threads))
                .bind(ANY_PORT)
                .sync()
                .channel();
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        for (int i = 0; i < 4; i++) {
            try (Socket peer = new Socket(address.getAddress(), address.getPort())) {
                peer.getOutputStream().write(i);
                assertThat(peer.getInputStream().read()).isEqualTo(i);
            }
        }
        assertThat(threads.stream().map(OnMelyContract::coreOf).distinct()).hasSize(CORES);
        mely.close();
        assertThat(server.isOpen()).isFalse();
        assertThatThrownBy(() -> group.loop(0).execute(() -> {}))
                .isInstanceOf(java.util.concurrent.RejectedExecutionException.class);
    }

    @io.netty.channel.ChannelHandler.Sharable
    private static final class EchoHandler extends ChannelInboundHandlerAdapter {
        private final Set<String> threads;

        EchoHandler(Set<String> threads) {
            this.threads = threads;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            threads.add(Thread.currentThread().getName());
            ctx.writeAndFlush(message, ctx.voidPromise());
        }
    }

    /** An idle runtime with a network sleeps. */
    @Test
    void idle_sleeps() throws Exception {
        CoreEventLoopGroup group = newGroup();
        try (Mely mely = started(group)) {
            EchoServer server = new EchoServer(mely, group);
            try (Socket peer = server.connect()) {
                peer.getOutputStream().write(1);
                assertThat(peer.getInputStream().read()).isEqualTo(1);
                CountDownLatch warm = new CountDownLatch(1);
                mely.defaultColor().schedule(Duration.ofMillis(200), warm::countDown);
                assertThat(warm.await(60, TimeUnit.SECONDS)).isTrue();
                long before = polls(mely);
                CountDownLatch later = new CountDownLatch(1);
                mely.defaultColor().schedule(Duration.ofMillis(1_000), later::countDown);
                assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
                System.out.println(getClass().getSimpleName() + ": polls in an idle second: " + (polls(mely) - before));
                assertThat(polls(mely) - before).isLessThan(2_000);
            }
        }
    }

    private static long polls(Mely mely) {
        return mely.stats().cores().stream().mapToLong(c -> c.polls()).sum();
    }
}
