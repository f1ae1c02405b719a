// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A listening TCP socket. A core's loop reports that connections wait; a color accepts them.
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
     * Where it listens.
     *
     * @return the address with the port that was bound
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
