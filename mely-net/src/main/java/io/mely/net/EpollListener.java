// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.netty.channel.ChannelException;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A listening socket on an epoll loop, edge-triggered. */
final class EpollListener extends EpollHandle implements ColoredListener {
    private static final EpollIoOps OPS = EpollIoOps.valueOf(EPOLLIN | EPOLLET);

    /** A length byte, then Netty's form of an address: 4 or 16 bytes, scope, port. */
    private static final int ADDRESS_BYTES = 26;

    /** Dead connections passed over in one call; each was in the backlog, so it ends anyway. */
    private static final int TRANSIENT_MAX = 1 << 16;

    private final AcceptHandler handler;
    private final InetSocketAddress localAddress;
    private final @Nullable UnixPath unix; // null: TCP
    private final byte[] peer = new byte[ADDRESS_BYTES]; // used by accept only

    private EpollListener(CoreEventLoopGroup group, Socket socket, @Nullable UnixPath unix, AcceptHandler handler) {
        super(group, socket);
        this.handler = handler;
        this.unix = unix;
        localAddress = unix == null ? socket.localAddress() : UnixPath.PEER;
    }

    /** See {@link ColoredListener#listenUnix}. */
    static EpollListener bindUnix(CoreEventLoopGroup group, UnixPath path, ListenOptions options, AcceptHandler handler)
            throws IOException {
        Socket socket = path.listen(options.backlog());
        try {
            return new EpollListener(group, socket, path, handler);
        } catch (RuntimeException e) {
            path.delete();
            socket.close();
            throw e;
        }
    }

    /** See {@link ColoredListener#adopt}. */
    static EpollListener adopt(CoreEventLoopGroup group, int descriptor, AcceptHandler handler) throws IOException {
        UnixPath unix = InheritedDescriptor.check(descriptor);
        return new EpollListener(group, new Socket(descriptor), unix, handler);
    }

    static EpollListener bind(
            CoreEventLoopGroup group, InetSocketAddress address, ListenOptions options, AcceptHandler handler)
            throws IOException {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("address must be resolved: address=" + address);
        }
        Socket socket = bindNewSocket();
        try {
            socket.setReuseAddress(true);
            if (options.isReusePort()) {
                socket.setReusePort(true);
            }
            socket.setTcpNoDelay(true); // inherited by what it accepts: no call for each
            socket.bind(address);
            socket.listen(options.backlog());
            return new EpollListener(group, socket, null, handler);
        } catch (IOException e) {
            socket.close();
            throw bindFailure(address, e);
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket bindNewSocket() throws IOException {
        try {
            return Socket.newSocketStream();
        } catch (ChannelException e) {
            IOException cause = e.getCause() instanceof IOException io ? io : new IOException(e);
            throw Errno.isOutOfDescriptors(errnoOf(cause))
                    ? new OutOfDescriptorsException("no descriptor for a listener", cause)
                    : cause;
        }
    }

    private static IOException bindFailure(InetSocketAddress address, IOException e) {
        String reason = switch (errnoOf(e)) {
            case Errno.EADDRINUSE -> "address in use: ";
            case Errno.EADDRNOTAVAIL -> "not an address of this machine: ";
            case Errno.EACCES, Errno.EPERM -> "no permission to listen at: ";
            default -> null;
        };
        if (reason == null) {
            return new IOException("cannot listen at " + address + ": " + e.getMessage(), e);
        }
        BindException failure = new BindException(reason + address);
        failure.initCause(e);
        return failure;
    }

    @Override
    void onRegistered(IoRegistration registration) {
        registration.submit(OPS);
    }

    @Override
    void onEvent(IoRegistration registration, IoEvent event) {
        report(ColoredSocket.READ);
    }

    @Override
    boolean onReport(int ready) {
        return handler.onAcceptable(this); // if the loop is gone accept says so
    }

    @Override
    public @Nullable ColoredSocket accept() throws IOException {
        enter();
        try {
            return acceptEntered();
        } finally {
            exit();
        }
    }

    private @Nullable ColoredSocket acceptEntered() throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                int fd = socket.accept(peer);
                return fd < 0 ? null : acceptWrap(fd);
            } catch (IOException e) {
                int errno = errnoOf(e);
                if (Errno.isOutOfDescriptors(errno)) {
                    throw new OutOfDescriptorsException("cannot accept at " + name() + ": " + e.getMessage(), e);
                }
                if (!Errno.isAcceptTransient(errno) || tries == TRANSIENT_MAX) {
                    throw e;
                }
            }
        }
    }

    private ColoredSocket acceptWrap(int fd) throws IOException {
        try {
            if (unix != null) {
                return new EpollSocket(group(), new Socket(fd), UnixPath.PEER);
            }
            return new EpollSocket(group(), new Socket(fd), Arrays.copyOfRange(peer, 1, 1 + peer[0]));
        } catch (RuntimeException e) { // its address family could not be asked
            new FileDescriptor(fd).close();
            throw new IOException("cannot accept at " + name(), e);
        }
    }

    @Override
    void closeDescriptor() throws IOException {
        if (unix != null) {
            unix.delete(); // first: a socket that nobody listens at is another's to replace
        }
        super.closeDescriptor();
    }

    @Override
    public String name() {
        return unix == null ? ColoredListener.super.name() : unix.toString();
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
        return "ColoredListener[" + name() + ", fd=" + socket.intValue() + ", core=" + core() + "]";
    }
}
