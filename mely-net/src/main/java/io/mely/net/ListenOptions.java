// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

/**
 * How to listen. SO_REUSEADDR is always on, so that a server can start again while connections of its predecessor linger.
 * Immutable; start from {@link #defaults()}.
 */
public final class ListenOptions {
    private static final ListenOptions DEFAULTS = new ListenOptions(1024, false);

    private final int backlog;
    private final boolean isReusePort;

    private ListenOptions(int backlog, boolean isReusePort) {
        this.backlog = backlog;
        this.isReusePort = isReusePort;
    }

    /**
     * A backlog of 1,024 connections, the port not shared.
     *
     * @return the defaults
     */
    public static ListenOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets how many established connections may wait to be accepted; the kernel makes it no more than {@code net.core.somaxconn}. Beyond it,
     * Linux drops new connections without an answer, and the peers try again after a second.
     *
     * @param connections &gt;= 1
     * @return a changed copy
     * @throws IllegalArgumentException if it is smaller
     */
    public ListenOptions withBacklog(int connections) {
        if (connections < 1) {
            throw new IllegalArgumentException("backlog must be >= 1: backlog=" + connections);
        }
        return new ListenOptions(connections, isReusePort);
    }

    /**
     * Sets SO_REUSEPORT: several listeners, one per core, share the address, and the kernel spreads new connections over them. Then a
     * port in use by the same user is no error.
     *
     * @param reusePort whether to share
     * @return a changed copy
     */
    public ListenOptions withReusePort(boolean reusePort) {
        return new ListenOptions(backlog, reusePort);
    }

    /**
     * How many connections may wait.
     *
     * @return connections
     */
    public int backlog() {
        return backlog;
    }

    /**
     * Whether the port is shared.
     *
     * @return true for SO_REUSEPORT
     */
    public boolean isReusePort() {
        return isReusePort;
    }

    @Override
    public String toString() {
        return "ListenOptions[backlog=" + backlog + ", reusePort=" + isReusePort + "]";
    }
}
