// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Mely;
import io.mely.spi.NanoClock;
import io.mely.sws.files.NativeMemory;
import io.mely.sws.http.ErrorResponses;
import io.mely.sws.http.HeadFields;
import io.mely.sws.http.HeadLimits;
import io.mely.sws.http.Method;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.ResponseHead;
import io.mely.sws.http.ServerFields;
import io.mely.sws.http.Status;
import io.mely.sws.limits.Newcomers;
import io.mely.sws.limits.SojournControl;
import io.mely.sws.log.AccessLog;
import io.mely.sws.tls.TlsContext;
import io.mely.sws.tls.TlsSettings;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What all handlers of one server share.
 *
 * <p><b>Threads.</b> Any; what changes is per thread ({@link ThreadState}) or volatile.
 */
final class ServerContext {
    final SwsConfig config;
    final DescriptorBudget descriptors;

    // Of the configuration, for the way of a request.
    final boolean isHttp2;
    final int streamsMax;
    final int headBytesMax;
    final int requestsMax;

    final NanoClock clock;
    private final PreparedResponse options;
    private final PreparedResponse plainOptions; // what is said without TLS
    private final Site.Shared shared;

    /** Replaced by a reload. */
    private volatile Sites sites;

    /** Sites of before that have files open still, as their answers are being sent. Replaced as a whole. */
    private volatile List<Sites> replaced = List.of();

    /** Counts the passwords that one client tries. */
    final LoginLimit logins;

    /** Null if there is none. */
    final @Nullable Application application;

    /** Of every answer. */
    final ServerFields serverFields;

    /** Null if it does not speak TLS. */
    final @Nullable TlsContext tls;

    /** Buffers in the caches of the cores; null if there are none. */
    final @Nullable StingyBuffers stingy;

    private final @Nullable AccessLog log;
    private final ThreadStates threads;
    private final NativeMemory buffers; // of requests and connections

    /** Of the threads: set apart, as one may begin when requests have used up all else. */
    private final NativeMemory threadBuffers;

    private final InputMemory inputs;

    /** For what connections by HTTP/2 write. */
    final Http2Memory http2Memory;

