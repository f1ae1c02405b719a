// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.Closeable;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connections to a server, each of which asks for one thing at a time; what finds none free waits for one.
 *
 * <p><b>Threads.</b> {@link #ask}: any. One of its own, which gives the answers. <b>Errors.</b> A connection that is lost answers false, and is opened again.
 */
@SuppressWarnings("FutureReturnValueIgnored") // whatever fails, the connection is closed
final class HttpAsker implements Closeable {
    private static final int ANSWER_BYTES_MAX = 4 << 20;
    private static final long PATIENCE_S = 60;

    private final IoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Bootstrap bootstrap;
    // of the loop's thread
    private final Deque<Channel> free = new ArrayDeque<>();
    private final Deque<Asked> waiting = new ArrayDeque<>();

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Asked(byte[] request, Consumer<Boolean> answer) {}

    HttpAsker(InetSocketAddress address, int connections) throws InterruptedException {
        bootstrap = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .remoteAddress(address)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new HttpResponseDecoder(),
                                        new HttpObjectAggregator(ANSWER_BYTES_MAX),
                                        new Connection());
                    }
                });
        List<io.netty.channel.ChannelFuture> opened = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            opened.add(bootstrap.connect());
        }
        for (io.netty.channel.ChannelFuture each : opened) {
            each.sync();
        }
    }

    /**
     * Asks.
     *
     * @param request all its bytes
     * @param answer gets true for 200, and false for all else
     */
    void ask(byte[] request, Consumer<Boolean> answer) {
        loops.execute(() -> {
            waiting.add(new Asked(request, answer));
            sendNext();
        });
    }

    private void sendNext() {
        while (!waiting.isEmpty() && !free.isEmpty()) {
            Channel channel = free.remove();
            Asked next = waiting.remove();
            channel.pipeline().get(Connection.class).send(channel, next);
        }
    }

    private final class Connection extends SimpleChannelInboundHandler<FullHttpResponse> {
        private @Nullable Asked asked;

        void send(Channel channel, Asked next) {
            asked = next;
            ByteBuf request = Unpooled.wrappedBuffer(next.request());
            channel.writeAndFlush(request, channel.voidPromise());
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            free.add(context.channel());
            sendNext();
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
            if (response.decoderResult().isFailure()) {
                context.close();
                return;
            }
            end(response.status().equals(HttpResponseStatus.OK));
            free.add(context.channel());
            sendNext();
        }

        private void end(boolean isAnswered) {
            Asked ended = asked;
            asked = null;
            if (ended != null) {
                ended.answer().accept(isAnswered);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            boolean unused = free.remove(context.channel());
            end(false);
            if (!loops.isShuttingDown()) {
                bootstrap.connect();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close(); // and is answered as lost
        }
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, PATIENCE_S, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
