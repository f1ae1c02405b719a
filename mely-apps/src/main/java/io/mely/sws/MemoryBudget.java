// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.netty.util.internal.PlatformDependent;
import java.lang.System.Logger.Level;
import java.util.Locale;

/**
 * Divides the native memory that the JVM allows (-XX:MaxDirectMemorySize, or else -Xmx) between the buffers of connections and the files in memory, so that its
 * limit is never met ({@link io.mely.sws.files.NativeMemory}). Where both do not fit, files have what the buffers of maxClients leave, and up to half of all at least.
 * As many clients are let in all the same: most are idle, and have no buffers.
 *
 * @param bufferBytes for buffers
 * @param fileBytes for files, cached or not
 * @param cacheBytes of these for the cache
 */
record MemoryBudget(long bufferBytes, long fileBytes, long cacheBytes) {
    private static final System.Logger LOG = System.getLogger(MemoryBudget.class.getName());

    /** For the access log, which takes a quarter, and what is loaded only when it is needed: a guess. */
    static final long RESERVE_BYTES = 1 << 20;

    /** For the event loop of a core, 80 KB with epoll (JDK 17, 2026-11-27), and buffers of its thread in the JDK. */
    static final long CORE_RESERVE_BYTES = 256 << 10;

    /** Requests under way for which each thread has buffers; a server that cannot have them does not start: a guess. */
    static final int REQUESTS_MIN = 4;

    /** One part of so many is for files that are read, listed or compressed, and for those replaced while they are sent: a guess. */
    private static final int OUTSIDE_PART = 4;

    /** One part of so many is for files even without a cache, as folders are listed all the same: a guess. */
    private static final int LISTED_PART = 8;

    /**
     * Asks the JVM.
     *
     * @param config what is wanted
     * @param threads that have buffers each
     * @return what can be had
     * @throws IllegalStateException if that is not enough for {@value #REQUESTS_MIN} requests on each thread
     */
    static MemoryBudget of(SwsConfig config, int threads) {
        return of(config, threads, PlatformDependent.maxDirectMemory(), 0);
    }

    static MemoryBudget of(SwsConfig config, int threads, long limitBytes) {
        return of(config, threads, limitBytes, 0);
    }

    /** @param regionBytes that are taken already */
    static MemoryBudget of(SwsConfig config, int threads, long limitBytes, long regionBytes) {
        long free = limitBytes - regionBytes - reservedBytes(threads);
        long threadBytes = ThreadState.bytes(config);
        long least = bufferBytesMin(threads, threadBytes);
        if (free < least) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "the JVM allows %,d bytes of native memory, and %d threads need %,d:"
                            + " use fewer cores, smaller pools or a smaller plan of stingy, or raise -XX:MaxDirectMemorySize, which is -Xmx if it is not set",
                    limitBytes,
                    threads,
                    regionBytes + reservedBytes(threads) + least));
        }
        long pooled = threads * (threadBytes + ExchangePool.KEPT_MAX * (long) Exchange.OUT_BYTES);
        long wanted = pooled + config.get(SwsSettings.MAX_CLIENTS) * (long) Exchange.OUT_BYTES;
        long most = Math.min(free / 2, free - least);
        long cached = Math.min(config.get(SwsSettings.CACHE_BUDGET), free / 2);
        long filesWanted = Math.max(cached / (OUTSIDE_PART - 1) * OUTSIDE_PART + OUTSIDE_PART, free / LISTED_PART);
        long fileBytes = Math.max(free - wanted, Math.min(most, filesWanted));
        MemoryBudget budget = new MemoryBudget(
                free - fileBytes,
                fileBytes,
                Math.min(config.get(SwsSettings.CACHE_BUDGET), fileBytes - fileBytes / OUTSIDE_PART));
        if (budget.bufferBytes < wanted || budget.cacheBytes < config.get(SwsSettings.CACHE_BUDGET)) {
            LOG.log(
                    Level.WARNING,
                    "the JVM allows {0} bytes of native memory (-XX:MaxDirectMemorySize, or else -Xmx):"
                            + " the cache has {1}, cacheBudget={2}; {3} requests can be under way at once, maxClients={4}",
                    limitBytes,
                    budget.cacheBytes,
                    config.get(SwsSettings.CACHE_BUDGET),
                    Math.min(
                            config.get(SwsSettings.MAX_CLIENTS),
                            (budget.bufferBytes - threads * threadBytes) / Exchange.OUT_BYTES),
                    config.get(SwsSettings.MAX_CLIENTS));
        }
        return budget;
    }

    /** What the JVM must allow for a server without TLS. */
    static long limitBytesMin(int threads) {
        return reservedBytes(threads) + bufferBytesMin(threads, ThreadState.bytes(false, true));
    }

    private static long reservedBytes(int threads) {
        return RESERVE_BYTES + threads * CORE_RESERVE_BYTES;
    }

    private static long bufferBytesMin(int threads, long threadBytes) {
        return threads * (threadBytes + REQUESTS_MIN * (long) Exchange.OUT_BYTES);
    }

    /**
     * Exchanges that a thread keeps for reuse. All threads together keep no more than there is memory for, so that each gets some when no request is under way.
     *
     * @param inputBytes for their input
     * @param threadBytes what each thread has otherwise
     */
    int exchangesKept(int threads, long inputBytes, long threadBytes) {
        long outputs = (bufferBytes / threads - threadBytes) / Exchange.OUT_BYTES;
        long inputs = inputBytes / threads / Exchange.IN_BYTES;
        return (int) Math.min(ExchangePool.KEPT_MAX, Math.min(outputs, inputs));
    }
}
