// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Color;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.net.ColoredListener;
import io.mely.net.ColoredSocket;
import io.mely.net.CoreEventLoopGroup;
import io.mely.net.ListenOptions;
import io.mely.net.OutOfDescriptorsException;
import io.mely.spi.NanoClock;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.apache.sshd.common.Factory;
import org.apache.sshd.common.FactoryManager;
import org.apache.sshd.common.io.IoAcceptor;
import org.apache.sshd.common.io.IoConnector;
import org.apache.sshd.common.io.IoHandler;
import org.apache.sshd.common.io.IoServiceEventListener;
import org.apache.sshd.common.io.IoServiceFactory;
import org.apache.sshd.common.io.IoServiceFactoryFactory;
import org.apache.sshd.common.io.IoSession;
import org.apache.sshd.common.util.closeable.AbstractCloseable;
import org.apache.sshd.common.util.threads.CloseableExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Listens, lets connections in, and gives each a color: what MINA calls an acceptor, and the factories before it.
 *
 * <p><b>Threads.</b> What accepts: the color of the listener. The rest: any.
 */
final class ColoredIoService extends AbstractCloseable
        implements IoAcceptor, IoServiceFactory, IoServiceFactoryFactory {
    private static final System.Logger LOG = System.getLogger(ColoredIoService.class.getName());

    /** Slot of the color that accepts; connections have those behind it. */
    private static final int ACCEPT_SLOT = 1;

    /** Accepts in one event, as SWS has it: more would hold up the core. */
    private static final int ACCEPTS_PER_EVENT = 64;

    /** How long to wait for a descriptor; most come back sooner, with a closed connection. */
    private static final Duration RETRY = Duration.ofMillis(100);

    /** Told of connections, in the color that accepts where nothing else is said. */
    interface Gate {
        /**
         * Whether somebody may come in.
         *
         * @param peer address of the client
         * @return false to close the connection at once
         */
        boolean mayEnter(InetSocketAddress peer);

        /** Somebody has come in; begins the connection, in whatever way, by {@link ColoredIoSession#begin} in its color. */
        void entered(ColoredIoSession session);

        /** Bytes were copied in memory for what a connection sends. Any thread. */
        void copied(int bytes);

        /** A connection has had its last event. In its color. */
        void ended(ColoredIoSession session);

        /** Somebody has gone. */
        void left(ColoredIoSession session);
    }

    private final Mely mely;
    private final CoreEventLoopGroup group;
    private final NanoClock clock;
    private final Gate gate;
    private final int backlog;
    private final Color acceptColor;
    private final Stage<ColoredIoService> accept;
    private final Stage<ColoredIoSession> read;
    private final Stage<ColoredIoSession> write;
    private final Map<Long, ColoredIoSession> sessions = new ConcurrentHashMap<>();
    private @Nullable IoHandler handler;
    private volatile @Nullable ColoredListener listener;
    private volatile @Nullable InetSocketAddress localAddress;
    private @Nullable IoServiceEventListener eventListener;
    private long sessionsSoFar;

    ColoredIoService(Mely mely, CoreEventLoopGroup group, NanoClock clock, Gate gate, int backlog) {
        this.mely = mely;
        this.group = group;
        this.clock = clock;
        this.gate = gate;
        this.backlog = backlog;
        acceptColor = mely.colorAt(ACCEPT_SLOT);
        accept = mely.stage("accept", ColoredIoService::accept);
        read = mely.stage("receive", ColoredIoSession::readable);
        write = mely.stage("send", ColoredIoSession::writable);
    }

    Color acceptColor() {
        return acceptColor;
    }

    IoHandler handler() {
        return Objects.requireNonNull(handler, "MINA asks for an acceptor first");
    }

    long nowNs() {
        return clock.nanoTime();
    }

    InetSocketAddress localAddress() {
        return Objects.requireNonNull(localAddress, "not bound");
    }

    Collection<ColoredIoSession> sessions() {
        return sessions.values();
    }

    // Listening.

    @Override
    public void bind(SocketAddress address) throws IOException {
        ColoredListener opened = ColoredListener.listen(
                group,
                (InetSocketAddress) address,
                ListenOptions.defaults().withBacklog(backlog),
                acceptColor.homeCore(),
                each -> accept.offer(acceptColor, this));
        listener = opened;
        localAddress = opened.localAddress();
    }

    private void accept() {
        ColoredListener open = listener;
        if (open == null) {
            acceptLater(); // it was reported before bind had returned
            return;
        }
        try {
            for (int i = 0; i < ACCEPTS_PER_EVENT; i++) {
                ColoredSocket socket = open.isOpen() ? open.accept() : null;
                if (socket == null) {
                    return;
                }
                open(socket);
            }
            acceptLater(); // others of this core have their turn first
        } catch (OutOfDescriptorsException e) {
            LOG.log(Level.WARNING, "accepting waits for a descriptor: {0}", e.getMessage());
            retry();
        } catch (ClosedChannelException e) {
            LOG.log(Level.DEBUG, "the listener is closed");
        } catch (IOException e) {
            LOG.log(Level.ERROR, "accepting failed, will be tried again", e);
            retry();
        }
    }

    private void acceptLater() {
        boolean unused = accept.offer(acceptColor, this); // refused only when the runtime is closing
    }

    private void retry() {
        acceptColor.schedule(RETRY, accept, this);
    }

    private void open(ColoredSocket socket) {
        if (!gate.mayEnter(socket.remoteAddress())) {
            socket.close();
            return;
        }
        Color color = mely.colorAt(ACCEPT_SLOT + 1 + socket.id() % (mely.colors() - ACCEPT_SLOT - 1));
        ColoredIoSession session = new ColoredIoSession(this, socket, color, ++sessionsSoFar);
        sessions.put(session.getId(), session);
        socket.attach(session);
        try {
            gate.entered(session);
            socket.register(color.homeCore(), this::onReady);
        } catch (IOException | RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "not registered: {0}: {1}", session, e.toString());
            session.close(true);
        }
    }

    /** On the thread of a core, between events. */
    private boolean onReady(ColoredSocket socket, int ready) {
        if (!(socket.attachment() instanceof ColoredIoSession session)) {
            throw new IllegalStateException("a socket without its session: " + socket);
        }
        if ((ready & ColoredSocket.HANGUP) != 0) {
            session.hungUp();
        }
        boolean isTaken = true;
        if ((ready & ColoredSocket.WRITE) != 0) {
            isTaken = write.offer(session.color(), session);
        }
        if ((ready & ColoredSocket.READ) != 0) {
            isTaken &= read.offer(session.color(), session);
        }
        return isTaken;
    }

    void copied(int bytes) {
        gate.copied(bytes);
    }

    void readLater(ColoredIoSession session) {
        if (!read.offer(session.color(), session)) {
            session.close(true);
        }
    }

    /** In the color of the connection. */
    void ended(ColoredIoSession session) {
        sessions.remove(session.getId());
        gate.ended(session);
        try {
            acceptColor.execute(() -> gate.left(session));
        } catch (RejectedExecutionException closing) {
            LOG.log(Level.DEBUG, "not counted, the runtime is closing: {0}", session);
        }
    }

    /**
     * Accepts what waits in the kernel's queue, and stops listening.
     *
     * @return completed when that is done
     */
    CompletableFuture<Void> stopAccepting() {
        return CompletableFuture.runAsync(
                () -> {
                    accept();
                    unbind();
                },
                acceptColor);
    }

    @Override
    public void unbind() {
        ColoredListener open = listener;
        if (open != null) {
            open.close();
        }
    }

    @Override
    protected void doCloseImmediately() {
        unbind();
        sessions.values().forEach(session -> session.close(true));
        super.doCloseImmediately();
    }

    // What MINA asks.

    @Override
    public void bind(Collection<? extends SocketAddress> addresses) throws IOException {
        for (SocketAddress each : addresses) {
            bind(each);
        }
    }

    @Override
    public void unbind(Collection<? extends SocketAddress> addresses) {
        unbind();
    }

    @Override
    public void unbind(SocketAddress address) {
        unbind();
    }

    @Override
    public Set<SocketAddress> getBoundAddresses() {
        InetSocketAddress address = localAddress;
        return address == null ? Set.of() : Set.of(address);
    }

    @Override
    public Map<Long, IoSession> getManagedSessions() {
        return Map.copyOf(sessions);
    }

    @Override
    public IoServiceFactory create(FactoryManager manager) {
        return this;
    }

    @Override
    public void setExecutorServiceFactory(@Nullable Factory<CloseableExecutorService> factory) {
        // colors need none
    }

    @Override
    public IoConnector createConnector(IoHandler unused) {
        throw new UnsupportedOperationException("a server connects to nobody");
    }

    @Override
    public IoAcceptor createAcceptor(IoHandler newHandler) {
        handler = newHandler;
        return this;
    }

    @Override
    public @Nullable IoServiceEventListener getIoServiceEventListener() {
        return eventListener;
    }

    @Override
    public void setIoServiceEventListener(@Nullable IoServiceEventListener listener) {
        eventListener = listener;
    }

    List<ColoredIoSession> snapshot() {
        return List.copyOf(sessions.values());
    }
}
