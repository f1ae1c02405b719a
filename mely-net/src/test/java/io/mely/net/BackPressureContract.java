// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// A full stage stops the sockets that feed it. When it has room everything arrives: what was sent is what was handled.
@Timeout(120)
abstract class BackPressureContract {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Events that the stage takes while its first one is held up: that one, and those that wait. */
    private static final int TAKEN = 1 + 8;

    abstract CoreEventLoopGroup newGroup();

    /** Of Netty's own loops. */
    abstract EventLoopGroup newForeignGroup();

    abstract Class<? extends ServerChannel> serverChannelType();

    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicLong handled = new AtomicLong();

    private Mely started(CoreEventLoopGroup group) {
        return Mely.builder().pollers(group).cores(2).build().start();
    }

    /** Holds an event up, so that what waits behind it stays. */
    private void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Is to get the numbers from 0 on in order, in one color. */
    private Stage<Integer> counting(Mely mely) {
        return mely.stage("work", StageOptions.defaults().withCapacity(TAKEN - 1), number -> {
            awaitRelease();
            if (handled.getAndIncrement() != number) {
                failure.compareAndSet(null, new AssertionError("out of order: " + number));
            }
        });
    }

    /** Sends numbers of four bytes. */
    private static final class Client implements AutoCloseable {
        private final SocketChannel channel;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16).flip();
        private int next;

        Client(InetSocketAddress address) throws IOException {
            channel = SocketChannel.open(address);
            channel.configureBlocking(false);
        }

        /** Writes as much as the kernel takes, up to a number. True if all is written. */
        boolean write(int end) {
            do {
                if (!buffer.hasRemaining()) {
                    buffer.clear();
                    while (next < end && buffer.remaining() >= Integer.BYTES) {
                        buffer.putInt(next++);
                    }
                    buffer.flip();
                }
            } while (writeSome() > 0);
            return next == end && !buffer.hasRemaining();
        }

