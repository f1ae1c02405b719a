// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Mely;
import io.mely.Timer;
import io.mely.net.CoreEventLoopGroup;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.SfsSettings;
import io.mely.sfs.audit.AuditLog;
import io.mely.sfs.users.LoginGuard;
import io.mely.sfs.users.User;
import io.mely.sfs.users.Users;
import io.mely.spi.NanoClock;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.apache.sshd.common.channel.Channel;
import org.apache.sshd.common.channel.ChannelFactory;
import org.apache.sshd.common.global.KeepAliveHandler;
import org.apache.sshd.common.kex.KexProposalOption;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.server.ServerBuilder;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.UserAuthFactory;
import org.apache.sshd.server.auth.keyboard.UserAuthKeyboardInteractiveFactory;
import org.apache.sshd.server.auth.password.UserAuthPasswordFactory;
import org.apache.sshd.server.auth.pubkey.UserAuthPublicKeyFactory;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.command.Command;
import org.apache.sshd.server.global.NoMoreSessionsHandler;
import org.apache.sshd.server.session.ServerSession;
import org.apache.sshd.server.subsystem.SubsystemFactory;
import org.jspecify.annotations.Nullable;

/**
 * MINA's server, told to use colored sockets and to do SFTP and nothing else, and who is let in.
 *
 * <p><b>Threads.</b> {@link #listen}, {@link #drain}, {@link #abort}: any. Who is counted at the door: the color that accepts. The rest of a connection: its color.
 * <b>Bounds.</b> Connections, logins under way, and conversations, as configured.
 */
public final class SshFront {
    private static final System.Logger LOG = System.getLogger(SshFront.class.getName());

    private final SfsConfig config;
    private final Mely mely;
    private final NanoClock clock;
    private final Users users;
    private final Counters counters;
    private final ConnectionLog log;
    private final Logins logins;
    private final Conversations conversations;
    private final SshServer sshd;
    private final ColoredIoService io;
    private final KeyRefresh refresh;

    // The color that accepts.
    private final Map<Long, Integer> byAddress = new HashMap<>();
    private final LoginTable<Visit> loggingIn;
    private int open;
    private @Nullable CompletableFuture<Void> drained;

    private final Set<Visit> visits = ConcurrentHashMap.newKeySet();
    private volatile boolean isDraining;

    /**
     * Sets one up.
     *
     * @param config what it is told
     * @param mely its runtime, not started
     * @param group the loops of that
     * @param clock for times of connections
     * @param users who may log in
     * @param hostKeys the server's keys
     * @param audit where it is written who did what
     * @param counters for what is counted
     */
    public SshFront(
            SfsConfig config,
            Mely mely,
            CoreEventLoopGroup group,
            NanoClock clock,
            Users users,
            List<KeyPair> hostKeys,
            AuditLog audit,
            Counters counters) {
        this.config = config;
        this.mely = mely;
        this.clock = clock;
        this.users = users;
        this.counters = counters;
        io = new ColoredIoService(mely, group, clock, new Door(), config.get(SfsSettings.BACKLOG));
        loggingIn = new LoginTable<>(config.get(SfsSettings.LOGINS_MAX));
        log = new ConnectionLog(mely, io.acceptColor(), clock, audit);
        logins = new Logins(config, mely, clock, users, log, counters);
        conversations = new Conversations(config, mely, users.all(), audit, counters);
        refresh = new KeyRefresh(mely, io.acceptColor(), users);
        sshd = server(hostKeys);
    }

    private SshServer server(List<KeyPair> hostKeys) {
        SshServer server = ServerBuilder.builder().build();
        Algorithms.applyTo(server, config.get(SfsSettings.CIPHERS));
        server.setIoServiceFactoryFactory(io);
        server.setScheduledExecutorService(mely.executor(io.acceptColor()), false);
        server.setKeyPairProvider(KeyPairProvider.wrap(hostKeys));
        server.setChannelFactories(List.of(new Channels()));
        server.setGlobalRequestHandlers(List.of(KeepAliveHandler.INSTANCE, NoMoreSessionsHandler.INSTANCE));
        server.setSubsystemFactories(List.of(new Subsystem()));
        List<UserAuthFactory> methods = new ArrayList<>();
        methods.add(UserAuthPublicKeyFactory.INSTANCE);
        server.setPublickeyAuthenticator(logins::hasKey);
        server.setKeyboardInteractiveAuthenticator(null);
        if (users.havePasswords()) {
            methods.add(UserAuthPasswordFactory.INSTANCE);
            methods.add(UserAuthKeyboardInteractiveFactory.INSTANCE);
            server.setPasswordAuthenticator((name, password, session) -> logins.hasPassword(name, password, session));
            server.setKeyboardInteractiveAuthenticator(
                    org.apache.sshd.server.auth.keyboard.DefaultKeyboardInteractiveAuthenticator.INSTANCE);
        }
        server.setUserAuthFactories(methods);
        server.addSessionListener(new Sessions());
        CoreModuleProperties.SERVER_IDENTIFICATION.set(server, "SFS");
        CoreModuleProperties.MAX_AUTH_REQUESTS.set(server, config.get(SfsSettings.LOGIN_TRIES));
        CoreModuleProperties.MAX_CONCURRENT_CHANNELS.set(server, config.get(SfsSettings.CHANNELS_MAX));
        if (config.get(SfsSettings.USER_CONNECTIONS_MAX) > 0) {
            CoreModuleProperties.MAX_CONCURRENT_SESSIONS.set(server, config.get(SfsSettings.USER_CONNECTIONS_MAX));
        }
        // Times are kept in the colors of the connections.
        CoreModuleProperties.AUTH_TIMEOUT.set(server, Duration.ZERO);
        CoreModuleProperties.IDLE_TIMEOUT.set(server, Duration.ZERO);
        // What hides the lengths of keystrokes has no use for files.
        CoreModuleProperties.IGNORE_MESSAGE_SIZE.set(server, 0);
        return server;
    }

