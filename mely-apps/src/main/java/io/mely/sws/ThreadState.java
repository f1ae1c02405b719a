// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.files.FileCache;
import io.mely.sws.files.NativeMemory;
import io.mely.sws.files.RequestPath;
import io.mely.sws.http.DateStamp;
import io.mely.sws.limits.SojournControl;
import io.mely.sws.log.AccessLog;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What all connections share whose events one thread runs, so that none of it needs a lock: an event runs on one thread from its beginning to its end,
 * whichever that is.
 *
 * <p><b>Threads.</b> The owner; its counters are read by others, a little late.
 */
final class ThreadState {
    /** One read(2) takes no more than fits into an exchange. */
    static final int READ_BYTES = 64 << 10;

    /** Far longer than the end of a thread takes that has left its last handler. */
    private static final long END_MS = 200;

    final ExchangePool exchanges;
    FileCache.Seat cache;
    final DateStamp date = new DateStamp(System::currentTimeMillis);
    final RequestPath path;
    final Http2Memory.OfThread http2 = new Http2Memory.OfThread();
    final ThreadCounters counters = new ThreadCounters();

    /** Null if nothing is refused for overload. */
    final @Nullable SojournControl sojourn;

    /** Null if there is no access log. */
    final AccessLog.@Nullable Seat log;

    /** Whose it is; another's when that one has ended. */
    volatile Thread owner = Thread.currentThread();

    private final int index;
    private Site site;
    private final @Nullable TlsBuffers tls;
    private final ReadBuffer readBuffer;

    ThreadState(
            ExchangePool exchanges,
            int index,
            Site site,
            FileCache.Seat cache,
            int pathBytesMax,
            @Nullable SojournControl sojourn,
            AccessLog.@Nullable Seat log,
            NativeMemory memory,
            boolean isSecure,
            @Nullable StingyBuffers stingy) {
        this.exchanges = exchanges;
        this.index = index;
        this.site = site;
        this.cache = cache;
        this.sojourn = sojourn;
        this.log = log;
        path = new RequestPath(pathBytesMax);
        readBuffer = new ReadBuffer(memory, stingy);
        tls = isSecure ? new TlsBuffers(memory) : null;
    }

    /** Native memory that is set apart for each. */
    static int bytes(SwsConfig config) {
        return bytes(config.isSecure(), config.get(SwsSettings.HTTP2));
    }

    static int bytes(boolean isSecure, boolean isHttp2) {
        return READ_BYTES + (isSecure ? TlsBuffers.BYTES : 0) + Http2Memory.bytes(isHttp2);
    }

    /** At the beginning of a handler that looks for files: what it is to look at until its end. */
    Site use(Site now) {
        if (site != now) {
            site = now;
            cache = now.cache.seat(index);
        }
        return now;
    }

    /** What {@link #use} was told last. */
    Site site() {
        return site;
    }

    /** Of a server that speaks TLS. */
    TlsBuffers tls() {
        return Objects.requireNonNull(tls);
    }

    /** For one read: sockets fill native memory only, parsing is faster on the heap. */
    ByteBuffer readBuffer(int room) {
        return readBuffer.get().limit(Math.min(room, READ_BYTES));
    }

    /** Whether nobody uses it any more; a thread that is about to end is waited for. */
    boolean isLeft() {
        Thread last = owner;
        if (last == Thread.currentThread()) {
            return true;
        }
        try {
            last.join(END_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !last.isAlive();
    }

    /** Once, when its thread has stopped. */
    void close() {
        exchanges.close();
        http2.close();
        readBuffer.close();
        if (tls != null) {
            tls.close();
        }
    }
}
