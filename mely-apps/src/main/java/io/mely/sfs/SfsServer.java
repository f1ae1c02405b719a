// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import io.mely.ErrorHandler;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.MelyStats;
import io.mely.Policy;
import io.mely.net.CoreEventLoopGroup;
import io.mely.sfs.audit.AuditLog;
import io.mely.sfs.files.FileRules;
import io.mely.sfs.files.Quota;
import io.mely.sfs.files.Tree;
import io.mely.sfs.ssh.Counters;
import io.mely.sfs.ssh.HostKeys;
import io.mely.sfs.ssh.SshFront;
import io.mely.sfs.users.PasswordFile;
import io.mely.sfs.users.Secrets;
import io.mely.sfs.users.User;
import io.mely.sfs.users.Users;
import io.mely.spi.NanoClock;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An SFTP server on a Mely runtime of its own: each connection has a color, in which it is decrypted, answered and encrypted.
 *
 * <p><b>Threads.</b> Any, but for {@link #close(Duration)}: none of the server's own. <b>Source.</b> spec: Mely §7.4, libasync-smp §5.3.
 */
public final class SfsServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SfsServer.class.getName());

    /** For what ends a connection by force, and for the cores to stop. */
    private static final Duration STOP_TIME = Duration.ofSeconds(2);

    private final SfsConfig config;
    private final Mely mely;
    private final SshFront front;
    private final Users users;
    private final AuditLog audit;
    private final Counters counters;
    private final InetSocketAddress localAddress;

    /** What the first close answered. Guarded by this. */
    private @Nullable Boolean isDrained;

    private SfsServer(SfsConfig config, Mely mely, SshFront front, Users users, AuditLog audit, Counters counters)
            throws IOException {
        this.config = config;
        this.mely = mely;
        this.front = front;
        this.users = users;
        this.audit = audit;
        this.counters = counters;
        localAddress = front.listen();
    }

    /**
     * Starts a server; it accepts connections when this returns.
     *
     * @param config who may come, and what they may do
     * @return the running server
     * @throws NoSuchFileException if a root does not exist
     * @throws NotDirectoryException if a root is no folder
     * @throws AccessDeniedException if a root may not be read
     * @throws java.net.BindException if the address is in use or not of this machine
     * @throws IOException naming the host key, password file or log that can't be opened, or lies below a root, as a key file must not either; or if the network fails
     * @throws IllegalStateException if this is not Linux, or the transport asked for is not available
     */
    public static SfsServer start(SfsConfig config) throws IOException {
        return start(config, runtime -> runtime);
    }

    /**
     * Starts a server on a runtime that is built otherwise, as to observe its handlers.
     *
     * @param config who may come, and what they may do
     * @param runtime changes what the runtime is built from
     * @return the running server
     * @throws IOException as {@link #start(SfsConfig)}
     */
    public static SfsServer start(SfsConfig config, UnaryOperator<MelyBuilder> runtime) throws IOException {
        return start(config, runtime, NanoClock.SYSTEM);
    }

    /** The same; bans and silence by another clock. */
    static SfsServer start(SfsConfig config, UnaryOperator<MelyBuilder> runtime, NanoClock clock) throws IOException {
        if (!Tree.isAvailable()) {
            throw new IllegalStateException("SFS needs Linux on x86-64, ARM or RISC-V of 64 bits, and native access");
        }
        for (User user : config.users()) {
            checkRoot(user.root());
        }
        checkSecrets(config);
        List<KeyPair> hostKeys = HostKeys.load(config.hostKeys(), config.get(SfsSettings.HOST_KEY_TYPES));
        Path passwordFile = config.passwordFile();
        Users users = new Users(
                config.users(),
                passwordFile == null ? null : PasswordFile.open(passwordFile),
                config.get(SfsSettings.STRICT_MODES) ? Tree.serverUserId() : Users.ANYBODY);
        warnOfStrangers(users, passwordFile == null ? null : PasswordFile.open(passwordFile));
        AuditLog audit = openAudit(config);
        boolean isStarted = false;
        Mely mely = null;
        try {
            CoreEventLoopGroup group = switch (config.get(SfsSettings.TRANSPORT)) {
                case AUTO -> CoreEventLoopGroup.auto();
                case EPOLL -> CoreEventLoopGroup.epoll();
                case NIO -> CoreEventLoopGroup.nio();
            };
            MelyBuilder builder = Mely.builder()
                    .name("sfs")
                    .policy(Policy.colored(config.get(SfsSettings.STEALING))
                            .withThreadsPerCore(1) // each has buffers
                            .withSpin(Duration.ZERO)) // as SWS: what comes, comes through the loop's wait
                    .pinned(config.get(SfsSettings.PINNED))
                    .pollers(group)
                    .errorHandler(SfsServer::report);
            if (config.get(SfsSettings.CORES) > 0) {
                builder.cores(config.get(SfsSettings.CORES));
            }
            mely = runtime.apply(builder).build();
            Counters counters = new Counters();
            SshFront front = new SshFront(config, mely, group, clock, users, hostKeys, audit, counters);
            SfsServer server = new SfsServer(config, mely, front, users, audit, counters);
            mely.start();
            isStarted = true;
            return server;
        } finally {
            if (!isStarted) {
                if (mely != null) {
                    mely.close(Duration.ZERO);
                }
                audit.close();
            }
        }
    }

    private static void report(ErrorHandler.Failure failure) {
        LOG.log(
                Level.ERROR,
                "stage " + failure.stage().name() + " failed on core " + failure.core() + ", " + failure.event(),
                failure.cause());
    }

    private static void checkRoot(Path root) throws IOException {
        if (!Files.exists(root)) {
            throw new NoSuchFileException(root.toString());
        }
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root.toString());
        }
        if (!Files.isReadable(root) || !Files.isExecutable(root)) {
            throw new AccessDeniedException(root.toString());
        }
        Tree.open(root, new FileRules(true, 0, 0), new Quota(0)).close();
    }

    private static void checkSecrets(SfsConfig config) throws IOException {
        Secrets.check("the folder of host keys", config.hostKeys(), config.users());
        Path passwordFile = config.passwordFile();
        if (passwordFile != null) {
            Secrets.check("the password file", passwordFile, config.users());
        }
        for (User user : config.users()) {
            for (Path each : user.keyFiles()) {
                Secrets.check("the key file", each, config.users());
            }
        }
        String log = config.get(SfsSettings.AUDIT_LOG);
        if (!log.isEmpty() && !log.equals("-")) {
            Secrets.check("the audit log", Path.of(log), config.users());
        }
    }

    /** Who can't log in as things are. */
    private static void warnOfStrangers(Users users, @Nullable PasswordFile passwords) {
        for (Map.Entry<String, Integer> each : users.keyCounts().entrySet()) {
            if (each.getValue() == 0 && (passwords == null || !passwords.contains(each.getKey()))) {
                LOG.log(
                        Level.WARNING,
                        "user {0} has neither a key nor a password yet, and can''t log in",
                        each.getKey());
            }
        }
    }

    private static AuditLog openAudit(SfsConfig config) throws IOException {
        String log = config.get(SfsSettings.AUDIT_LOG);
        if (log.isEmpty()) {
            return AuditLog.none();
        }
        return AuditLog.open(
                log.equals("-") ? null : Path.of(log),
                config.get(SfsSettings.AUDIT_LOG_ROTATE),
                config.get(SfsSettings.AUDIT_LOG_ROTATE_EVERY),
                config.get(SfsSettings.AUDIT_LOG_KEEP),
                System::currentTimeMillis);
    }

    /**
     * Where it listens.
     *
     * @return the address with the port that was bound
     */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /**
     * Its runtime, for figures.
     *
     * @return not to be closed or sent to
     */
    public Mely mely() {
        return mely;
    }

    /**
     * The counters of its runtime.
     *
     * @return a copy
     */
    public MelyStats stats() {
        return mely.stats();
    }

    /**
     * The counters of its clients.
     *
     * @return a copy
     */
    public SfsStats clientStats() {
        return new SfsStats(
                counters.connections.sum(),
                counters.refused.sum(),
                counters.displaced.sum(),
                front.connections(),
                counters.logins.sum(),
                counters.failedLogins.sum(),
                counters.bans.sum(),
                counters.requests.sum(),
                counters.readBytes.sum(),
                counters.writtenBytes.sum(),
                counters.copiedBytes.sum(),
                audit.lost());
    }

    /**
     * Whether clients are served. Where a core breaks down, for want of memory or by a bug, the runtime stops.
     *
     * @return false after that, which is logged, and after a close
     */
    public boolean isServing() {
        return mely.isAccepting();
    }

    /**
     * Stops accepting, disconnects who has nothing open, lets others end their transfers, and stops the cores. What is not ended by the deadline is cut off.
     *
     * @param deadline longest time for the transfers
     * @return true if all were ended; the first call's answer if it was closed before
     */
    public synchronized boolean close(Duration deadline) {
        Boolean done = isDrained;
        if (done == null) {
            done = closeOnce(deadline);
            isDrained = done;
        }
        return done;
    }

    /** Closes with the configured deadline. */
    @Override
    public void close() {
        close(config.get(SfsSettings.DRAIN_DEADLINE));
    }

    private boolean closeOnce(Duration deadline) {
        CompletableFuture<Void> drained = front.drain();
        boolean isFinished = await(drained, deadline);
        if (!isFinished) {
            LOG.log(Level.WARNING, "some transfers were not finished in {0}: {1}", deadline, clientStats());
            front.abort();
            await(drained, STOP_TIME);
        }
        mely.close(STOP_TIME);
        front.endAudit();
        audit.close();
        return isFinished;
    }

    private static boolean await(CompletableFuture<Void> drained, Duration deadline) {
        boolean isInterrupted = false;
        long endNs = System.nanoTime() + deadline.toNanos();
        try {
            while (true) {
                try {
                    drained.get(endNs - System.nanoTime(), TimeUnit.NANOSECONDS);
                    return true;
                } catch (InterruptedException e) {
                    isInterrupted = true; // closing goes on; the caller finds its flag afterwards
                } catch (TimeoutException e) {
                    return false;
                } catch (ExecutionException e) {
                    LOG.log(Level.DEBUG, "not drained, the runtime had stopped: {0}", e.toString());
                    return false;
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** For tests. */
    Users users() {
        return users;
    }

    @Override
    public String toString() {
        return "SfsServer[" + localAddress() + "]";
    }
}
