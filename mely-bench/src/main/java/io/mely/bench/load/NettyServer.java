// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A plain HTTP/1.1 server of Netty 4.2 in a JVM of its own: Netty's codec and aggregator, then a handler where the contender runs it.
 *
 * <p>{@code NettyServer CONTENDER THREADS PINNED SLOW_CYCLES}. Says {@code port NUMBER} when it listens, and ends with its standard input.
 */
public final class NettyServer {
    static final String READY = "port ";

    private static final int CONTENT_MAX = 1 << 16;
    private static final int END_OF_INPUT = -1;

    private NettyServer() {}

    /**
     * Serves until its input ends.
     *
     * @param args contender, threads, whether Mely's are pinned, cycles of a slow request
     * @throws Exception if it cannot listen
     */
    public static void main(String[] args) throws Exception {
        NettyContender.Factory factory = NettyContenders.all().get(args[0]);
        if (factory == null) {
            throw new IllegalArgumentException("no such contender: " + args[0]);
        }
        NettyContender contender =
                factory.apply(new NettyContender.Setup(Integer.parseInt(args[1]), Boolean.parseBoolean(args[2])));
        SlowService service = new SlowService(Integer.parseInt(args[3]));
        Channel server = new ServerBootstrap()
                .group(contender.loops())
                .channel(contender.serverChannelType())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(CONTENT_MAX));
                        contender.addHandler(channel.pipeline(), service);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        System.out.println(READY + ((InetSocketAddress) server.localAddress()).getPort());
        while (System.in.read() != END_OF_INPUT) {
            // Nothing is said to it.
        }
        System.exit(0);
    }
}