        private int writeSome() {
            try {
                return channel.write(buffer);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** Writes all the while, until something is so. */
    private static void writeUntil(String what, Client client, BooleanSupplier condition) {
        Await.until(what, () -> {
            boolean unused = client.write(Integer.MAX_VALUE);
            return condition.getAsBoolean();
        });
    }

    private void finish(Client client) {
        int end = client.next + 10_000;
        Await.until("all is written", () -> client.write(end));
        Await.until("all arrives", () -> handled.get() == end || failure.get() != null);
        assertThat(failure).hasNullValue();
    }

    // ------------------------------------------------------------------ colored sockets

    private void register(ColoredSocket socket, ReadinessHandler handler) {
        try {
            socket.register(socket.id() % 2, handler);
        } catch (IOException e) {
            failure.compareAndSet(null, e);
        }
    }

    private InetSocketAddress listen(Mely mely, CoreEventLoopGroup group, Consumer<ColoredSocket> then)
            throws IOException {
        Stage<ColoredListener> accept = mely.stage("accept", listener -> {
            try {
                for (ColoredSocket s = listener.accept(); s != null; s = listener.accept()) {
                    then.accept(s);
                }
            } catch (ClosedChannelException e) {
                // the end of the test
            }
        });
        return ColoredListener.listen(group, ANY_PORT, ListenOptions.defaults(), 0, l -> accept.offer(mely.color(0), l))
                .localAddress();
    }

    /** A socket's color, which reads numbers and sends each to the stage behind it; while that is full it reads no more. */
    private final class Reader {
        private final Color color;
        private final Color workColor;
        private final ColoredSocket socket;
        private final Stage<Integer> work;
        private final AtomicLong read;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 12).flip();

        Reader(Mely mely, ColoredSocket socket, Stage<Integer> work, AtomicLong read) {
            color = mely.colorAt(1 + socket.id());
            workColor = mely.colorAt(0);
            this.socket = socket;
            this.work = work;
            this.read = read;
        }

        void run() {
            try {
                int n;
                do {
                    if (!passOn()) {
                        return; // called again
                    }
                    buffer.compact();
                    n = socket.read(buffer);
                    buffer.flip();
                } while (n > 0);
                if (n < 0) {
                    socket.close();
                }
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        private boolean passOn() {
            while (buffer.remaining() >= Integer.BYTES) {
                if (work.offer(workColor, buffer.getInt(buffer.position()))) {
                    buffer.position(buffer.position() + Integer.BYTES);
                    read.incrementAndGet();
                } else if (work.whenRoom(() -> color.execute(this::run))) {
                    return false;
                }
            }
            return true;
        }
    }

    @Test
    void coloredSocket_stageBehindTheReader() throws Exception {
        CoreEventLoopGroup group = newGroup();
        try (Mely mely = started(group)) {
            Stage<Integer> work = counting(mely);
            Stage<Reader> reading = mely.stage("read", Reader::run);
            AtomicLong read = new AtomicLong();
            InetSocketAddress address = listen(mely, group, socket -> {
                Reader reader = new Reader(mely, socket, work, read);
                register(socket, (s, ready) -> reading.offer(reader.color, reader));
            });
            try (Client client = new Client(address)) {
                writeUntil("it is full", client, () -> read.get() == TAKEN);
                boolean unused = client.write(Integer.MAX_VALUE);
                assertThat(read).as("read, though the stage is full").hasValue(TAKEN);
                release.countDown();
                finish(client);
            }
        }
    }

    // The stage that reads is full itself: a hundred sockets get their turns nevertheless, and all bytes come.
    @Test
    void coloredSockets_stageThatReads() throws Exception {
        int connections = 100;
        int rounds = 20;
        CoreEventLoopGroup group = newGroup();
        try (Mely mely = started(group)) {
            AtomicInteger taken = new AtomicInteger();
            Queue<ColoredSocket> refused = new ConcurrentLinkedQueue<>();
            Stage<ColoredSocket> reading =
                    mely.stage("read", StageOptions.defaults().withCapacity(TAKEN - 1), socket -> {
                        awaitRelease();
                        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 10);
                        try {
                            while (socket.read(buffer.clear()) > 0) {
                                handled.addAndGet(buffer.position());
                            }
                        } catch (ClosedChannelException e) {
                            // the end of the test
                        }
                    });
            InetSocketAddress address = listen(
                    mely,
                    group,
                    socket -> register(socket, (s, ready) -> {
                        boolean isTaken = reading.offer(mely.colorAt(1), s); // of all, so that one runs
                        if (isTaken) {
                            taken.incrementAndGet();
                        } else if (!refused.contains(s)) {
                            refused.add(s);
                        }
                        return isTaken;
                    }));
            List<SocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                SocketChannel client = SocketChannel.open(address);
                clients.add(client);
                client.write(ByteBuffer.allocate(1));
            }
            Await.until("the others are refused", () -> refused.size() >= connections - TAKEN);
            assertThat(taken).as("the stage takes no more").hasValue(TAKEN);
            for (int round = 1; round < rounds; round++) {
                for (SocketChannel client : clients) {
                    client.write(ByteBuffer.allocate(1));
                }
            }
            release.countDown();
            Await.until("all is read", () -> handled.get() == (long) connections * rounds || failure.get() != null);
            assertThat(failure).hasNullValue();
            for (SocketChannel client : clients) {
                client.close();
            }
        }
    }

    // ------------------------------------------------------------------ Netty's pipelines

    /** Splits bytes into numbers: many messages of one read. */
    private static final class Numbers extends ChannelInboundHandlerAdapter {
        private final ByteBuffer rest = ByteBuffer.allocate(Integer.BYTES);

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                while (bytes.isReadable()) {
                    rest.put(bytes.readByte());
                    if (!rest.hasRemaining()) {
                        rest.flip();
                        ctx.fireChannelRead(rest.getInt());
                        rest.clear();
                    }
                }
            } finally {
                bytes.release();
            }
        }
    }

    /** Asks for each read itself. */
    private static final class ReadByHand extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.read();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.read();
        }
    }

    private InetSocketAddress serve(EventLoopGroup group, Consumer<Channel> initializer) throws Exception {
        return (InetSocketAddress) new ServerBootstrap()
                .group(group)
                .channel(serverChannelType())
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        initializer.accept(channel);
                    }
                })
                .bind(ANY_PORT)
                .sync()
                .channel()
                .localAddress();
    }

    private void gateStopsTheClient(boolean isInColor, boolean isAutoRead) throws Exception {
        CoreEventLoopGroup group = newGroup();
        try (Mely mely = started(group)) {
            Stage<Integer> work = counting(mely);
            ColorEventExecutorGroup colors = new ColorEventExecutorGroup(mely);
            AtomicReference<Channel> served = new AtomicReference<>();
            InetSocketAddress address = serve(group, channel -> {
                StageGate<Integer> gate =
                        new StageGate<>(mely, work, mely.color(7), (of, message) -> (Integer) message);
                channel.pipeline().addLast(new Numbers());
                if (isInColor) {
                    addInColor(channel, colors, gate);
                } else {
                    channel.pipeline().addLast(gate);
                }
                if (!isAutoRead) {
                    channel.config().setAutoRead(false);
                    channel.pipeline().addLast(new ReadByHand());
                }
                served.set(channel);
            });
            try (Client client = new Client(address)) {
                writeUntil("it is full", client, () -> work.stats().refused() > 0);
                if (isAutoRead) {
                    writeUntil(
                            "it is not read",
                            client,
                            () -> !served.get().config().isAutoRead());
                }
                assertThat(handled).hasValue(0);
                release.countDown();
                finish(client);
            }
            served.get().closeFuture().sync();
            colors.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        }
    }

    @SuppressWarnings("deprecation") // Netty 4.2 names no other way
    private static void addInColor(Channel channel, ColorEventExecutorGroup colors, StageGate<?> gate) {
        channel.pipeline().addLast(colors, gate);
    }

    @Test
    void gate_stopsTheClient() throws Exception {
        gateStopsTheClient(false, true);
    }

    @Test
    void gate_stopsTheClient_whoIsReadByHand() throws Exception {
        gateStopsTheClient(false, false);
    }

    @Test
    void gate_stopsTheClient_inAColor() throws Exception {
        gateStopsTheClient(true, true);
    }

    // Many channels share the places of one stage: each goes on, and what was read before a client closed comes, too.
    @Test
    void gates_share_andDeliverAfterTheEnd() throws Exception {
        int connections = 40;
        int each = 500;
        CoreEventLoopGroup group = newGroup();
        try (Mely mely = started(group)) {
            AtomicLong sum = new AtomicLong();
            Stage<Integer> work = mely.stage("work", StageOptions.defaults().withCapacity(3), number -> {
                awaitRelease();
                handled.incrementAndGet();
                sum.addAndGet(number);
            });
            AtomicInteger next = new AtomicInteger();
            InetSocketAddress address = serve(group, channel -> {
                Color color = mely.color(next.getAndIncrement());
                channel.pipeline()
                        .addLast(new Numbers())
                        .addLast(new StageGate<Integer>(mely, work, color, (of, message) -> (Integer) message));
            });
            for (int i = 0; i < connections; i++) {
                try (Client client = new Client(address)) {
                    Await.until("all is written", () -> client.write(each));
                }
            }
            release.countDown();
            Await.until("all arrives", () -> handled.get() == (long) connections * each);
            assertThat(sum).hasValue((long) connections * each * (each - 1) / 2);
            assertThat(mely.close(PATIENCE).isDrained()).isTrue();
        }
    }

    // As a handler does that stops reading while it cannot write.
    @Test
    void gate_readsAgain_thoughAnotherHandlerHasSwitchedAutoReadOnMeanwhile() throws Exception {
        CoreEventLoopGroup group = newGroup();
        try (Mely mely = started(group)) {
            Stage<Integer> work = counting(mely);
            AtomicReference<Channel> served = new AtomicReference<>();
            InetSocketAddress address = serve(group, channel -> {
                channel.pipeline()
                        .addLast(new Numbers())
                        .addLast(new StageGate<Integer>(mely, work, mely.color(7), (of, message) -> (Integer) message));
                served.set(channel);
            });
            try (Client client = new Client(address)) {
                writeUntil("it is full", client, () -> work.stats().refused() > 0);
                writeUntil(
                        "it is not read", client, () -> !served.get().config().isAutoRead());
                served.get()
                        .eventLoop()
                        .submit(() -> served.get().config().setAutoRead(true))
                        .sync();
                release.countDown();
                finish(client);
            }
        }
    }

    @Test
    void gate_closeWhileItWaits() throws Exception {
        gateCloses(false);
    }

    @Test
    void gate_closeWhileItWaits_inAColor() throws Exception {
        gateCloses(true);
    }

    // A runtime that closes with full gates: nothing waits for good, and what is left is released, also on loops that
    // are not its own.
    private void gateCloses(boolean isInColor) throws Exception {
        EventLoopGroup group = isInColor ? newForeignGroup() : newGroup();
        Mely mely = group instanceof CoreEventLoopGroup cores
                ? started(cores)
                : Mely.builder().cores(2).build().start();
        ColorEventExecutorGroup colors = new ColorEventExecutorGroup(mely);
        Queue<ByteBuf> made = new ConcurrentLinkedQueue<>();
        Stage<ByteBuf> work = mely.stage("work", StageOptions.defaults().withCapacity(1), bytes -> {
            awaitRelease();
            bytes.release();
        });
        InetSocketAddress address = serve(group, channel -> {
            StageGate<ByteBuf> gate = new StageGate<>(mely, work, mely.color(1), (of, message) -> {
                made.add((ByteBuf) message);
                return (ByteBuf) message;
            });
            if (isInColor) {
                addInColor(channel, colors, gate);
            } else {
                channel.pipeline().addLast(gate);
            }
        });
        List<SocketChannel> clients = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            SocketChannel client = SocketChannel.open(address);
            client.write(ByteBuffer.allocate(1));
            clients.add(client);
        }
        Await.until("all were read", () -> made.size() == 10);
        Thread closing = new Thread(() -> mely.close(PATIENCE));
        closing.start();
        Await.until("it closes", () -> !mely.isAccepting());
        release.countDown();
        closing.join();
        Await.until("all are released", () -> made.stream().allMatch(bytes -> bytes.refCnt() == 0));
        if (isInColor) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
        for (SocketChannel client : clients) {
            client.close();
        }
    }
}
