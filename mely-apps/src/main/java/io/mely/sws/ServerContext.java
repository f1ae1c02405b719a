// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Mely;
import io.mely.spi.NanoClock;
import io.mely.sws.files.ErrorPageLoader;
import io.mely.sws.files.Fallback;
import io.mely.sws.files.Fallbacks;
import io.mely.sws.files.FileCache;
import io.mely.sws.files.FileRules;
import io.mely.sws.files.Gzip;
import io.mely.sws.files.NativeMemory;
import io.mely.sws.files.Withheld;
import io.mely.sws.http.ErrorResponses;
import io.mely.sws.http.HeadFields;
import io.mely.sws.http.HeadLimits;
import io.mely.sws.http.HostNames;
import io.mely.sws.http.Method;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.ResponseHead;
import io.mely.sws.http.ServerFields;
import io.mely.sws.http.Status;
import io.mely.sws.limits.SojournControl;
import io.mely.sws.log.AccessLog;
import io.mely.sws.tls.TlsConfig;
import io.mely.sws.tls.TlsContext;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What all handlers of one server share.
 *
 * <p><b>Threads.</b> Any; what changes is per thread ({@link ThreadState}) or volatile.
 */
final class ServerContext {
    private static final System.Logger LOG = System.getLogger(ServerContext.class.getName());

    final SwsConfig config;
    final DescriptorBudget descriptors;
    final NanoClock clock;
    final ErrorResponses errors;
    private final PreparedResponse options;

    /** What is said without TLS. */
    private final ErrorResponses plainErrors;

    private final PreparedResponse plainOptions;
    final FileCache cache;

    /** Null if there are none. */
    final @Nullable Fallbacks fallbacks;

    /** Null if any name will do. */
    final @Nullable HostNames hosts;

    /** Null if there is none. */
    final @Nullable Application application;

    /** Of every answer. */
    final ServerFields serverFields;

    /** Null if it does not speak TLS. */
    final @Nullable TlsContext tls;

    private final @Nullable AccessLog log;
    private final ThreadStates threads;
    private final NativeMemory buffers; // of requests and connections

    /** Of the threads: set apart, as one may begin when requests have used up all else. */
    private final NativeMemory threadBuffers;

    private final InputMemory inputs;

    /** Where clients that come without TLS are sent; set before the first can come. */
    volatile int securePort;

    /** The server is closing: the connections that are idle are closed, the others after their response. */
    volatile boolean isDraining;

    ServerContext(SwsConfig config, NanoClock clock, Mely mely, @Nullable AccessLog log) throws IOException {
        this(config, clock, mely, log, mely.cores(), MemoryBudget.of(config, mely.cores()), null, null);
    }

    /** @param threadsMax most threads that run handlers at once */
    ServerContext(
            SwsConfig config,
            NanoClock clock,
            Mely mely,
            @Nullable AccessLog log,
            int threadsMax,
            MemoryBudget memory,
            @Nullable TlsContext tls,
            @Nullable Application application)
            throws IOException {
        this.application = application;
        hosts = config.site().hosts().isEmpty()
                ? null
                : new HostNames(config.site().hosts());
        this.config = config;
        this.clock = clock;
        this.log = log;
        this.tls = tls;
        descriptors = DescriptorBudget.of(config);
        long threadBytes = threadsMax * (long) ThreadState.bytes(config.tls() != null);
        threadBuffers = new NativeMemory(threadBytes);
        buffers = new NativeMemory(memory.bufferBytes() - threadBytes);
        inputs = InputMemory.of(Runtime.getRuntime().maxMemory(), threadsMax);
        serverFields = new ServerFields(
                config.serverName(), config.tls() == null ? "" : config.tls().hsts());
        boolean hasFallbacks = !config.fallbacks().isEmpty();
        errors = new ErrorResponses(
                serverFields, ErrorPageLoader.load(config.root(), config.errorPages()), hasFallbacks);
        options = options(serverFields);
        ServerFields plainFields = ServerFields.of(config.serverName());
        boolean isPlain = serverFields.equals(plainFields);
        plainErrors = isPlain
                ? errors
                : new ErrorResponses(
                        plainFields, ErrorPageLoader.load(config.root(), config.errorPages()), hasFallbacks);
        plainOptions = isPlain ? options : options(plainFields);
        fallbacks = config.fallbacks().isEmpty() ? null : new Fallbacks(config.fallbacks());
        cache = new FileCache(
                new FileCache.Rules(
                        config.root(),
                        config.indexFiles(),
                        config.listing(),
                        config.hiddenFiles(),
                        config.symlinks(),
                        config.precompressed(),
                        config.headers(),
                        serverFields,
                        config.gzip()
                                ? new Gzip(config.gzipLevel(), config.gzipFileMinBytes(), config.gzipFileMaxBytes())
                                : Gzip.OFF,
                        config.fallbacks().stream().map(Fallback::file).collect(Collectors.toSet()),
                        new FileRules(config.site().trySuffixes(), withheld(config))),
                new FileCache.Limits(
                        memory.cacheBytes(),
                        config.cacheFileBytesMax(),
                        descriptors.openFiles(),
                        config.cacheMissesMax(),
                        config.cacheRevalidation().toNanos()),
                new NativeMemory(memory.fileBytes()),
                errors,
                threadsMax,
                System::currentTimeMillis,
                work -> mely.blocking(mely.defaultColor(), Executors.callable(work)));
        HeadLimits limits =
                new HeadLimits(config.requestLineBytesMax(), config.headerBytesMax(), config.headerCountMax());
        HeadFields fields = new HeadFields(config.listing() || fallbacks != null, log != null, config.tls() != null);
        int keptMax = memory.exchangesKept(threadsMax, inputs.bytesMax(), ThreadState.bytes(tls != null));
        threads = new ThreadStates(
                threadsMax,
                index -> new ThreadState(
                        new ExchangePool(limits, fields, config.bodyBytesMax(), buffers, inputs, keptMax),
                        cache.seat(index),
                        config.requestLineBytesMax(),
                        isOverloadWatched()
                                ? new SojournControl(
                                        config.overloadTarget().toNanos(),
                                        config.overloadInterval().toNanos())
                                : null,
                        log == null ? null : log.seat(index),
                        threadBuffers,
                        tls != null));
    }

