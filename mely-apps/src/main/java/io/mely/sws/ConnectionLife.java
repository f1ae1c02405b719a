// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Timer;
import io.mely.sws.Connection.Next;
import io.mely.sws.Connection.State;
import io.mely.sws.files.FileEntry;
import io.mely.sws.files.FolderListing;
import io.mely.sws.http.Status;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Time-outs and the end of connections: the stages Close and Timeout.
 *
 * <p>A connection has one timer, which is never moved when its deadline moves away: it fires, sees that it is too early, and is set
 * anew. So a busy connection costs one timer event per time-out and not one per request.
 *
 * <p><b>Threads.</b> The color of the connection that is passed.
 */
final class ConnectionLife {
    private static final System.Logger LOG = System.getLogger(ConnectionLife.class.getName());

    /** How long a client that was refused may go on sending what it has begun; nginx gives 5 s, most need one round trip. */
    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(2);

    /** How long a newcomer is left alone before its first request: a guess, some round trips. */
    private static final long FIRST_REQUEST_NS = TimeUnit.SECONDS.toNanos(1);

    private final ServerContext server;
    private final SwsStages stages;
    final long idleTimeoutNs;
    final long headerTimeoutNs;
    final long writeTimeoutNs;
    private final long takenBytesMin;
    private final long bodyTimeoutNs;
    private final long sentBytesMin;

    ConnectionLife(ServerContext server, SwsStages stages) {
        this.server = server;
        this.stages = stages;
        idleTimeoutNs = server.config.nanos(SwsSettings.IDLE_TIMEOUT);
        headerTimeoutNs = server.config.nanos(SwsSettings.HEADER_TIMEOUT);
        writeTimeoutNs = server.config.nanos(SwsSettings.WRITE_TIMEOUT);
        takenBytesMin = bytesMin(server.config, server.config.get(SwsSettings.WRITE_TIMEOUT));
        bodyTimeoutNs = server.config.nanos(SwsSettings.BODY_TIMEOUT);
        sentBytesMin = bytesMin(server.config, server.config.get(SwsSettings.BODY_TIMEOUT));
    }

    private static long bytesMin(SwsConfig config, Duration time) {
        return Math.max(1, (long) (config.bytes(SwsSettings.WRITE_RATE_MIN) * (time.toMillis() / 1000.0)));
    }

    // Time.

    /** Sets when the connection's state must have changed. */
    void deadline(Connection c, long nowNs, long delayNs) {
        c.deadlineNs = nowNs + delayNs;
        Timer timer = c.timer;
        if (timer == null) {
            arm(c, delayNs);
        } else if (c.deadlineNs - c.timerNs < 0) {
            timer.cancel();
            arm(c, delayNs);
        }
    }

    /** → WriteResponse. What was left of the time to read the request no longer counts. */
    void write(Connection c, Next next) {
        c.next = next;
        c.state = State.WRITING;
        c.takenBytes = 0;
        long deadlineNs = c.held().nowNs + writeTimeoutNs;
        if (deadlineNs - c.deadlineNs > 0) {
            c.deadlineNs = deadlineNs; // later, so the timer need not be set anew
        }
        stages.sendWriteResponse(c);
    }

    /** The client has taken some bytes of a response that takes several events. Few of them do not buy it time. */
    void progress(Connection c, long nowNs) {
        if (isProgress(c)) {
            c.takenBytes = 0;
            deadline(c, nowNs, writeTimeoutNs);
        }
    }

    /** Nothing is written for a while, by our own will. */
    void pause(Connection c, long nowNs, long waitNs) {
        c.takenBytes = 0;
        deadline(c, nowNs + waitNs, writeTimeoutNs);
    }

    /** A body begins. */
    void awaitBody(Connection c, long nowNs) {
        c.takenBytes = 0;
        deadline(c, nowNs, bodyTimeoutNs);
    }

    /** The client has sent some bytes of a body that an application takes, however long that takes at the least rate. */
    void bodyProgress(Connection c, long nowNs, int bytes) {
        c.takenBytes += bytes;
        if (c.takenBytes >= sentBytesMin) {
            awaitBody(c, nowNs);
        }
    }

    /** Whether the client has taken enough of a response that its time begins anew. */
    boolean isProgress(Connection c) {
        return isProgress(c.takenBytes);
    }

    boolean isProgress(long takenBytes) {
        return takenBytes >= takenBytesMin;
    }

