// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Await;
import io.mely.Mely;
import io.mely.net.CoreEventLoopGroup;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// An existing pipeline, over real sockets, with one line more: its reads are buffers of the regions.
@Timeout(120)
class StingyPipelineTest {
    private static final int BYTES = 300_000;

    private final StingyPlan plan =
            StingyPlan.builder(1 << 16).site("read", 4_097, 8, 0).build();

    /** Writes back what comes. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    @Test
    void pipeline_readsIntoTheRegion_andGivesAllBack() throws Exception {
        CoreEventLoopGroup group = CoreEventLoopGroup.nio();
        Mely mely = Mely.builder().pollers(group).cores(2).build().start();
        Stingy stingy = Stingy.of(plan, mely.cores());
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(4_096))
                .childOption(
                        ChannelOption.ALLOCATOR,
                        stingy.allocator(PooledByteBufAllocator.DEFAULT).at("read"))
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Echo());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        byte[] sent = new byte[BYTES];
        new Random(1).nextBytes(sent);
        byte[] received = new byte[BYTES];
        try (Socket client =
                new Socket(InetAddress.getLoopbackAddress(), ((InetSocketAddress) server.localAddress()).getPort())) {
            Thread writer = new Thread(() -> write(client, sent));
            writer.start();
            new DataInputStream(client.getInputStream()).readFully(received);
            writer.join();
        }
        assertThat(received).isEqualTo(sent);
        server.close().sync();
        StingyStats.SiteStats read = stingy.stats().site("read");
        assertThat(read.served()).isPositive();
        assertThat(read.guards()).isZero();
        Await.until("all is given back", () -> stingy.stats().site("read").live() == 0);
        stingy.validate();
        mely.close();
    }

    private static void write(Socket client, byte[] bytes) {
        try {
            client.getOutputStream().write(bytes);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
