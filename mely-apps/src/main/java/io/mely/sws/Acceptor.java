// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.ColoredListener;
import io.mely.net.ColoredSocket;
import io.mely.net.OutOfDescriptorsException;
import io.mely.sws.Connection.State;
import io.mely.sws.http.Status;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The stages Accept and DecClientAccepted, and what they share without a lock, because both run in color 1: the number of clients, and the
 * list of open connections.
 *
 * <p>A client above the limit is accepted, answered 503 and closed. When many are being answered so, or no descriptor is left,
 * accepting pauses, and connections wait in the kernel's backlog: until a connection is closed, or for want of descriptors until a
 * moment has passed. Nothing is dropped silently.
 *
 * <p><b>Threads.</b> Color 1, but for {@link #drain} and {@link #abort}: any. <b>Bounds.</b> At most maxClients clients, and
 * {@link #REFUSED_MAX} connections that are being refused.
 */
final class Acceptor {
    private static final System.Logger LOG = System.getLogger(Acceptor.class.getName());

    /** Accepts in one event; the public Mely has 200, which would hold up the core for a millisecond. */
    private static final int ACCEPTS_PER_EVENT = 64;

    /** Most connections that are being refused at once: a guess. */
    private static final int REFUSED_MAX = 256;

    /** How long to wait for a descriptor; most come back sooner, with a closed connection of this server. */
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Connections that are asked to give way at once: a guess. */
    private static final int ASKED_TO_LEAVE = 16;

    /** Refusals and shortages are told at most this often. */
    private static final long LOG_EVERY_NS = TimeUnit.SECONDS.toNanos(10);

    private final ServerContext server;
    private final SwsStages stages;
    private final ConnectionLife life;
    private @Nullable ColoredListener listener;
    private @Nullable Connection newest;
    private @Nullable Connection oldest;
    private int clients;
    private int refused;
    private boolean isPaused;
    private boolean isRetryScheduled;
    private long lastLogNs;
    private boolean hasLogged;
    private @Nullable CompletableFuture<Boolean> drained;

    Acceptor(ServerContext server, SwsStages stages, ConnectionLife life) {
        this.server = server;
        this.stages = stages;
        this.life = life;
    }

    /** Before the runtime is started. */
    void listen(ColoredListener newListener) {
        listener = newListener;
    }

    /** The stage Accept. */
    void accept() {
        isRetryScheduled = false;
        if (acceptBatch()) {
            stages.sendAccept(); // others of this core have their turn first
        }
    }

    /** True if there may be more. */
    private boolean acceptBatch() {
        isPaused = false;
        ColoredListener open = Objects.requireNonNull(listener);
        try {
            for (int i = 0; i < ACCEPTS_PER_EVENT && open.isOpen(); i++) {
                if (clients >= server.config.maxClients() && refused >= REFUSED_MAX) {
                    isPaused = true;
                    return false;
                }
                if (clients + refused >= server.descriptors.sockets()) {
                    makeRoom();
                    return false;
                }
                ColoredSocket socket = open.accept();
                if (socket == null) {
                    return false;
                }
                open(socket);
            }
            return open.isOpen();
        } catch (OutOfDescriptorsException e) {
            tell(Level.WARNING, "accepting waits for a descriptor: " + e.getMessage());
            retryLater();
        } catch (ClosedChannelException e) {
            LOG.log(Level.DEBUG, "the listener is closed");
        } catch (IOException e) {
            tell(Level.ERROR, "accepting failed, will be tried again: " + e);
            retryLater();
        }
        return false;
    }

    /**
     * No descriptor is left for one more connection: kept-alive ones that have nothing to do give way, the oldest first. They are asked once
     * more each time somebody else has closed or the retry comes.
     */
    private void makeRoom() {
        Connection c = oldest;
        for (int i = 0; i < ASKED_TO_LEAVE && c != null; i++, c = c.newer) {
            Connection each = c;
            each.color.execute(() -> life.endIfIdle(each));
        }
        retryLater();
    }

    /** When a connection is closed, or after a while. */
    void retryLater() {
        isPaused = true;
        if (!isRetryScheduled) {
            isRetryScheduled = true;
            try {
                stages.scheduleAccept(RETRY_NS);
            } catch (RejectedExecutionException e) {
                LOG.log(Level.DEBUG, "not tried again, the runtime is closing");
            }
        }
    }

    private void open(ColoredSocket socket) {
        boolean isClient = clients < server.config.maxClients();
        Connection c = new Connection(socket, stages.connectionColor(socket), isClient);
        link(c);
        CoreCounters counters = server.core(stages.acceptorColor().homeCore()).counters;
        counters.accepted();
        if (isClient) {
            clients++;
        } else {
            refused++;
            counters.refused();
            tell(Level.WARNING, "too many clients, some are answered 503: maxClients=" + server.config.maxClients());
        }
        socket.attach(c);
        try {
            c.color.execute(() -> begin(c)); // before the first report can be: one sender, so in order
            socket.register(c.color.homeCore(), stages.epoll());
        } catch (IOException | RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "not registered: {0}: {1}", c, e.toString());
            stages.sendClose(c);
        }
    }

    /** The first event of a connection, in its color. */
    private void begin(Connection c) {
        if (c.isClosed()) {
            return;
        }
        life.deadline(c, server.clock.nanoTime(), server.config.headerTimeout().toNanos());
        if (!c.isClient) {
            c.state = State.PROCESSING;
            life.refuseAndEnd(c, Status.SERVICE_UNAVAILABLE);
        }
    }

    /** The stage DecClientAccepted: once for each accepted connection. */
    void decClientAccepted(Connection c) {
        unlink(c);
        if (c.isClient) {
            clients--;
        } else {
            refused--;
        }
        assert clients >= 0 && refused >= 0 : clients + ", " + refused;
        if (isPaused) {
            stages.sendAccept();
        }
        completeDrain();
    }

    // The list of open connections.

    private void link(Connection c) {
        Connection before = newest;
        c.older = before;
        if (before == null) {
            oldest = c;
        } else {
            before.newer = c;
        }
        newest = c;
    }

    private void unlink(Connection c) {
        Connection older = c.older;
        Connection newer = c.newer;
        if (older == null) {
            oldest = newer;
        } else {
            older.newer = newer;
        }
        if (newer == null) {
            newest = older;
        } else {
            newer.older = older;
        }
        c.older = null;
        c.newer = null;
    }

    // The end.

    /**
     * Accepts what waits in the backlog, stops listening, and tells all connections to close when they have nothing to do.
     *
     * @return completed with true when all connections are closed
     */
    CompletableFuture<Boolean> drain() {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        stages.acceptorColor().execute(() -> {
            drained = done;
            while (acceptBatch()) {
                // until nobody waits: they have been connected, and would be reset
            }
            Objects.requireNonNull(listener).close();
            for (Connection c = oldest; c != null; c = c.newer) {
                stages.sendReadRequest(c); // reads what was sent just before, answers it, and closes
            }
            completeDrain();
        });
        return done;
    }

    private void completeDrain() {
        if (drained != null && clients == 0 && refused == 0) {
            drained.complete(true);
        }
    }

    /** Closes all connections, whatever they are doing. */
    void abort() {
        stages.acceptorColor().execute(() -> {
            for (Connection c = oldest; c != null; c = c.newer) {
                Connection each = c;
                each.color.execute(() -> life.end(each));
            }
        });
    }

    private void tell(Level level, String message) {
        long nowNs = server.clock.nanoTime();
        if (!hasLogged || nowNs - lastLogNs > LOG_EVERY_NS) {
            hasLogged = true;
            lastLogNs = nowNs;
            LOG.log(level, message);
        }
    }
}