    private void arm(Connection c, long delayNs) {
        if (c.link instanceof StreamLink stream) {
            stream.deadline(c.deadlineNs - delayNs, c.deadlineNs);
            return;
        }
        c.timerNs = c.deadlineNs;
        try {
            stages.scheduleTimeout(c, delayNs);
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "no time-out any more, the runtime is closing: {0}", c);
        }
    }

    /** The stage Timeout. */
    void timeout(Connection c) {
        c.timer = null;
        if (c.isClosed()) {
            return;
        }
        long nowNs = server.clock.nanoTime();
        long restNs = c.deadlineNs - nowNs;
        if (restNs > 0) {
            arm(c, restNs);
            return;
        }
        if (c.http2 != null && c.state == State.MULTIPLEXING) {
            c.http2.timeout(nowNs);
            return;
        }
        if (c.state == State.PROCESSING) {
            deadline(c, nowNs, LINGER_NS); // its event is behind others; no fault of the client
            return;
        }
        if (c.state == State.LINGERING) {
            end(c); // it was answered
            return;
        }
        server.own().counters.timeout();
        if (c.state == State.SKIPPING || (c.state == State.READING && c.isBegun)) {
            c.state = State.PROCESSING;
            refuseAndEnd(c, Status.REQUEST_TIMEOUT);
        } else {
            end(c);
        }
    }

    // Refusals.

    /** → BadRequest, after which the connection is closed: the next byte may or may not begin a request. */
    void refuseAndEnd(Connection c, int status) {
        c.isLast = true;
        c.isLingerDue = true;
        refuse(c, status);
    }

    /** → BadRequest; the framing is clear, the connection goes on. */
    void refuse(Connection c, int status) {
        assert c.state == State.PROCESSING : c;
        c.answer = null;
        c.refusal = status;
        stages.sendBadRequest(c);
    }

    /** A handler has thrown: 500 if nothing of an answer is on its way, and the end. */
    void fail(Connection c) {
        boolean isUnanswered = c.state == State.PROCESSING
                && c.refusal != Status.INTERNAL_SERVER_ERROR
                && c.exchange != null
                && !c.exchange.hasOutput();
        if (isUnanswered) {
            unpin(c);
            refuseAndEnd(c, Status.INTERNAL_SERVER_ERROR);
        } else {
            c.state = State.CLOSED;
            close(c);
        }
    }

    // The end.

    /**
     * The last response is written. A client that is still sending must not be reset, or the response could be lost on its way (RFC
     * 9112 9.6): the output is ended, and what comes is thrown away for a while.
     */
    void finish(Connection c) {
        boolean isMoreComing = c.isLingerDue || c.isReadable || c.held().hasInput();
        if (!isMoreComing) {
            end(c);
            return;
        }
        linger(c);
    }

    /** It is answered, and what it may still be sending is thrown away. */
    void linger(Connection c) {
        try {
            c.link.shutdownOutput();
        } catch (IOException e) {
            lost(c, e);
            return;
        }
        giveBackExchange(c);
        c.state = State.LINGERING;
        deadline(c, server.clock.nanoTime(), LINGER_NS);
        stages.sendReadRequest(c);
    }

    /** The client is gone: an everyday event. */
    void lost(Connection c, IOException cause) {
        LOG.log(Level.DEBUG, "connection lost: {0}: {1}", c, cause.toString());
        server.own().counters.lost();
        end(c);
    }

    /** Whether it has nothing to do; also if it has never asked for anything, but not before it has had time to. */
    boolean isIdle(Connection c) {
        boolean isSilent = c.http2 == null
                ? c.state == State.READING && c.exchange == null
                : c.state == State.MULTIPLEXING && c.http2.isQuiet();
        return isSilent
                && (c.requests > 0 || server.clock.nanoTime() - (c.deadlineNs - headerTimeoutNs) >= FIRST_REQUEST_NS);
    }

    /** → Close. Nothing acts on the connection from here on. */
    void end(Connection c) {
        if (!c.isClosed()) {
            c.state = State.CLOSED;
            stages.sendClose(c);
        }
    }

    /** The stage Close. → DecClientAccepted, exactly once. */
    void close(Connection c) {
        if (c.isReleased) {
            return;
        }
        c.isReleased = true;
        c.state = State.CLOSED;
        Timer timer = c.timer;
        if (timer != null) {
            timer.cancel();
        }
        if (c.http2 != null) {
            c.http2.close();
        }
        unpin(c);
        giveBackExchange(c);
        c.link.close();
        if (c.link instanceof StreamLink) {
            return; // the client is still there
        }
        server.own().counters.closed();
        stages.sendDecClientAccepted(c);
    }

    // What it holds.

    void giveBackExchange(Connection c) {
        Exchange exchange = c.exchange;
        if (exchange != null) {
            c.exchange = null;
            server.own().exchanges.giveBack(exchange);
        }
    }

    void unpin(Connection c) {
        c.bodyRest = null;
        c.parts = null;
        FolderListing listing = c.listing;
        if (listing != null) {
            c.listing = null;
            listing.close();
        }
        FileEntry entry = c.pinned;
        if (entry != null) {
            c.pinned = null;
            entry.unpin();
        }
    }
}