    /**
     * Listens; connections are accepted once the runtime is started.
     *
     * @return the address with the port that was bound
     * @throws IOException if the address can't be bound
     */
    public InetSocketAddress listen() throws IOException {
        InetSocketAddress bind = config.bind();
        sshd.setHost(bind.getAddress().getHostAddress());
        sshd.setPort(bind.getPort());
        sshd.start();
        return io.localAddress();
    }

    /**
     * Connections that are open.
     *
     * @return of about now
     */
    public int connections() {
        return io.sessions().size();
    }

    // The door.

    /** In the color that accepts. */
    private final class Door implements ColoredIoService.Gate {
        @Override
        public void copied(int bytes) {
            counters.copiedBytes.add(bytes);
        }

        @Override
        public boolean mayEnter(InetSocketAddress peer) {
            String why = null;
            Long key = LoginGuard.keyOf(peer.getAddress());
            if (logins.isBanned(peer)) {
                why = "banned";
            } else if (open >= config.get(SfsSettings.MAX_CONNECTIONS)) {
                why = "too many connections";
            } else if (config.get(SfsSettings.ADDRESS_CONNECTIONS_MAX) > 0
                    && byAddress.getOrDefault(key, 0) >= config.get(SfsSettings.ADDRESS_CONNECTIONS_MAX)) {
                why = "too many connections of the address";
            }
            if (why == null) {
                return true;
            }
            counters.refused.increment();
            String reason = why;
            log.stranger("refused", peer, line -> line.with("why", reason));
            return false;
        }

        @Override
        public void entered(ColoredIoSession session) {
            open++;
            counters.connections.increment();
            byAddress.merge(LoginGuard.keyOf(session.peer().getAddress()), 1, Integer::sum);
            Visit visit = new Visit(session);
            Visit displaced = loggingIn.add(addressOf(visit), visit);
            visits.add(visit);
            visit.attach();
            session.color().execute(() -> begin(visit));
            if (displaced != null) {
                displaced.io.color().execute(() -> makeWay(displaced));
            }
            refresh.whenFresh(() -> session.color().execute(session::admit));
        }

        private void begin(Visit visit) {
            visit.io.begin();
            if (!visit.io.isOver()) {
                visit.watch = visit.io.color().schedule(config.get(SfsSettings.LOGIN_TIMEOUT), () -> loginOver(visit));
            }
        }

        /** In the color of the connection, which may have logged in meanwhile. What it has tried is no failure: it was not let try on. */
        private void makeWay(Visit visit) {
            if (visit.user == null && !visit.io.isOver()) {
                visit.isDisplaced = true;
                counters.displaced.increment();
                log.stranger("displaced", visit.io.peer(), line -> line.with("session", visit.io.getId()));
                visit.io.close(true);
            }
        }

        @Override
        public void ended(ColoredIoSession session) {
            Visit.of(session).end();
        }

        @Override
        public void left(ColoredIoSession session) {
            open--;
            byAddress.computeIfPresent(
                    LoginGuard.keyOf(session.peer().getAddress()), (key, count) -> count == 1 ? null : count - 1);
            Visit visit = Visit.of(session);
            loggingIn.remove(addressOf(visit), visit);
            visits.remove(visit);
            completeDrain();
        }
    }

    private static Long addressOf(Visit visit) {
        return LoginGuard.keyOf(visit.io.peer().getAddress());
    }

    private void loginOver(Visit visit) {
        if (visit.user == null && !visit.io.isOver()) {
            visit.disconnect("no login in time");
        }
    }

    // Logging in and out: in the color of the connection.

    private final class Sessions implements SessionListener {
        @Override
        public void sessionCreated(Session session) {
            Visit.of(session).session = (ServerSession) session;
        }

