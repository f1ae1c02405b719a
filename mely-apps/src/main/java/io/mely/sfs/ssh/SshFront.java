// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.ssh;

import io.mely.Mely;
import io.mely.Timer;
import io.mely.net.CoreEventLoopGroup;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.audit.AuditLine;
import io.mely.sfs.audit.AuditLog;
import io.mely.sfs.audit.StrangerLines;
import io.mely.sfs.files.FileRules;
import io.mely.sfs.files.Quota;
import io.mely.sfs.files.Tree;
import io.mely.sfs.sftp.BufferPool;
import io.mely.sfs.sftp.OpenLimit;
import io.mely.sfs.sftp.SftpRules;
import io.mely.sfs.sftp.SftpSession;
import io.mely.sfs.users.LoginGuard;
import io.mely.sfs.users.Right;
import io.mely.sfs.users.Turnstile;
import io.mely.sfs.users.User;
import io.mely.sfs.users.Users;
import io.mely.spi.NanoClock;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.Channel;
import org.apache.sshd.common.channel.ChannelFactory;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.global.KeepAliveHandler;
import org.apache.sshd.common.kex.KexProposalOption;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.server.ServerBuilder;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.AsyncAuthException;
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
    private static final AttributeKey<Visit> VISIT = new AttributeKey<>();

    /** Shorter RSA keys are not taken. */
    private static final int RSA_BITS_MIN = 2048;

    private static final int NAME_BYTES = 8;

    private final SfsConfig config;
    private final Mely mely;
    private final NanoClock clock;
    private final Users users;
    private final AuditLog audit;
    private final StrangerLines strangerLines;
    private final Counters counters;
    private final LoginGuard guard;
    private final Turnstile hashes;
    private final Lanes lanes;
    private final BufferPool buffers;
    private final FileRules fileRules;
    private final Map<String, OpenLimit> opens = new HashMap<>();
    private final Map<Path, Quota> quotas = new HashMap<>(); // users with the same root share it
    private final SecureRandom random = new SecureRandom();
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
        this.audit = audit;
        strangerLines = new StrangerLines(audit);
        this.counters = counters;
        guard = new LoginGuard(
                config.banAfter(),
                config.banForget().toNanos(),
                config.banTime().toNanos(),
                config.banAddressesMax());
        hashes = new Turnstile(Math.max(1, mely.cores() - 1)); // a core is left for those who have logged in
        lanes = new Lanes(mely);
        buffers = new BufferPool(mely.cores());
        fileRules = new FileRules(config.symlinks(), 0777 & ~config.umask(), 0777 & ~config.umask());
        for (User user : users.all()) {
            opens.put(user.name(), new OpenLimit(config.userHandlesMax()));
            Quota known = quotas.get(rootOf(user));
            boolean isSmaller = known == null
                    || (user.quotaBytes() > 0 && (!known.isLimited() || user.quotaBytes() < known.limitBytes()));
            if (isSmaller) {
                quotas.put(rootOf(user), new Quota(user.quotaBytes()));
            }
        }
        io = new ColoredIoService(mely, group, clock, new Door(), config.backlog());
        loggingIn = new LoginTable<>(config.loginsMax());
        refresh = new KeyRefresh(mely, io.acceptColor(), users);
        sshd = server(hostKeys);
    }

    private static Path rootOf(User user) {
        return user.root().toAbsolutePath().normalize();
    }

    private SshServer server(List<KeyPair> hostKeys) {
        SshServer server = ServerBuilder.builder().build();
        Algorithms.applyTo(server, config.ciphers());
        server.setIoServiceFactoryFactory(io);
        server.setScheduledExecutorService(mely.executor(io.acceptColor()), false);
        server.setKeyPairProvider(KeyPairProvider.wrap(hostKeys));
        server.setChannelFactories(List.of(new Channels()));
        server.setGlobalRequestHandlers(List.of(KeepAliveHandler.INSTANCE, NoMoreSessionsHandler.INSTANCE));
        server.setSubsystemFactories(List.of(new Subsystem()));
        List<UserAuthFactory> methods = new ArrayList<>();
        methods.add(UserAuthPublicKeyFactory.INSTANCE);
        server.setPublickeyAuthenticator(this::hasKey);
        server.setKeyboardInteractiveAuthenticator(null);
        if (users.havePasswords()) {
            methods.add(UserAuthPasswordFactory.INSTANCE);
            methods.add(UserAuthKeyboardInteractiveFactory.INSTANCE);
            server.setPasswordAuthenticator((name, password, session) -> hasPassword(name, password, session));
            server.setKeyboardInteractiveAuthenticator(
                    org.apache.sshd.server.auth.keyboard.DefaultKeyboardInteractiveAuthenticator.INSTANCE);
        }
        server.setUserAuthFactories(methods);
        server.addSessionListener(new Sessions());
        CoreModuleProperties.SERVER_IDENTIFICATION.set(server, "SFS");
        CoreModuleProperties.MAX_AUTH_REQUESTS.set(server, config.loginTries());
        CoreModuleProperties.MAX_CONCURRENT_CHANNELS.set(server, config.channelsMax());
        if (config.userConnectionsMax() > 0) {
            CoreModuleProperties.MAX_CONCURRENT_SESSIONS.set(server, config.userConnectionsMax());
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
        public boolean mayEnter(InetSocketAddress peer) {
            String why = null;
            Long key = LoginGuard.keyOf(peer.getAddress());
            if (guard.isBanned(peer.getAddress(), clock.nanoTime())) {
                why = "banned";
            } else if (open >= config.maxConnections()) {
                why = "too many connections";
            } else if (config.addressConnectionsMax() > 0
                    && byAddress.getOrDefault(key, 0) >= config.addressConnectionsMax()) {
                why = "too many connections of the address";
            }
            if (why == null) {
                return true;
            }
            counters.refused.increment();
            String reason = why;
            auditStranger("refused", peer, line -> line.with("why", reason));
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
            session.setAttribute(VISIT, visit);
            session.color().execute(() -> begin(visit));
            if (displaced != null) {
                displaced.io.color().execute(() -> makeWay(displaced));
            }
            refresh.whenFresh(() -> session.color().execute(session::admit));
        }

        private void begin(Visit visit) {
            visit.io.begin();
            if (!visit.io.isOver()) {
                visit.watch = visit.io.color().schedule(config.loginTimeout(), () -> loginOver(visit));
            }
        }

        /** In the color of the connection, which may have logged in meanwhile. What it has tried is no failure: it was not let try on. */
        private void makeWay(Visit visit) {
            if (visit.user == null && !visit.io.isOver()) {
                visit.isDisplaced = true;
                counters.displaced.increment();
                auditStranger("displaced", visit.io.peer(), line -> line.with("session", visit.io.getId()));
                visit.io.close(true);
            }
        }

        @Override
        public void ended(ColoredIoSession session) {
            visit(session).end();
        }

        @Override
        public void left(ColoredIoSession session) {
            open--;
            byAddress.computeIfPresent(
                    LoginGuard.keyOf(session.peer().getAddress()), (key, count) -> count == 1 ? null : count - 1);
            Visit visit = visit(session);
            loggingIn.remove(addressOf(visit), visit);
            visits.remove(visit);
            completeDrain();
        }
    }

    private static Visit visit(ColoredIoSession session) {
        return (Visit) Objects.requireNonNull(session.getAttribute(VISIT), "set when it was accepted");
    }

    private static Visit visit(Session session) {
        return visit((ColoredIoSession) session.getIoSession());
    }

    private static Long addressOf(Visit visit) {
        return LoginGuard.keyOf(visit.io.peer().getAddress());
    }

    private static String text(InetSocketAddress peer) {
        return peer.getAddress().getHostAddress() + ":" + peer.getPort();
    }

    private void loginOver(Visit visit) {
        if (visit.user == null && !visit.io.isOver()) {
            disconnect(visit, "no login in time");
        }
    }

    /** Says why, and hangs up. */
    private void disconnect(Visit visit, String why) {
        ServerSession session = visit.session;
        if (session == null) {
            visit.io.close(true);
            return;
        }
        visit.io.run(() -> session.disconnect(SshConstants.SSH2_DISCONNECT_BY_APPLICATION, why));
    }

    // Logging in: in the color of the connection.

    private boolean hasKey(String name, PublicKey key, ServerSession session) {
        Visit visit = visit(session);
        visit.tries++;
        boolean isLong = !"RSA".equals(key.getAlgorithm()) || KeyUtils.getKeySize(key) >= RSA_BITS_MIN;
        boolean isKnown = isLong && users.hasKey(name, key);
        if (isKnown) {
            session.setAttribute(LOGIN_BY, "key " + KeyUtils.getFingerPrint(key));
        }
        return isKnown;
    }

    private static final AttributeKey<String> LOGIN_BY = new AttributeKey<>();

    /** Hashing takes long on purpose: the answer comes later. One try of a connection at a time, and none of an address that is banned meanwhile. */
    private boolean hasPassword(String name, String password, ServerSession session) {
        Visit visit = visit(session);
        visit.tries++;
        if (visit.isTrying) {
            disconnect(visit, "one password at a time");
            return false;
        }
        AsyncAuthException later = new AsyncAuthException();
        visit.isTrying = true;
        long cameNs = clock.nanoTime();
        hashes.enter(() -> visit.io.color().execute(() -> tryPassword(visit, name, password, session, later, cameNs)));
        throw later;
    }

    private void tryPassword(
            Visit visit, String name, String password, ServerSession session, AsyncAuthException later, long cameNs) {
        if (visit.io.isOver()) {
            hashes.leave();
            if (!visit.isDisplaced) {
                countFailure(visit, name, "gone before the password was tried");
            }
            return;
        }
        if (guard.isBanned(visit.io.peer().getAddress(), clock.nanoTime())) {
            hashes.leave();
            visit.isFailureCounted = true;
            counters.refused.increment();
            auditStranger("refused", visit.io.peer(), line -> line.with("why", "banned"));
            disconnect(visit, "banned");
            return;
        }
        CompletableFuture<Boolean> tried = mely.blocking(visit.io.color(), () -> users.hasPassword(name, password));
        CompletableFuture<Boolean> unused = tried.whenComplete((isRight, failure) -> {
            hashes.leave();
            if (Boolean.TRUE.equals(isRight)) {
                visit.isTrying = false;
                session.setAttribute(LOGIN_BY, "password");
                visit.io.run(() -> later.setAuthed(true));
                return;
            }
            if (failure == null) {
                countFailure(visit, name, "wrong password");
            } else {
                LOG.log(Level.WARNING, "a password could not be tried: {0}", failure.toString());
            }
            if (!visit.io.isOver()) {
                // Counted from when it came: how long the hash took, which may tell whether there is such a user, is
                // not seen.
                long restNs = Math.max(0, cameNs + config.loginFailureDelay().toNanos() - clock.nanoTime());
                visit.answer = visit.io.color().schedule(Duration.ofNanos(restNs), () -> refuse(visit, later));
            }
        });
    }

    private static void refuse(Visit visit, AsyncAuthException later) {
        visit.isTrying = false;
        visit.io.run(() -> later.setAuthed(false));
    }

    private void countFailure(Visit visit, String name, String why) {
        visit.isFailureCounted = true;
        counters.failedLogins.increment();
        auditStranger(
                "login-failed",
                visit.io.peer(),
                line -> line.with("session", visit.io.getId())
                        .with("user", name)
                        .with("why", why));
        if (guard.failed(visit.io.peer().getAddress(), clock.nanoTime())) {
            counters.bans.increment();
            LOG.log(
                    Level.WARNING,
                    "address {0} is banned for {1}, as too many logins failed",
                    visit.io.peer().getAddress().getHostAddress(),
                    config.banTime());
            auditStranger("banned", visit.io.peer(), line -> {});
        }
    }

    private final class Sessions implements SessionListener {
        @Override
        public void sessionCreated(Session session) {
            visit(session).session = (ServerSession) session;
        }

        /** The client may take as long for new keys as for its login. What it asks for meanwhile is not answered. */
        @Override
        public void sessionNegotiationStart(
                Session session,
                Map<KexProposalOption, String> clientProposal,
                Map<KexProposalOption, String> serverProposal) {
            Visit visit = visit(session);
            visit.endKeys();
            if (!visit.io.isOver()) {
                visit.keys = visit.io
                        .color()
                        .schedule(config.loginTimeout(), () -> disconnect(visit, "no new keys in time"));
            }
        }

        @Override
        public void sessionEvent(Session session, Event event) {
            if (event == Event.KeyEstablished) {
                visit(session).endKeys();
            }
            if (event == Event.Authenticated) {
                loggedIn(visit(session), session);
            }
        }

        @Override
        public void sessionClosed(Session session) {
            Visit visit = visit(session);
            User user = visit.user;
            boolean isFailureKnown = visit.isFailureCounted || visit.isTrying || visit.isDisplaced;
            if (user == null && visit.tries > 0 && !isFailureKnown) {
                String name = session.getUsername();
                countFailure(visit, name == null ? "" : name, "no key that is known");
            } else if (user != null) {
                auditLater(
                        audit.line("logout").with("session", visit.io.getId()).with("user", user.name()));
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
        guard.succeeded(visit.io.peer().getAddress());
        auditLater(audit.line("login")
                .with("session", visit.io.getId())
                .with("user", user.name())
                .with("from", text(visit.io.peer()))
                .with("by", String.valueOf(session.getAttribute(LOGIN_BY)))
                .with("client", String.valueOf(session.getClientVersion())));
        io.acceptColor().execute(() -> loggingIn.remove(addressOf(visit), visit));
        if (!config.idleTimeout().isZero() && !visit.io.isOver()) {
            idleLater(visit, config.idleTimeout().toNanos());
        }
    }

    /** One timer, which is never moved: it looks when the client spoke last, and is set anew. */
    private void idleLater(Visit visit, long delayNs) {
        visit.watch = visit.io.color().schedule(Duration.ofNanos(delayNs), () -> {
            long restNs = visit.io.activeNs() + config.idleTimeout().toNanos() - clock.nanoTime();
            if (restNs > 0) {
                idleLater(visit, restNs);
            } else {
                disconnect(visit, "silent for too long");
            }
        });
    }

    /** Of somebody who has not logged in. */
    private void auditStranger(String what, InetSocketAddress peer, Consumer<AuditLine> fields) {
        AuditLine line = strangerLines.line(what, clock.nanoTime());
        if (line != null) {
            fields.accept(line.with("from", text(peer)));
            auditLater(line);
        }
    }

    private void auditLater(AuditLine line) {
        if (!audit.isOn()) {
            return;
        }
        CompletableFuture<Boolean> written = mely.blocking(io.acceptColor(), () -> {
            audit.write(line);
            return true;
        });
        CompletableFuture<Boolean> unused = written.exceptionally(refused -> {
            if (refused instanceof RejectedExecutionException) {
                audit.write(line); // rather wait than lose it
            }
            return false;
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
            Visit visit = visit(channel.getSession());
            if (visit.commands.size() >= config.channelsMax()) {
                return null; // refused
            }
            User user = Objects.requireNonNull(visit.user, "no channel before the login");
            SftpCommand command = new SftpCommand(
                    mely, lanes, visit.io, line -> conversation(line, visit, user), () -> endIfDraining(visit));
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

    private SftpSession conversation(SftpSession.Line line, Visit visit, User user) {
        Quota quota = Objects.requireNonNull(quotas.get(rootOf(user)), "made for each user");
        SftpRules rules = new SftpRules(
                user,
                visit.io.getId(),
                config.handlesMax(),
                Objects.requireNonNull(opens.get(user.name()), "made for each user"),
                config.atomicUploads(),
                audit,
                counters,
                this::temporaryName,
                System::currentTimeMillis,
                ZoneId.systemDefault());
        return new SftpSession(
                line, rules, () -> openTree(user, quota), buffers, config.sliceBytes(), config.defaultColor());
    }

    private Tree openTree(User user, Quota quota) throws IOException {
        Tree tree = Tree.open(user.root(), fileRules, quota);
        if (user.rights().contains(Right.CREATE) || user.rights().contains(Right.CHANGE)) {
            boolean isDone = false;
            try {
                tree.countForQuota();
                isDone = true;
            } finally {
                if (!isDone) {
                    tree.close();
                }
            }
        }
        return tree;
    }

    private byte[] temporaryName() {
        byte[] bytes = new byte[NAME_BYTES];
        random.nextBytes(bytes);
        return (".sfs-" + HexFormat.of().formatHex(bytes) + "\0").getBytes(StandardCharsets.US_ASCII);
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
            disconnect(visit, "the server is closing");
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
        strangerLines.rest().forEach(audit::write);
    }

    /** Closes all connections, whatever they are doing. */
    public void abort() {
        io.sessions().forEach(session -> session.close(true));
    }
}
