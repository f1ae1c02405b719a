// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A listening socket on a selector. */
final class NioListener extends NioHandle implements ColoredListener {
    private final ServerSocketChannel channel;
    private final AcceptHandler handler;
    private final InetSocketAddress localAddress;

    private NioListener(CoreEventLoopGroup group, ServerSocketChannel channel, AcceptHandler handler)
            throws IOException {
        super(group, channel);
        this.channel = channel;
        this.handler = handler;
        localAddress = (InetSocketAddress) channel.getLocalAddress();
    }

    static NioListener bind(
            CoreEventLoopGroup group, InetSocketAddress address, ListenOptions options, AcceptHandler handler)
            throws IOException {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("address must be resolved: address=" + address);
        }
        ServerSocketChannel channel = bindNewChannel();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            if (options.isReusePort()) {
                channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            channel.bind(address, options.backlog());
            return new NioListener(group, channel, handler);
        } catch (BindException e) {
            channel.close();
            BindException failure = new BindException(e.getMessage() + ": " + address);
            failure.initCause(e);
            throw failure;
        } catch (java.net.SocketException e) { // "Permission denied"
            channel.close();
            BindException failure = new BindException("cannot listen at " + address + ": " + e.getMessage());
            failure.initCause(e);
            throw failure;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Opening has one everyday reason to fail. */
    private static ServerSocketChannel bindNewChannel() throws IOException {
        try {
            return ServerSocketChannel.open();
        } catch (IOException e) {
            throw new OutOfDescriptorsException("no descriptor for a listener: " + e.getMessage(), e);
        }
    }

    @Override
    int firstOps() {
        return SelectionKey.OP_ACCEPT;
    }

    @Override
    void onReadyOps(int ops) {
        report(ColoredSocket.READ);
    }

    @Override
    boolean onReport(int ready) {
        return handler.onAcceptable(this); // if the loop is gone accept says so
    }

    @Override
    public @Nullable ColoredSocket accept() throws IOException {
        SocketChannel accepted = null;
        enter();
        try {
            accepted = channel.accept();
            if (accepted == null) {
                interest(SelectionKey.OP_ACCEPT);
                return null;
            }
            accepted.configureBlocking(false);
            accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new NioSocket(group(), accepted);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            if (accepted != null) {
                accepted.close();
            }
            // the JDK passes dead connections over itself, so what is left is want of descriptors or memory
            throw new OutOfDescriptorsException("cannot accept at " + localAddress + ": " + e.getMessage(), e);
        } finally {
            exit();
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public int core() {
        return coreOrNone();
    }

    @Override
    public boolean isOpen() {
        return isNotClosed();
    }

    @Override
    public String toString() {
        return "ColoredListener[" + localAddress + ", core=" + core() + "]";
    }
}