        /** The client may take as long for new keys as for its login. What it asks for meanwhile is not answered. */
        @Override
        public void sessionNegotiationStart(
                Session session,
                Map<KexProposalOption, String> clientProposal,
                Map<KexProposalOption, String> serverProposal) {
            Visit visit = Visit.of(session);
            visit.endKeys();
            if (!visit.io.isOver()) {
                visit.keys = visit.io
                        .color()
                        .schedule(config.get(SfsSettings.LOGIN_TIMEOUT), () -> visit.disconnect("no new keys in time"));
            }
        }

        @Override
        public void sessionEvent(Session session, Event event) {
            if (event == Event.KeyEstablished) {
                Visit.of(session).endKeys();
            }
            if (event == Event.Authenticated) {
                loggedIn(Visit.of(session), session);
            }
        }

        @Override
        public void sessionClosed(Session session) {
            Visit visit = Visit.of(session);
            User user = visit.user;
            boolean isFailureKnown = visit.isFailureCounted || visit.isTrying || visit.isDisplaced;
            if (user == null && visit.tries > 0 && !isFailureKnown) {
                String name = session.getUsername();
                logins.countFailure(visit, name == null ? "" : name, "no key that is known");
            } else if (user != null) {
                log.write(log.line("logout").with("session", visit.io.getId()).with("user", user.name()));
            }
        }
    }

    private void loggedIn(Visit visit, Session session) {
        User user = Objects.requireNonNull(users.find(session.getUsername()), "who has a key is a user");
        visit.user = user;
        Timer loginWatch = visit.watch;
        if (loginWatch != null) {
            boolean unused = loginWatch.cancel();
        }
        counters.logins.increment();
        logins.succeeded(visit);
        log.write(log.line("login")
                .with("session", visit.io.getId())
                .with("user", user.name())
                .with("from", ConnectionLog.text(visit.io.peer()))
                .with("by", Logins.by(session))
                .with("client", String.valueOf(session.getClientVersion())));
        io.acceptColor().execute(() -> loggingIn.remove(addressOf(visit), visit));
        if (!config.get(SfsSettings.IDLE_TIMEOUT).isZero() && !visit.io.isOver()) {
            idleLater(visit, config.get(SfsSettings.IDLE_TIMEOUT).toNanos());
        }
    }

    /** One timer, which is never moved: it looks when the client spoke last, and is set anew. Who waits for an answer, such as that a large copy is done, is not silent. */
    private void idleLater(Visit visit, long delayNs) {
        visit.watch = visit.io.color().schedule(Duration.ofNanos(delayNs), () -> {
            long restNs =
                    visit.io.activeNs() + config.get(SfsSettings.IDLE_TIMEOUT).toNanos() - clock.nanoTime();
            if (restNs > 0) {
                idleLater(visit, restNs);
            } else if (visit.isAnswering()) {
                idleLater(visit, config.get(SfsSettings.IDLE_TIMEOUT).toNanos());
            } else {
                visit.disconnect("silent for too long");
            }
        });
    }

    // SFTP.

    private static final class Channels implements ChannelFactory {
        @Override
        public String getName() {
            return "session";
        }

        @Override
        public Channel createChannel(Session session) {
            return new SftpChannel();
        }
    }

    private final class Subsystem implements SubsystemFactory {
        @Override
        public String getName() {
            return "sftp";
        }

        @Override
        public @Nullable Command createSubsystem(ChannelSession channel) {
            Visit visit = Visit.of(channel.getSession());
            if (visit.commands.size() >= config.get(SfsSettings.CHANNELS_MAX)) {
                return null; // refused
            }
            User user = Objects.requireNonNull(visit.user, "no channel before the login");
            SftpCommand command = conversations.begin(visit.io, user, () -> endIfDraining(visit));
            visit.commands.add(command);
            channel.addCloseFutureListener(closed -> {
                try {
                    visit.io.color().execute(() -> visit.commands.remove(command));
                } catch (RejectedExecutionException closing) {
                    LOG.log(Level.DEBUG, "not removed, the runtime is closing");
                }
            });
            return command;
        }
    }

    // The end.

    /**
     * Stops listening, and lets clients end what they have open; who has nothing open is disconnected.
     *
     * @return completed when nobody is there any more
     */
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        isDraining = true;
        return io.stopAccepting()
                .thenComposeAsync(
                        stopped -> {
                            drained = done;
                            for (Visit each : visits) {
                                each.io.color().execute(() -> endIfDraining(each));
                            }
                            completeDrain();
                            return done;
                        },
                        io.acceptColor());
    }

    private void endIfDraining(Visit visit) {
        if (isDraining && !visit.io.isOver() && visit.isIdle()) {
            visit.disconnect("the server is closing");
        }
    }

    private void completeDrain() {
        CompletableFuture<Void> done = drained;
        if (done != null && open == 0) {
            done.complete(null);
        }
    }

    /** Writes what the audit log has not been told yet. At the end; may wait for the disk. */
    public void endAudit() {
        log.end();
    }

    /** Closes all connections, whatever they are doing. */
    public void abort() {
        io.sessions().forEach(session -> session.close(true));
    }
}
