// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A listening socket, of TCP or Unix. A core's loop reports that connections wait; a color accepts them.
 *
 * <p><b>Threads.</b> {@link #accept} belongs to one color. The others: any.
 */
public interface ColoredListener {
    /**
     * Binds, listens and starts the reports. The first may come before this call returns.
     *
     * @param group the loops, its runtime built
     * @param address where; port 0 lets the kernel choose
     * @param options how
     * @param core index of the core whose loop reports
     * @param handler told that connections wait
     * @return the listener
     * @throws java.net.BindException naming the address, if it is in use, not of this machine or not permitted
     * @throws IllegalArgumentException if there is no such core, or the address is unresolved
     * @throws IllegalStateException if no runtime was built with the group yet
     * @throws OutOfDescriptorsException if there is no descriptor left
     * @throws IOException if the kernel refuses otherwise
     */
    static ColoredListener listen(
            CoreEventLoopGroup group, InetSocketAddress address, ListenOptions options, int core, AcceptHandler handler)
            throws IOException {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(handler, "handler");
        CoreEventLoop unused = group.coreLoop(core); // what is wrong with it is said before anything is open
        return group.transport().listen(group, address, options, core, handler);
    }

    /**
     * Binds a Unix socket of streams, listens and starts the reports. What another process left at the path when it died is replaced; of several that do so at once one
     * listens, and the others fail. The file is removed when the listener is closed; an empty one beside it, with {@code .lock} at its end, stays.
     *
     * <p>Peers have no address: they count as 127.0.0.1, without a port.
     *
     * @param group the loops, its runtime built
     * @param path where; at most 107 bytes
     * @param permissions of the file: who may write may connect
     * @param options of which the backlog counts
     * @param core index of the core whose loop reports
     * @param handler told that connections wait
     * @return the listener
     * @throws java.net.BindException naming the path, if somebody listens there, there is another file, or it is not permitted
     * @throws UnsupportedOperationException if the group does not use epoll
     * @throws IOException if the kernel refuses otherwise
     */
    static ColoredListener listenUnix(
            CoreEventLoopGroup group,
            Path path,
            Set<PosixFilePermission> permissions,
            ListenOptions options,
            int core,
            AcceptHandler handler)
            throws IOException {
        checkEpoll(group, core, "a Unix socket");
        EpollListener listener =
                EpollListener.bindUnix(group, new UnixPath(path.toString(), permissions), options, handler);
        listener.registerWith(core);
        return listener;
    }

    /**
     * Takes a listening socket over that this process has inherited, of TCP or Unix, and starts the reports. It is made non-blocking, and is not inherited further. A
     * Unix socket's file is not removed: it is another's.
     *
     * @param group the loops, its runtime built
     * @param descriptor its number
     * @param core index of the core whose loop reports
     * @param handler told that connections wait
     * @return the listener
     * @throws UnsupportedOperationException if the group does not use epoll
     * @throws IOException if it is no listening socket of streams
     */
    static ColoredListener adopt(CoreEventLoopGroup group, int descriptor, int core, AcceptHandler handler)
            throws IOException {
        checkEpoll(group, core, "an inherited socket");
        EpollListener listener = EpollListener.adopt(group, descriptor, handler);
        listener.registerWith(core);
        return listener;
    }

    private static void checkEpoll(CoreEventLoopGroup group, int core, String what) {
        CoreEventLoop unused = group.coreLoop(core); // what is wrong with it is said before anything is open
        if (group.transport() != Transport.EPOLL) {
            throw new UnsupportedOperationException(what + " needs epoll, which is not used");
        }
    }

    /**
     * Accepts one connection: non-blocking, with TCP_NODELAY. After a report call it until it answers null.
     *
     * <p>Connections that died while they waited are passed over. <b>Costs.</b> Two system calls.
     *
     * @return the connection, not registered yet; null if none waits: a report will follow
     * @throws OutOfDescriptorsException if the process or the machine has no descriptor or memory left: the connections wait on, and no
     *     report follows; call again when some were closed, or after a while
     * @throws java.nio.channels.ClosedChannelException if the listener was closed
     * @throws IOException if the listener is broken
     */
    @Nullable
    ColoredSocket accept() throws IOException;

    /**
     * Where it listens, in words.
     *
     * @return address and port, or {@code unix:} and the path
     */
    default String name() {
        return NetUtil.toSocketAddressString(localAddress());
    }

    /**
     * Where it listens.
     *
     * @return the address with the port that was bound; of a Unix socket 127.0.0.1 without a port
     */
    InetSocketAddress localAddress();

    /**
     * The core whose loop reports.
     *
     * @return index of the core
     */
    int core();

    /** Stops listening; connections that were not accepted are reset. Accepted sockets are not touched. Idempotent. */
    void close();

    /**
     * Whether it listens.
     *
     * @return false after {@link #close} or the shutdown of its loop
     */
    boolean isOpen();
}