    /** Of requests whose bodies an application takes. */
    final InputMemory bodies;

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
        this.config = config;
        this.clock = clock;
        this.log = log;
        this.tls = tls;
        stingy = StingyBuffers.of(config.stingy(), mely.cores());
        isHttp2 = config.get(SwsSettings.HTTP2);
        streamsMax = config.get(SwsSettings.HTTP2_STREAMS_MAX);
        headBytesMax = config.bytes(SwsSettings.HEADER_MAX);
        requestsMax = config.get(SwsSettings.MAX_REQUESTS_PER_CONNECTION);
        descriptors = DescriptorBudget.of(config);
        long threadBytes = threadsMax * (long) ThreadState.bytes(config);
        threadBuffers = new NativeMemory(threadBytes - threadsMax * (long) Http2Memory.bytes(isHttp2));
        http2Memory = new Http2Memory(this, threadsMax);
        buffers = new NativeMemory(memory.bufferBytes() - threadBytes);
        inputs = InputMemory.of(Runtime.getRuntime().maxMemory(), threadsMax);
        bodies = inputs.forBodies();
        serverFields = new ServerFields(config.get(SwsSettings.SERVER_NAME), config.get(TlsSettings.HSTS));
        options = options(serverFields);
        ServerFields plainFields = ServerFields.of(config.get(SwsSettings.SERVER_NAME));
        plainOptions = serverFields.equals(plainFields) ? options : options(plainFields);
        shared = new Site.Shared(
                serverFields,
                plainFields,
                memory.cacheBytes(),
                descriptors.openFiles(),
                new NativeMemory(memory.fileBytes()),
                threadsMax,
                mely,
                clock);
        sites = new Sites(config, shared, null);
        logins = new LoginLimit(config);
        HeadLimits limits = new HeadLimits(
                config.bytes(SwsSettings.REQUEST_LINE_MAX), headBytesMax, config.get(SwsSettings.HEADER_COUNT_MAX));
        HeadFields fields = new HeadFields(
                true,
                log != null,
                config.isSecure(),
                application != null,
                config.proxies().isOn() ? config.get(SwsSettings.PROXY_FIELD).label() : "");
        int keptMax = memory.exchangesKept(threadsMax, inputs.bytesMax(), ThreadState.bytes(config));
        threads = new ThreadStates(
                threadsMax,
                index -> newThread(
                        index,
                        sites.main,
                        new ExchangePool(limits, fields, config.get(SwsSettings.BODY_MAX), buffers, inputs, keptMax)));
    }

    private ThreadState newThread(int index, Site now, ExchangePool exchanges) {
        return new ThreadState(
                exchanges,
                index,
                now,
                now.cache.seat(index),
                config.bytes(SwsSettings.REQUEST_LINE_MAX),
                isOverloadWatched()
                        ? new SojournControl(
                                config.nanos(SwsSettings.OVERLOAD_TARGET), config.nanos(SwsSettings.OVERLOAD_INTERVAL))
                        : null,
                log == null ? null : log.seat(index),
                threadBuffers,
                tls != null,
                stingy);
    }

    private static PreparedResponse options(ServerFields fields) {
        return PreparedResponse.onHeap(
                Status.NO_CONTENT,
                new ResponseHead(Status.NO_CONTENT, fields).field("Allow", Method.ALLOWED),
                new byte[0]);
    }

    /** What is served now. */
    Sites sites() {
        return sites;
    }

    /** What is served now to who asks; of a request that has no head yet, the main site. */
    Site site(@Nullable Exchange exchange) {
        return exchange == null ? sites.main : sites.of(exchange);
    }

    /**
     * Makes other sites.
     *
     * @return to be used, or to be closed
     * @throws IOException if a file that they need can't be read
     */
    Sites newSites(SwsConfig next) throws IOException {
        return new Sites(next, shared, sites);
    }

    /** From now on. What is under way ends with what it has. One caller at a time. */
    void use(Sites next) {
        Sites before = sites;
        sites = next;
        before.close();
        replaced = Stream.concat(replaced.stream(), Stream.of(before))
                .filter(each -> each.openFiles() > 0)
                .toList();
    }

    /** As they go by a link. */
    ErrorResponses errors(Link link) {
        return sites.main.errors(link);
    }

    /** What stands in every answer, as it goes by a link. */
    ServerFields fields(Link link) {
        return link.isSecure() ? serverFields : shared.plainFields();
    }

    PreparedResponse options(Link link) {
        return link.isSecure() ? options : plainOptions;
    }

    /** What the calling thread has for its handlers. */
    ThreadState own() {
        return threads.own();
    }

    /** Large files that are being sent, more than were reckoned with. */
    int openFilesBeyondBudget() {
        return Math.max(0, openFiles() - descriptors.openFiles());
    }

    private int openFiles() {
        int open = sites.openFiles();
        for (Sites each : replaced) {
            open += each.openFiles();
        }
        return open;
    }

    /** Native memory of files, in the cache or still in use. */
    long fileBytes() {
        return shared.memory().usedBytes();
    }

    /** Whether requests are refused that have waited too long. */
    boolean isOverloadWatched() {
        return !config.get(SwsSettings.OVERLOAD_TARGET).isZero();
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

    /** For how long all threads that read requests have been overloaded; 0 if one is not. */
    long overloadedNs(long nowNs) {
        long leastNs = Long.MAX_VALUE;
        for (ThreadState each : threads.all()) {
            if (each.sojourn != null && each.sojourn.hasBegun() && each.owner.isAlive()) {
                leastNs = Math.min(leastNs, each.sojourn.standingNs(nowNs));
            }
        }
        return leastNs == Long.MAX_VALUE ? 0 : leastNs;
    }

    /** What came and went so far, by the counters of the threads. */
    Newcomers.Counts connectionCounts() {
        SwsStats stats = stats();
        return new Newcomers.Counts(stats.accepted(), stats.closed(), stats.responses());
    }

    /** The heap for what clients have sent. */
    InputMemory inputs() {
        return inputs;
    }

    /** For what a connection has to keep between two events. */
    NativeMemory linkMemory() {
        return buffers;
    }

    /** Memory of buffers, native and heap, those kept for reuse included. */
    long bufferBytes() {
        return buffers.usedBytes() + threadBuffers.usedBytes() + http2Memory.usedBytes() + inputs.usedBytes();
    }

    SwsStats stats() {
        SwsStats.Builder sum = new SwsStats.Builder();
        long exchanges = 0;
        for (ThreadState each : threads.all()) {
            each.counters.addTo(sum);
            exchanges += each.exchanges.balance();
        }
        return sum.build(exchanges, sites.cached(), fileBytes(), openFiles(), log == null ? 0 : log.dropped());
    }

    /** Once, when the threads have stopped. */
    void close() {
        for (ThreadState each : threads.all()) {
            if (each.isLeft()) {
                each.close(); // else a handler hangs, and may go on to use its buffers
            }
        }
        sites.close();
        if (log != null) {
            log.close();
        }
        if (tls != null) {
            tls.close();
        }
    }
}
