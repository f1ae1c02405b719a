// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoEventLoop;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
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
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cores as a Netty group: a Netty program runs on them unchanged. */
@Timeout(120)
abstract class CoreEventLoopGroupContract {
    private static final int CORES = 2;
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    abstract CoreEventLoopGroup newGroup();

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final AtomicInteger inactive = new AtomicInteger();

    private Channel bindEcho(CoreEventLoopGroup group) throws Exception {
        return new ServerBootstrap()
                .group(group)
                .channel(group.serverChannelType())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object message) {
                                threads.add(Thread.currentThread());
                                ctx.write(message, ctx.voidPromise());
                            }

                            @Override
                            public void channelReadComplete(ChannelHandlerContext ctx) {
                                ctx.flush();
                            }

                            @Override
                            public void channelInactive(ChannelHandlerContext ctx) {
                                inactive.incrementAndGet();
                            }
                        });
                    }
                })
                .bind(ANY_PORT)
                .sync()
                .channel();
    }

    private static Socket connect(Channel server) throws Exception {
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        return new Socket(address.getAddress(), address.getPort());
    }

    /** A Netty server runs on the cores, all of them. */
    @Test
    void netty_echoServer() throws Exception {
        CoreEventLoopGroup group = newGroup();
        try (HandCores cores = HandCores.started(group, CORES)) {
            Channel server = bindEcho(group);
            Random random = new Random(11);
            for (int i = 0; i < 10; i++) {
                try (Socket peer = connect(server)) {
                    byte[] bytes = new byte[50_000];
                    random.nextBytes(bytes);
                    peer.getOutputStream().write(bytes);
                    assertThat(peer.getInputStream().readNBytes(bytes.length)).isEqualTo(bytes);
                }
            }
            assertThat(threads).containsExactlyInAnyOrder(cores.core(0), cores.core(1));
            server.close().sync();
        }
    }

    /** A Netty client runs on them, too. */
    @Test
    void netty_client() throws Exception {
        CoreEventLoopGroup group = newGroup();
        try (HandCores cores = HandCores.started(group, CORES)) {
            Channel server = bindEcho(group);
            assertThat(cores.core(0).isAlive()).isTrue();
            CountDownLatch answered = new CountDownLatch(1);
            Channel client = new Bootstrap()
                    .group(group)
                    .channel(group.channelType())
                    .handler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext ctx, Object message) {
                            io.netty.util.ReferenceCountUtil.release(message);
                            answered.countDown();
                        }
                    })
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1})).sync();
            assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Bound before the start of the cores, a server comes to life with them. */
    @Test
    void netty_boundBeforeTheStart() throws Exception {
        CoreEventLoopGroup group = newGroup();
        HandCores cores = new HandCores(group, CORES);
        var bound = new ServerBootstrap()
                .group(group)
                .channel(group.serverChannelType())
                .childHandler(new ChannelInboundHandlerAdapter())
                .bind(ANY_PORT);
        assertThat(bound.isDone()).isFalse();
        try (cores) {
            cores.start();
            assertThat(bound.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(bound.isSuccess()).isTrue();
        }
    }

    /** What a color writes to a channel is sent in the order written, though it runs on the channel's own core at one time and on another at the next. */
    @Test
    void netty_writesOfAColorKeepTheirOrder() throws Exception {
        int count = 20_000;
        CoreEventLoopGroup group = newGroup();
        try (HandCores cores = HandCores.started(group, CORES)) {
            AtomicReference<Channel> accepted = new AtomicReference<>();
            Channel server = new ServerBootstrap()
                    .group(group)
                    .channel(group.serverChannelType())
                    .childHandler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelActive(ChannelHandlerContext ctx) {
                            accepted.set(ctx.channel());
                        }
                    })
                    .bind(ANY_PORT)
                    .sync()
                    .channel();
            try (Socket peer = connect(server)) {
                peer.setSoTimeout((int) Await.TIMEOUT.toMillis());
                Await.until("the channel", () -> accepted.get() != null);
                HandCores.Lane color = cores.lane(3);
                for (int i = 0; i < count; i++) {
                    int number = i;
                    color.execute(() -> accepted.get().writeAndFlush(Unpooled.copyInt(number)));
                }
                DataInputStream in = new DataInputStream(new BufferedInputStream(peer.getInputStream()));
                for (int i = 0; i < count; i++) {
                    assertThat(in.readInt()).isEqualTo(i);
                }
            }
        }
    }

    /** The end of the runtime closes open channels, their handlers hear of it, and nothing is left. */
    @Test
    void shutdown_withOpenChannels() throws Exception {
        HandCores.started(newGroup(), CORES).close();
        int before = Descriptors.open();
        CoreEventLoopGroup group = newGroup();
        HandCores cores = HandCores.started(group, CORES);
        Channel server = bindEcho(group);
        List<Socket> peers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Socket peer = connect(server);
            peers.add(peer);
            peer.getOutputStream().write(i);
            assertThat(peer.getInputStream().read()).isEqualTo(i);
        }
        cores.close();
        assertThat(server.isOpen()).isFalse();
        for (Socket peer : peers) {
            assertThat(peer.getInputStream().read()).isEqualTo(-1);
            peer.close();
        }
        assertThat(inactive.get()).isEqualTo(20);
        Await.until("no more descriptors than before", () -> Descriptors.open() <= before);
    }

    /** A channel that is registered after the end is refused, and closed. */
    @Test
    void bind_afterTheEnd() throws Exception {
        CoreEventLoopGroup group = newGroup();
        HandCores.started(group, CORES).close();
        var bound = new ServerBootstrap()
                .group(group)
                .channel(group.serverChannelType())
                .childHandler(new ChannelInboundHandlerAdapter())
                .bind(ANY_PORT);
        assertThat(bound.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(bound.isSuccess()).isFalse();
        assertThat(bound.channel().isOpen()).isFalse();
    }

    /** Loops are handed out in turn, also to a core; one can be chosen; each belongs to the group. */
    @Test
    void next_inTurn() throws Exception {
        CoreEventLoopGroup group = newGroup();
        try (HandCores cores = HandCores.started(group, CORES)) {
            assertThat(group.cores()).isEqualTo(CORES);
            List<IoEventLoop> turns = new ArrayList<>();
            CountDownLatch done = new CountDownLatch(1);
            cores.core(1).send(() -> {
                for (int i = 0; i < 4; i++) {
                    turns.add(group.next());
                }
                done.countDown();
            });
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(turns).containsExactly(group.loop(0), group.loop(1), group.loop(0), group.loop(1));
            assertThat(group).containsExactly(group.loop(0), group.loop(1));
            assertThat(group.loop(1).parent()).isSameAs(group);
            assertThat(group.loop(1).next()).isSameAs(group.loop(1));
            assertThat(group.loop(1).submit(() -> group.loop(1).inEventLoop()).get())
                    .isTrue();
            AtomicReference<Boolean> isInLoop = new AtomicReference<>();
            cores.core(1).send(() -> isInLoop.set(group.loop(1).inEventLoop()));
            Await.until("an event of the core", () -> isInLoop.get() != null);
            assertThat(isInLoop.get()).as("between two turns").isFalse();
            assertThatThrownBy(() -> group.loop(2))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("core=2");
        }
    }

    /** A group without a runtime, or for a second one, says so. */
    @Test
    void group_usedWrongly() {
        CoreEventLoopGroup group = newGroup();
        assertThatThrownBy(group::next)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("build()");
        assertThatThrownBy(() -> group.loop(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> group.execute(() -> {})).isInstanceOf(IllegalStateException.class);
        assertThat(group.isShutdown()).isFalse();
        assertThat(group.isTerminated()).isFalse();
        try (HandCores cores = HandCores.started(group, CORES)) {
            assertThatThrownBy(() -> new HandCores(group, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("one runtime");
            assertThat(cores.core(0).isAlive()).isTrue();
        }
    }
}
