// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.ErrorHandler;
import io.mely.Mely;
import io.mely.MelyBuilder;
import io.mely.MelyStats;
import io.mely.Policy;
import io.mely.net.CoreEventLoopGroup;
import io.mely.spi.NanoClock;
import io.mely.stingy.Stingy;
import io.mely.stingy.StingyStats;
import io.mely.sws.log.AccessLog;
import io.mely.sws.rules.GateRules;
import io.mely.sws.tls.TlsContext;
import io.mely.sws.tls.TlsSettings;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A static web server on a Mely runtime of its own: HTTP/1.1 and HTTP/2, every request a chain of colored events ({@code SwsStage} has the
 * graph).
 *
 * <p><b>Threads.</b> Any, but for {@link #close(Duration)}: none of the server's own. <b>Source.</b> spec: Mely §7.1.
 */
public final class SwsServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SwsServer.class.getName());

    /** For what ends a connection by force, and for the cores to stop. */
    private static final Duration STOP_TIME = Duration.ofSeconds(2);

    /** How often files are looked for that need not be open any more: a guess. */
    private static final Duration SWEEP_EVERY = Duration.ofSeconds(30);

    private static final String HTTP11 = "http/1.1";

    private final SwsConfig config;
    final Mely mely;
    private final ServerContext context;
    private final @Nullable AccessLog log;
    private final SwsStages stages;
    private final ServerSockets sockets;

    /** The configuration that was taken over last. Guarded by this. */
    private SwsConfig taken;

    /** What the first close answered. Guarded by this. */
    private @Nullable Boolean isDrained;

    private SwsServer(
            SwsConfig config,
            NanoClock clock,
            Mely mely,
            CoreEventLoopGroup group,
            Failures failures,
            @Nullable AccessLog log,
            int threadsMax,
            MemoryBudget memory,
            @Nullable TlsContext tls,
            Application.@Nullable Factory applications,
            List<InheritedSocket> inherited)
            throws IOException {
        this.config = config;
        taken = config;
        this.mely = mely;
        this.log = log;
        Application application = applications == null ? null : applications.create(mely);
        context = new ServerContext(config, clock, mely, log, threadsMax, memory, tls, application);
        stages = new SwsStages(context, mely, inherited);
        failures.server = this;
        sockets = new ServerSockets(config, stages, group);
        sockets.open(inherited);
        context.securePort = sockets.localAddress().getPort();
    }

    /**
     * Starts a server; it accepts connections when this returns.
     *
     * @param config what to serve, and how
     * @return the running server
     * @throws NoSuchFileException if the root does not exist
     * @throws NotDirectoryException if the root is no folder
     * @throws AccessDeniedException if the root may not be read
     * @throws io.mely.sws.tls.TlsException if a file of TLS is not as it should be
     * @throws java.net.BindException if the address is in use or not of this machine
     * @throws IOException if the network fails otherwise
     * @throws IllegalStateException if the transport asked for is not available, or too little native memory for the cores
     */
    public static SwsServer start(SwsConfig config) throws IOException {
        return start(config, runtime -> runtime);
    }

    /**
     * Starts a server on a runtime that is built otherwise, as to observe its handlers.
     *
     * @param config what to serve, and how
     * @param runtime changes what the runtime is built from
     * @return the running server
     * @throws IOException as {@link #start(SwsConfig)}
     */
    public static SwsServer start(SwsConfig config, UnaryOperator<MelyBuilder> runtime) throws IOException {
        return start(config, runtime, NanoClock.SYSTEM, PlatformDependent.maxDirectMemory(), null);
    }

    /**
     * Starts a server that listens at sockets which a service manager has opened, in place of {@link SwsConfig#bind} and {@link SwsConfig#unixSocket}.
     *
     * @param config what to serve, and how
     * @param runtime changes what the runtime is built from
     * @param inherited at least one that does not redirect, and at most one that does; none: those of the configuration
     * @return the running server
     * @throws IOException as {@link #start(SwsConfig)}, or if one is no listening socket
     */
    public static SwsServer start(SwsConfig config, UnaryOperator<MelyBuilder> runtime, List<InheritedSocket> inherited)
            throws IOException {
        long redirecting =
                inherited.stream().filter(InheritedSocket::isRedirecting).count();
        if (!inherited.isEmpty() && (redirecting > 1 || redirecting == inherited.size())) {
            throw new IOException("of the inherited sockets one at most may redirect, and one must not: " + inherited);
        }
        if (redirecting > 0 && !config.isSecure()) {
            throw new IOException("an inherited socket may redirect only where TLS is spoken: " + inherited);
        }
        return start(config, runtime, NanoClock.SYSTEM, PlatformDependent.maxDirectMemory(), null, inherited);
    }

    /**
     * Starts a server with an application.
     *
     * @param config what to serve, and how; its stages may be the application's, too
     * @param runtime changes what the runtime is built from
     * @param application answers what it takes; files answer the rest
     * @return the running server
     * @throws IOException as {@link #start(SwsConfig)}
     * @throws IllegalArgumentException if a site has a rule of paths, as {@link SwsSettings#ACCESS}, which an application would not be asked about
     */
    public static SwsServer start(SwsConfig config, UnaryOperator<MelyBuilder> runtime, Application.Factory application)
            throws IOException {
        return start(config, runtime, NanoClock.SYSTEM, PlatformDependent.maxDirectMemory(), application);
    }

    /** The same by another clock, which the runtime must have, too, and which must run on at the pace of time: the network waits by it. And with so much native memory. */
    static SwsServer start(
            SwsConfig config,
            UnaryOperator<MelyBuilder> runtime,
            NanoClock clock,
            long nativeBytesMax,
            Application.@Nullable Factory application)
            throws IOException {
        return start(config, runtime, clock, nativeBytesMax, application, List.of());
    }

    private static SwsServer start(
            SwsConfig config,
            UnaryOperator<MelyBuilder> runtime,
            NanoClock clock,
            long nativeBytesMax,
            Application.@Nullable Factory application,
            List<InheritedSocket> inherited)
            throws IOException {
        checkRoots(config);
        checkGates(config, application != null);
        CoreEventLoopGroup group = switch (config.get(SwsSettings.TRANSPORT)) {
            case AUTO -> CoreEventLoopGroup.auto();
            case EPOLL -> CoreEventLoopGroup.epoll();
            case NIO -> CoreEventLoopGroup.nio();
        };
        Failures failures = new Failures();
        MelyBuilder builder = Mely.builder()
                .name("sws")
                .policy(Policy.colored(config.get(SwsSettings.STEALING))
                        .withThreadsPerCore(1) // each has buffers
                        .withSpin(Duration.ZERO)) // what comes, comes through the loop's wait; to poll it instead was
                // four calls a request
                .pinned(config.get(SwsSettings.PINNED))
                .pollers(group)
                .errorHandler(failures);
        if (config.get(SwsSettings.CORES) > 0) {
            builder.cores(config.get(SwsSettings.CORES));
        }
        Mely mely = runtime.apply(config.stages().applyTo(builder)).build();
        int threadsMax = mely.cores() + config.stages().threadsMax(stageNames());
        boolean isStarted = false;
        AccessLog log = null;
        TlsContext tls = null;
        try {
            tls = openTls(config);
            log = openLog(config, threadsMax);
            int cpus = Runtime.getRuntime().availableProcessors();
            if (!config.get(SwsSettings.PINNED) && mely.cores() > cpus) { // else the plan of the cores says it
                LOG.log(
                        Level.WARNING,
                        "more cores than CPUs, which they share: cores={0}, cpus={1}",
                        mely.cores(),
                        cpus);
            }
            MemoryBudget memory = MemoryBudget.of(
                    config, threadsMax, nativeBytesMax, StingyBuffers.bytes(config.stingy(), mely.cores()));
            SwsServer server = new SwsServer(
                    config, clock, mely, group, failures, log, threadsMax, memory, tls, application, inherited);
            mely.start();
            server.sweepLater();
            server.rotateTicketsLater();
            isStarted = true;
            return server;
        } finally {
            if (!isStarted) {
                mely.close(Duration.ZERO);
                if (log != null) {
                    log.close();
                }
                if (tls != null) {
                    tls.close();
                }
            }
        }
    }

    private static @Nullable TlsContext openTls(SwsConfig config) throws IOException {
        List<String> applications = config.get(SwsSettings.HTTP2) ? List.of(TlsLink.HTTP2, HTTP11) : List.of(HTTP11);
        return config.isSecure() ? TlsContext.open(config.settings(), applications, System.currentTimeMillis()) : null;
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
     * Takes another configuration over, without a word to those who are connected: what is served and how (files, codings, pages, fields, hosts), where the access log
     * is written and how it is rotated, and the files of TLS, which are read again. All else stays as it was at the start. If anything is wrong, all goes on as
     * it was.
     *
     * @param next the configuration
     * @throws IOException saying which file is wrong and why
     * @throws IllegalArgumentException if there is an application, and a site has a rule of paths, as {@link SwsSettings#ACCESS}
     */
    public synchronized void reload(SwsConfig next) throws IOException {
        if (isDrained != null) {
            return; // closed
        }
        checkRoots(next);
        checkGates(next, context.application != null);
        Sites sites = context.newSites(next);
        boolean isTaken = false;
        try {
            if (context.tls != null && next.isSecure()) {
                context.tls.reload(next.settings(), System.currentTimeMillis());
            }
            if (log != null && !next.get(SwsSettings.ACCESS_LOG).isEmpty()) {
                log.use(logOptions(next));
            }
            isTaken = true;
        } finally {
            if (!isTaken) {
                sites.close();
            }
        }
        context.use(sites);
        taken = next;
    }

    /**
     * The same with the configuration that it has: reads the files of TLS again, and forgets what is cached.
     *
     * @throws IOException as {@link #reload(SwsConfig)}
     */
    public synchronized void reload() throws IOException {
        reload(taken);
    }

    /**
     * Opens the access log again by its name, as after somebody has moved it. Does nothing without one.
     *
     * @throws IOException if it can't be opened; lines go on to the one that is open
     */
    public void reopenLog() throws IOException {
        if (log != null) {
            log.reopen();
        }
    }

    /**
     * Its stages, for {@link SwsConfig#stages}.
     *
     * @return their names
     */
    public static List<String> stageNames() {
        return Arrays.stream(SwsStage.values())
                .filter(stage -> stage.lane() != SwsStage.Lane.LOOP)
                .map(SwsStage::label)
                .toList();
    }

    private void sweepLater() {
        mely.defaultColor().schedule(SWEEP_EVERY, () -> {
            context.sites().closeUnused(context.clock.nanoTime());
            sweepLater();
        });
    }

    private void rotateTicketsLater() {
        Duration lifetime = config.get(TlsSettings.TICKET_LIFETIME);
        if (config.isSecure() && !lifetime.isZero()) {
            mely.defaultColor().schedule(lifetime.dividedBy(2), () -> {
                Objects.requireNonNull(context.tls).rotateTickets();
                rotateTicketsLater();
            });
        }
    }

    private static @Nullable AccessLog openLog(SwsConfig config, int threads) throws IOException {
        if (config.get(SwsSettings.ACCESS_LOG).isEmpty()) {
            return null;
        }
        return AccessLog.open(logOptions(config), threads, System::currentTimeMillis);
    }

    private static AccessLog.Options logOptions(SwsConfig config) {
        String log = config.get(SwsSettings.ACCESS_LOG);
        return new AccessLog.Options(
                log.equals("-") ? null : Path.of(log),
                config.get(SwsSettings.ACCESS_LOG_FORMAT),
                config.bytes(SwsSettings.ACCESS_LOG_BUFFER),
                config.get(SwsSettings.ACCESS_LOG_ROTATE),
                config.get(SwsSettings.ACCESS_LOG_ROTATE_EVERY),
                config.get(SwsSettings.ACCESS_LOG_KEEP));
    }

    private static void checkRoots(SwsConfig config) throws IOException {
        checkRoot(config.root());
        for (HostedSite each : config.sites()) {
            checkRoot(each.config().root());
        }
    }

    /** Rules hold for files. They would keep nobody from what an application answers, so the two do not go together. */
    private static void checkGates(SwsConfig config, boolean hasApplication) {
        boolean hasGate = Stream.concat(
                        Stream.of(config), config.sites().stream().map(HostedSite::config))
                .anyMatch(each -> !each.gate().equals(GateRules.NONE));
        if (hasApplication && hasGate) {
            throw new IllegalArgumentException(
                    "gate must be empty with an application, as its rules hold for files only: gate=" + config.gate());
        }
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
    }

    /**
     * Where it listens.
     *
     * @return the first address with the port that was bound; of a Unix socket 127.0.0.1 without a port
     */
    public InetSocketAddress localAddress() {
        return sockets.localAddress();
    }

    /**
     * All places where it listens.
     *
     * @return addresses with their ports, or {@code unix:} and a path
     */
    public List<String> places() {
        return sockets.names();
    }

    /**
     * Where clients without TLS are redirected.
     *
     * @return the address with the port that was bound; null if there is none
     */
    public @Nullable InetSocketAddress redirectAddress() {
        return sockets.redirectAddress();
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
     * Whether requests are served. Where a core breaks down, for want of memory or by a bug, the runtime stops, and clients are left without an answer.
     *
     * @return false after that, which is logged, and after a close
     */
    public boolean isServing() {
        return mely.isAccepting();
    }

    /**
     * The counters of its requests and connections.
     *
     * @return a copy
     */
    public SwsStats requestStats() {
        return context.stats();
    }

    /**
     * What became of the buffers in the cores' caches.
     *
     * @return a copy; null if there are none
     */
    public @Nullable StingyStats bufferStats() {
        StingyBuffers buffers = context.stingy;
        return buffers == null ? null : buffers.stingy().stats();
    }

    /**
     * Stops accepting after what waits in the backlog, closes idle connections, lets responses under way finish, and stops the cores. What
     * is not finished by the deadline is cut off.
     *
     * @param deadline longest time for the responses
     * @return true if all were finished; the first call's answer if it was closed before
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
        close(config.get(SwsSettings.DRAIN_DEADLINE));
    }

    private boolean closeOnce(Duration deadline) {
        long startNs = System.nanoTime();
        context.isDraining = true;
        CompletableFuture<Void> drained = CompletableFuture.allOf(
                stages.allAcceptors().stream().map(Acceptor::drain).toArray(CompletableFuture<?>[]::new));
        boolean isFinished = await(drained, deadline);
        if (!isFinished) {
            LOG.log(Level.WARNING, "some responses were not finished in {0}: {1}", deadline, context.stats());
            stages.allAcceptors().forEach(Acceptor::abort);
            await(drained, STOP_TIME);
        }
        if (context.application != null) {
            Duration rest = deadline.minusNanos(System.nanoTime() - startNs);
            isFinished &= await(context.application.drain().toCompletableFuture(), rest);
        }
        mely.close(STOP_TIME);
        context.close();
        return isFinished;
    }

    private static boolean await(CompletableFuture<?> drained, Duration deadline) {
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
                    throw new IllegalStateException("draining must not fail", e);
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** For tests: as if half of the lifetime of tickets were over. */
    void rotateTickets() {
        Objects.requireNonNull(context.tls).rotateTickets();
    }

    /** For tests: whether no engine is left, of those made since the certificates were read last. */
    boolean isTlsReleased() {
        return context.tls == null || context.tls.isReleased();
    }

    /** For tests: memory of the bodies that an application has not answered yet. */
    long bodyBytes() {
        return context.bodies.usedBytes();
    }

    /** For tests: the most there may be of it. */
    long bodyBytesMax() {
        return context.bodies.bytesMax();
    }

    /** For tests: its buffers in the cores' caches, to be observed and checked. */
    @Nullable
    Stingy stingy() {
        StingyBuffers buffers = context.stingy;
        return buffers == null ? null : buffers.stingy();
    }

    /** For tests: memory of the server's buffers and cache. */
    long memoryBytes() {
        return context.bufferBytes() + context.fileBytes();
    }

    @Override
    public String toString() {
        return "SwsServer[" + localAddress() + ", root=" + config.root() + "]";
    }

    /** A handler that throws ends its connection, with a 500 if it can, and nothing else. */
    private static final class Failures implements ErrorHandler {
        private volatile @Nullable SwsServer server;

        @Override
        public void onError(Failure failure) {
            LOG.log(
                    Level.ERROR,
                    "stage " + failure.stage().name() + " failed on core " + failure.core() + ", " + failure.event(),
                    failure.cause());
            SwsServer failed = server;
            if (failed != null && failure.event() instanceof Acceptor acceptor) {
                acceptor.retryLater();
            } else if (failed != null && failure.event() instanceof Connection c) {
                failed.context.own().counters.failure();
                failed.stages.life().fail(c);
            } else if (failed != null && failed.context.application != null) {
                failed.context.application.failed(failure);
            }
        }
    }
}
