// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;

/** What differs between the kernel interfaces: one object each, so that nothing else asks which it is. */
enum Transport {
    EPOLL("epoll", EpollIoHandler.class, EpollServerSocketChannel.class, EpollSocketChannel.class) {
        @Override
        IoHandlerFactory newHandlers() {
            return EpollIoHandler.newFactory();
        }

        @Override
        long restNs(long timeoutNs) {
            return timeoutNs;
        }

        @Override
        ColoredListener listen(
                CoreEventLoopGroup group,
                InetSocketAddress address,
                ListenOptions options,
                int core,
                AcceptHandler handler)
                throws IOException {
            EpollListener listener = EpollListener.bind(group, address, options, handler);
            listener.registerWith(core);
            return listener;
        }
    },

    NIO("nio", NioIoHandler.class, NioServerSocketChannel.class, NioSocketChannel.class) {
        @Override
        IoHandlerFactory newHandlers() {
            return NioIoHandler.newFactory();
        }

        /** A selector counts milliseconds, and Netty rounds less than half of one down to a busy wait. */
        @Override
        long restNs(long timeoutNs) {
            return Math.max(timeoutNs, SELECT_NS_MIN);
        }

        @Override
        ColoredListener listen(
                CoreEventLoopGroup group,
                InetSocketAddress address,
                ListenOptions options,
                int core,
                AcceptHandler handler)
                throws IOException {
            NioListener listener = NioListener.bind(group, address, options, handler);
            listener.registerWith(core);
            return listener;
        }
    };

    private static final long SELECT_NS_MIN = 1_000_000;

    final String label;
    final Class<? extends IoHandler> handlerType;
    final Class<? extends ServerSocketChannel> serverChannelType;
    final Class<? extends SocketChannel> channelType;

    Transport(
            String label,
            Class<? extends IoHandler> handlerType,
            Class<? extends ServerSocketChannel> serverChannelType,
            Class<? extends SocketChannel> channelType) {
        this.label = label;
        this.handlerType = handlerType;
        this.serverChannelType = serverChannelType;
        this.channelType = channelType;
    }

    /** Makes what a loop waits with, one per loop. */
    abstract IoHandlerFactory newHandlers();

    /** The wait to ask of a loop for one of this length. */
    abstract long restNs(long timeoutNs);

    /** See {@link ColoredListener#listen}. */
    abstract ColoredListener listen(
            CoreEventLoopGroup group, InetSocketAddress address, ListenOptions options, int core, AcceptHandler handler)
            throws IOException;
}