    /** What the server reads and writes itself. */
    private static Withheld withheld(SwsConfig config) throws IOException {
        List<Path> files = new ArrayList<>(config.site().withheld());
        TlsConfig tls = config.tls();
        if (tls != null) {
            files.addAll(tls.files());
        }
        boolean hasLog = !config.accessLog().isEmpty() && !config.accessLog().equals("-");
        Withheld withheld = new Withheld(files, hasLog ? List.of(Path.of(config.accessLog())) : List.of());
        for (Path each : withheld.below(config.root())) {
            LOG.log(Level.WARNING, "in the folder that is served, and answered 404: {0}", each);
        }
        return withheld;
    }

    private static PreparedResponse options(ServerFields fields) {
        return PreparedResponse.onHeap(
                Status.NO_CONTENT,
                new ResponseHead(Status.NO_CONTENT, fields).field("Allow", Method.ALLOWED),
                new byte[0]);
    }

    /** As they go by a link. */
    ErrorResponses errors(Link link) {
        return link instanceof PlainLink ? plainErrors : errors;
    }

    PreparedResponse options(Link link) {
        return link instanceof PlainLink ? plainOptions : options;
    }

    /** What the calling thread has for its handlers. */
    ThreadState own() {
        return threads.own();
    }

    /** Large files that are being sent, more than were reckoned with. */
    int openFilesBeyondBudget() {
        return Math.max(0, cache.openFiles() - descriptors.openFiles());
    }

    /** Whether requests are refused that have waited too long. */
    boolean isOverloadWatched() {
        return !config.overloadTarget().isZero();
    }

    /** How long a new client is going to wait if all threads that read requests are overloaded; while one is not, it takes colors from the others. */
    long overloadWaitNs(long nowNs) {
        long leastNs = Long.MAX_VALUE;
        for (ThreadState each : threads.all()) {
            if (each.sojourn != null && each.sojourn.hasBegun() && each.owner.isAlive()) {
                leastNs = Math.min(leastNs, each.sojourn.waitNs(nowNs));
            }
        }
        return leastNs == Long.MAX_VALUE ? 0 : leastNs;
    }

    /** For what a connection has to keep between two events. */
    NativeMemory linkMemory() {
        return buffers;
    }

    /** Memory of buffers, native and heap, those kept for reuse included. */
    long bufferBytes() {
        return buffers.usedBytes() + threadBuffers.usedBytes() + inputs.usedBytes();
    }

    SwsStats stats() {
        SwsStats.Builder sum = new SwsStats.Builder();
        long exchanges = 0;
        for (ThreadState each : threads.all()) {
            each.counters.addTo(sum);
            exchanges += each.exchanges.balance();
        }
        return sum.build(
                exchanges, cache.size(), cache.memoryBytes(), cache.openFiles(), log == null ? 0 : log.dropped());
    }

    /** Once, when the threads have stopped. */
    void close() {
        for (ThreadState each : threads.all()) {
            if (each.isLeft()) {
                each.close(); // else a handler hangs, and may go on to use its buffers
            }
        }
        cache.close();
        if (log != null) {
            log.close();
        }
        if (tls != null) {
            tls.close();
        }
    }
}
