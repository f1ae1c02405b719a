// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Color;
import io.mely.net.ColoredListener;
import io.mely.net.ColoredSocket;
import io.mely.net.OutOfDescriptorsException;
import io.mely.sws.Connection.State;
import io.mely.sws.http.Status;
import io.mely.sws.limits.ClientTable.Client;
import io.mely.sws.limits.Newcomers;
import io.mely.sws.limits.SojournControl;
import io.mely.sws.proxy.ProxyHeader;
import io.mely.sws.proxy.ProxyTrust;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The stages Accept and DecClientAccepted of one listener, and what they share without a lock, because both run in its color: the list of
 * its open connections. What is counted over all listeners is in {@link Admission}.
 *
 * <p>A client above the limit waits until one that has nothing to do gives way; if all are busy, it is accepted, answered 503 and closed; so are some while requests wait too long, here or in the kernel's queue, as many as a
 * small part of a core's time pays for, if possible at the {@link Door}; of the others those wait in the kernel's queue whom the cores would make wait longer. One of an address that has too many is answered 429. When many are being answered so, or no descriptor is left,
 * accepting pauses, and connections wait in the kernel's backlog: until a connection is closed, or for want of descriptors until a
 * moment has passed. Nothing is dropped silently.
 *
 * <p><b>Threads.</b> Its color, but for {@link #drain}, {@link #abort} and {@link #tellShortOfMemory}: any. <b>Bounds.</b> At most maxClients clients of all, and
 * {@link #REFUSED_MAX} connections that are being refused here.
 */
final class Acceptor {
    private static final System.Logger LOG = System.getLogger(Acceptor.class.getName());

    /** Accepts in one event; the public Mely has 200, which would hold up the core for a millisecond. */
    static final int ACCEPTS_PER_EVENT = 64;

    /** Most connections that are being refused at once: a guess. */
    private static final int REFUSED_MAX = 256;

    /** How long newcomers are left in the kernel's queue when more must be refused than that: a tick of the timers. */
    private static final long OVERLOAD_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(5);

    /** How long to wait for a descriptor; most come back sooner, with a closed connection of this server. */
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Connections that are asked at once whether they could give way: a guess, some 200 microseconds of work. */
    private static final int ASKED_TO_LEAVE = 1024;

    /** Of those so many go: a guess. */
    private static final int LEAVING_MAX = 16;

    /** Longest wait of a newcomer for that; then it is refused. */
    private static final long ROOM_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(250);

    /** When nobody could give way, so long nobody is asked again, and newcomers are refused at once. A guess. */
    private static final long REFUSING_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ServerContext server;
    private final SwsStages stages;
    private final ConnectionLife life;
    private final Admission admission;
    private final Color color;

    /** Its clients are sent to where TLS is spoken. */
    private final boolean isRedirecting;

    /** Its connections speak TLS. */
    private final boolean isSecure;

    private final long targetNs;
    private final ProxyTrust proxies;
    private final int rateMaxBytes;

    /** The queue of the kernel; null if nothing is refused for overload. */
    private final @Nullable SojournControl backlog;

    private final Newcomers newcomers;
    private final Door door;
    private @Nullable ColoredListener listener;
    private @Nullable Connection newest;
    private @Nullable Connection oldest;
    private int refused;
    private boolean isPaused;

    /** How many were asked to leave since it is full. */
    private int asked;

    private long roomAwaitedUntilNs;
    private long refusingUntilNs;

    /** Accepted, but it waits for room. */
    private @Nullable ColoredSocket held;

    private boolean isRetryScheduled;
    private @Nullable CompletableFuture<Boolean> drained;

    Acceptor(
            ServerContext server,
            SwsStages stages,
            ConnectionLife life,
            Admission admission,
            Color color,
            boolean isRedirecting) {
        this.server = server;
        this.stages = stages;
        this.life = life;
        this.admission = admission;
        this.color = color;
        this.isRedirecting = isRedirecting;
        isSecure = server.tls != null && !isRedirecting;
        targetNs = server.config.nanos(SwsSettings.OVERLOAD_TARGET);
        proxies = server.config.proxies();
        rateMaxBytes = server.config.bytes(SwsSettings.CONNECTION_RATE_MAX);
        backlog = server.isOverloadWatched()
                ? new SojournControl(targetNs, server.config.nanos(SwsSettings.OVERLOAD_INTERVAL))
                : null;
        newcomers = new Newcomers(targetNs, server.config.nanos(SwsSettings.OVERLOAD_INTERVAL));
        door = new Door(server);
        refusingUntilNs = server.clock.nanoTime();
    }

    Color color() {
        return color;
    }

    boolean isRedirecting() {
        return isRedirecting;
    }

    /** Before the runtime is started. */
    void listen(ColoredListener newListener) {
        listener = newListener;
    }

    /** The stage Accept. */
    void accept() {
        isRetryScheduled = false;
        if (acceptBatch()) {
            stages.sendAccept(this); // others of this core have their turn first
        }
    }

    /** True if there may be more. */
    private boolean acceptBatch() {
        isPaused = false;
        ColoredListener open = Objects.requireNonNull(listener);
        try {
            for (int i = 0; i < ACCEPTS_PER_EVENT && open.isOpen(); i++) {
                if (admission.isFull() && refused >= REFUSED_MAX) {
                    isPaused = true;
                    return false;
                }
                boolean isShed = isShed();
                if (isShed && !admission.mayShed()) {
                    if (isWaitInside()) {
                        retryLater(OVERLOAD_RETRY_NS);
                        return false;
                    }
                    isShed = false; // the cores do not wait: to leave newcomers in the kernel's queue would starve all
                }
                ColoredSocket socket = held == null ? open.accept() : held;
                held = null;
                if (i == 1) {
                    observeBacklog(socket);
                }
                if (socket == null) {
                    return false;
                }
                if (!admission.hasDescriptor()) {
                    held = socket;
                    stages.makeRoom();
                    retryLater();
                    return false;
                }
                if (isRoomAwaited()) {
                    held = socket;
                    retryLater(OVERLOAD_RETRY_NS);
                    return false;
                }
                if (!isShed || !turnAway(socket)) {
                    open(socket, isShed);
                }
            }
            return open.isOpen();
        } catch (OutOfDescriptorsException e) {
            admission.tell(Level.WARNING, "accepting waits for a descriptor: " + e.getMessage());
            stages.makeRoom();
            retryLater();
        } catch (ClosedChannelException e) {
            LOG.log(Level.DEBUG, "the listener is closed");
        } catch (IOException e) {
            admission.tell(Level.ERROR, "accepting failed, will be tried again: " + e);
            retryLater();
        }
        return false;
    }

    /**
     * Whether newcomers wait for others to leave: as many clients are here as may be, and not all were asked yet. True for some milliseconds, as a rule; then
     * there is room, or everybody is busy.
     */
    private boolean isRoomAwaited() {
        if (!admission.isFull() || server.isDraining) {
            asked = 0;
            return false;
        }
        long nowNs = server.clock.nanoTime();
        if (asked == 0) {
            if (nowNs - refusingUntilNs < 0) {
                return false;
            }
            roomAwaitedUntilNs = nowNs + ROOM_WAIT_NS;
        }
        boolean areAllAsked = asked >= admission.connections();
        boolean isDecided = admission.isLeavingDecided();
        if ((areAllAsked && isDecided) || nowNs - roomAwaitedUntilNs >= 0) {
            asked = 0;
            refusingUntilNs = nowNs + REFUSING_NS;
            return false;
        }
        if (!areAllAsked && isDecided) {
            asked += ASKED_TO_LEAVE;
            stages.makeRoom();
        }
        return true;
    }

    /**
     * There is no room for one more connection, or no descriptor: those that have nothing to do give way, the oldest first. Whoever stays is asked again when all others
     * were.
     */
    void makeRoom() {
        Connection last = newest;
        for (int i = 0; i < ASKED_TO_LEAVE && last != null; i++) {
            Connection each = Objects.requireNonNull(oldest);
            unlink(each);
            link(each);
            admission.ask();
            each.color.execute(() -> leaveIfIdle(each));
            if (each == last) {
                return; // that were all
            }
        }
    }

    /** In the color of the connection. A request may have come that its core was too busy to read: first it looks. */
    private void leaveIfIdle(Connection c) {
        if (admission.leaving() < LEAVING_MAX && life.isIdle(c)) {
            c.isLeaving = true;
            admission.leave();
            stages.sendReadRequest(c);
        }
        admission.decide();
    }

    /** One that was to leave has read what there was. In its color. */
    void leaveOrStay(Connection c) {
        if (life.isIdle(c)) {
            life.end(c);
        } else if (!c.isClosed()) {
            c.isLeaving = false;
            admission.left();
        }
    }

    /** Of each event one look: how long the second has waited. Where there is none the first was alone, and no queue stands. */
    private void observeBacklog(@Nullable ColoredSocket second) {
        if (backlog != null) {
            long waitedNs = second == null ? 0 : second.silentNs();
            if (waitedNs >= 0) {
                backlog.observe(waitedNs, SojournControl.NEVER, server.clock.nanoTime());
            }
        }
    }

    /** Whether the cores make newcomers wait for longer than they should. */
    private boolean isWaitInside() {
        return server.overloadWaitNs(server.clock.nanoTime()) > targetNs;
    }

    /**
     * Whether the next connection is to be refused, as those that are open have too much to wait for. If they do not, the wait in the kernel's queue
     * counts; else it is of our making, and would only raise itself.
     */
    private boolean isShed() {
        if (backlog == null || server.isDraining) {
            return false;
        }
        long nowNs = server.clock.nanoTime();
        long insideNs = server.overloadWaitNs(nowNs);
        return newcomers.refuses(
                insideNs, server.overloadedNs(nowNs), backlog.waitNs(nowNs), nowNs, server::connectionCounts);
    }

    /** Refuses one at the door; false if it has to be let in for that. */
    private boolean turnAway(ColoredSocket socket) {
        ThreadState own = server.own();
        if (isSecure) {
            socket.close(); // to tell it why takes a handshake, more than what it asks for
        } else {
            Link link = new PlainLink(socket);
            boolean isRefused = door.refuse(link, own);
            if (!isRefused && refused < REFUSED_MAX) {
                admission.mayShed(); // it takes three times as long
                admission.mayShed();
                return false;
            }
            if (!isRefused) {
                door.dismiss(link, own);
            }
        }
        own.counters.accepted();
        own.counters.refused();
        own.counters.closed();
        shed();
        return true;
    }

    private void shed() {
        newcomers.refused();
        tellOverload();
    }

    /** Somebody is refused for it. From any thread. */
    void tellOverload() {
        admission.tell(
                Level.WARNING,
                "overload, some clients are answered 503: requests wait longer than overloadTarget="
                        + server.config.get(SwsSettings.OVERLOAD_TARGET));
    }

    /** A request of one of its connections has got no buffers, or none that are large enough. From any thread. */
    void tellShortOfMemory() {
        admission.tell(Level.WARNING, "some clients are answered 503: no memory is left for their requests' buffers");
    }

    /** When a connection is closed, or after a while. */
    void retryLater() {
        retryLater(RETRY_NS);
    }

    private void retryLater(long delayNs) {
        isPaused = true;
        if (!isRetryScheduled) {
            isRetryScheduled = true;
            try {
                stages.scheduleAccept(this, delayNs);
            } catch (RejectedExecutionException e) {
                LOG.log(Level.DEBUG, "not tried again, the runtime is closing");
            }
        }
    }

    private void open(ColoredSocket socket, boolean isShed) {
        ThreadCounters counters = server.own().counters;
        counters.accepted();
        boolean hasRoom = !isShed && admission.takeClient();
        boolean isProxied =
                proxies.isOn() && proxies.trusts(socket.remoteAddress().getAddress());
        boolean isCounted = hasRoom && !isProxied && admission.isTold(); // a proxy stands for many
        Client client = isCounted ? admission.open(socket.remoteAddress().getAddress()) : null;
        boolean isTooManyOfOne = isCounted && client == null;
        boolean isClient = hasRoom && !isTooManyOfOne;
        if (isTooManyOfOne) {
            // For an instant another acceptor may have found the server full: too few for a moment, never too many.
            admission.giveBackClient();
        }
        if (isTooManyOfOne && refused >= REFUSED_MAX) {
            counters.refused();
            counters.closed();
            socket.close(); // or one client could hold up all others, who wait while so many are being answered
            return;
        }
        admission.connected();
        Connection c = new Connection(link(socket), stages.connectionColor(socket, this), this, isClient, client);
        c.isProxied = isProxied;
        c.pace = rateMaxBytes == 0 ? null : new Pace(rateMaxBytes, server.clock.nanoTime());
        if (isProxied && proxies.protocol()) {
            c.proxyHeader = new ProxyHeader();
        }
        link(c);
        if (!isClient) {
            refused++;
            counters.refused();
            openRefused(c, isShed, isTooManyOfOne);
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

    private Link link(ColoredSocket socket) {
        return isSecure ? new TlsLink(socket, server, stages) : new PlainLink(socket);
    }

    private void openRefused(Connection c, boolean isShed, boolean isTooManyOfOne) {
        c.refusal = isTooManyOfOne ? Status.TOO_MANY_REQUESTS : Status.SERVICE_UNAVAILABLE;
        if (isShed) {
            shed();
        } else if (!isTooManyOfOne) {
            admission.tell(
                    Level.WARNING,
                    "too many clients, some are answered 503: maxClients="
                            + server.config.get(SwsSettings.MAX_CLIENTS));
        }
    }

    /** The first event of a connection, in its color. */
    private void begin(Connection c) {
        if (c.isClosed()) {
            return;
        }
        life.deadline(c, server.clock.nanoTime(), life.headerTimeoutNs);
        if (!c.isClient && !c.isHandshaking) {
            c.state = State.PROCESSING;
            life.refuseAndEnd(c, c.refusal);
        }
    }

    /** The stage DecClientAccepted: once for each accepted connection. */
    void decClientAccepted(Connection c) {
        unlink(c);
        if (c.isLeaving) {
            admission.left();
        }
        if (!c.isClient) {
            refused--;
        }
        assert refused >= 0 : refused;
        admission.closed(c);
        if (isPaused) {
            stages.sendAccept(this);
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
        color.execute(() -> {
            drained = done;
            while (acceptBatch()) {
                // until nobody waits: they have been connected, and would be reset
            }
            ColoredSocket last = held;
            if (last != null) {
                held = null;
                open(last, false);
            }
            Objects.requireNonNull(listener).close();
            for (Connection c = oldest; c != null; c = c.newer) {
                stages.sendLook(c); // reads what was sent just before, answers it, and closes
            }
            completeDrain();
        });
        return done;
    }

    private void completeDrain() {
        if (drained != null && oldest == null) {
            drained.complete(true);
        }
    }

    /** Closes all connections, whatever they are doing. */
    void abort() {
        color.execute(() -> {
            for (Connection c = oldest; c != null; c = c.newer) {
                Connection each = c;
                each.color.execute(() -> life.end(each));
            }
        });
    }
}
