// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.limits.ClientTable;
import io.mely.sws.limits.ClientTable.Client;
import io.mely.sws.limits.RateLimit;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the acceptors of one server count together, so that its limits hold however many there are: clients, connections, and what each
 * address has.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A CAS or two a connection; a lock for the table of addresses, if there is one.
 */
final class Admission {
    private static final System.Logger LOG = System.getLogger(Acceptor.class.getName());

    /** What refusing for overload may take of one core. */
    private static final double REFUSING_SHARE = 0.03;

    /** Accepting, and three more system calls: see {@link Door}. Those that come without a request take three times as much; they are few. */
    private static final double REFUSAL_NS = 20_000;

    private static final int REFUSALS_PER_S = (int) (REFUSING_SHARE * 1e9 / REFUSAL_NS);

    /** Refusals and shortages are told at most this often. */
    private static final long LOG_EVERY_NS = TimeUnit.SECONDS.toNanos(10);

    private final ServerContext server;
    private final int clientsMax;
    private final int connectionsMax;

    /** Null if clients are not told apart. Guarded by itself. */
    private final @Nullable ClientTable table;

    private final RateLimit refusals;
    private final AtomicInteger clients = new AtomicInteger();

    /** Of clients, and of those that are being refused. */
    private final AtomicInteger connections = new AtomicInteger();

    /** Who was asked to leave, and has not looked whether that can be. */
    private final AtomicInteger undecided = new AtomicInteger();

    /** Connections that leave, as they were asked, and are still counted. */
    private final AtomicInteger leaving = new AtomicInteger();

    private final AtomicLong nextLogNs;

    /**
     * Of a server without connections.
     *
     * @param server it
     * @param acceptors how many there are
     * @param refusalsAtOnce most in one event
     */
    Admission(ServerContext server, int acceptors, int refusalsAtOnce) {
        this.server = server;
        SwsConfig config = server.config;
        clientsMax = config.get(SwsSettings.MAX_CLIENTS);
        // Each acceptor may hold one more that waits for room, and each further one has a listener.
        connectionsMax = Math.max(1, server.descriptors.sockets() - 1 - 2 * (acceptors - 1));
        boolean isTold = config.get(SwsSettings.CLIENT_CONNECTIONS_MAX) > 0 || config.get(SwsSettings.CLIENT_RATE) > 0;
        table = isTold
                ? new ClientTable(
                        config.get(SwsSettings.CLIENT_CONNECTIONS_MAX),
                        config.get(SwsSettings.CLIENT_RATE),
                        config.get(SwsSettings.CLIENT_BURST),
                        config.get(SwsSettings.CLIENT_ADDRESSES_MAX))
                : null;
        long nowNs = server.clock.nanoTime();
        refusals = new RateLimit(REFUSALS_PER_S, refusalsAtOnce, nowNs);
        nextLogNs = new AtomicLong(nowNs);
    }

    /** Whether a client more would be one too many now. */
    boolean isFull() {
        return clients.get() >= clientsMax;
    }

    /** Whether there is a descriptor for one more connection. */
    boolean hasDescriptor() {
        return connections.get() + server.openFilesBeyondBudget() < connectionsMax;
    }

    /** Clients, and those that are being refused. */
    int connections() {
        return connections.get();
    }

    /** Whether a newcomer may be refused for overload now; one more is if it may. */
    boolean mayShed() {
        return refusals.take(server.clock.nanoTime());
    }

    /** One more connection. */
    void connected() {
        connections.incrementAndGet();
    }

    /** Somebody is asked to leave: a connection, or an acceptor for its own. Ended by {@link #decide}. */
    void ask() {
        undecided.incrementAndGet();
    }

    /** Who was asked has looked. */
    void decide() {
        int left = undecided.decrementAndGet();
        assert left >= 0 : left;
    }

    /** Whether all that were asked have looked. */
    boolean isDecided() {
        return undecided.get() == 0;
    }

    /** Whether all that were asked have looked, and those that leave are gone. */
    boolean isLeavingDecided() {
        return isDecided() && leaving.get() == 0;
    }

    /** A connection is to leave, as it was asked. */
    void leave() {
        leaving.incrementAndGet();
    }

    /** It is gone, or stays. */
    void left() {
        int rest = leaving.decrementAndGet();
        assert rest >= 0 : rest;
    }

    /** How many leave now. */
    int leaving() {
        return leaving.get();
    }

    /** One more client; false if it is one too many. Each must be given back. */
    boolean takeClient() {
        while (true) {
            int before = clients.get();
            if (before >= clientsMax) {
                return false;
            }
            if (clients.compareAndSet(before, before + 1)) {
                return true;
            }
        }
    }

    /** A client that was taken is none. */
    void giveBackClient() {
        int left = clients.decrementAndGet();
        assert left >= 0 : left;
    }

    /** Whether connections are counted by address. */
    boolean isTold() {
        return table != null;
    }

    /** One more connection of an address; null if it is one too many, or nobody counts. */
    @Nullable
    Client open(InetAddress address) {
        if (table == null) {
            return null;
        }
        synchronized (table) {
            return table.open(address, server.clock.nanoTime());
        }
    }

    /** Whether somebody who asks through a proxy may. */
    boolean mayAsk(InetAddress address, long nowNs) {
        if (table == null) {
            return true;
        }
        synchronized (table) {
            return table.mayAsk(address, nowNs);
        }
    }

    /** The end of a connection. */
    void closed(Connection c) {
        int left = connections.decrementAndGet();
        assert left >= 0 : left;
        if (c.isClient) {
            giveBackClient();
        }
        if (c.client != null && table != null) {
            synchronized (table) {
                table.close(c.client, server.clock.nanoTime());
            }
        }
    }

    void tell(Level level, String message) {
        long nowNs = server.clock.nanoTime();
        long nextNs = nextLogNs.get();
        if (nowNs - nextNs >= 0 && nextLogNs.compareAndSet(nextNs, nowNs + LOG_EVERY_NS)) {
            LOG.log(level, message);
        }
    }
}
