// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.load.Result.Failure;
import java.io.IOException;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A virtual client that speaks HTTP/1.1: one burst of requests at a time.
 *
 * <pre>
 *   RESTING ──► CONNECTING ──► IDLE ──► BUSY ──► IDLE, THINKING (then BUSY), or closed and RESTING
 *
 *   RESTING     has no connection; a timer makes it connect, or a request that is due if each has a connection of its own
 *   IDLE        has one and nothing to do: only in an open loop
 *   BUSY        has asked
 *   THINKING    a timer makes it ask again
 * </pre>
 */
final class Client extends VirtualClient implements ClientConnection.Owner {
    private static final int RESTING = 0;
    private static final int CONNECTING = 1;
    private static final int IDLE = 2;
    private static final int BUSY = 3;
    private static final int THINKING = 4;

    private static final int HEAD_MAX = 64 << 10;
    private static final ClientLoop.Batch[] NO_SESSION = {};

    private final ClientLoop loop;
    private final ClientConnection connection;
    private final CRC32C checksum = new CRC32C();

    private int state = RESTING;

    private ClientLoop.Batch[] session = NO_SESSION;
    private int next;
    private ClientLoop.@Nullable Batch batch;
    private int written;
    private int answered;
    private long dueNs;
    /** Connects for a request that is due. */
    private boolean isAwaited;

    private long sentNs;
    private long connectNs;
    private int onConnection;

    /** Of the body that arrives; -1 while a head does. */
    private long bodyLeft = -1;

    private int status;
    private long bodyBytes;
    private int headBytes;
    private boolean isClosing;

    Client(ClientLoop loop) {
        this.loop = loop;
        connection = new ClientConnection(loop, this);
    }

    @Override
    int unanswered() {
        ClientLoop.Batch current = batch;
        return state == BUSY && current != null ? current.targets.length - answered : isAwaited ? 1 : 0;
    }

    // ------------------------------------------------------------------ connection

    private void connect(long nowNs) {
        connectNs = nowNs;
        state = CONNECTING;
        connection.connect(nowNs);
    }

    @Override
    public void connected(long nowNs) {
        loop.connected(nowNs, nowNs - connectNs);
        onConnection = 0;
        isClosing = false;
        state = IDLE;
        if (isAwaited) {
            isAwaited = false;
            begin(dueNs, nowNs);
            sentNs = connectNs;
        } else {
            loop.free(this, nowNs);
        }
    }

    /** Closes, and goes on at the loop's next turn, or a little later. */
    private void rest(long nowNs, long restNs) {
        close();
        loop.wakeAt(this, nowNs + restNs);
    }

    @Override
    public void connectFailed(long nowNs) {
        fail(Failure.CONNECT, nowNs);
    }

    @Override
    void close() {
        connection.close();
        batch = null;
        isAwaited = false;
        session = NO_SESSION;
        next = 0;
        bodyLeft = -1;
        state = RESTING;
    }

    @Override
    void giveUp(long timeoutNs, long nowNs) {
        if (state == BUSY && nowNs - sentNs > timeoutNs) {
            fail(Failure.TIMEOUT, nowNs);
        } else if (state == CONNECTING && nowNs - connectNs > timeoutNs) {
            fail(Failure.CONNECT, nowNs);
        }
    }

    @Override
    void leave(long nowNs) {
        if (unanswered() > 0) {
            loop.unanswered(unanswered(), dueNs, nowNs);
        }
    }

    /** All that the client waits for has failed in this way. */
    private void fail(Failure failure, long nowNs) {
        loop.failed(failure, Math.max(1, unanswered()), state == BUSY || isAwaited ? dueNs : nowNs, nowNs);
        rest(nowNs, failure == Failure.CONNECT ? REFUSED_REST_NS : 0);
    }

    // ------------------------------------------------------------------ requests

    @Override
    void wake(long nowNs) {
        if (state == THINKING) {
            begin(wakeNs, nowNs);
        } else if (state == RESTING && loop.isConnectedWhenDue) {
            loop.free(this, nowNs);
        } else if (state == RESTING) {
            connect(nowNs);
        }
    }

    /** First connects if there is no connection. */
    @Override
    void begin(long due, long nowNs) {
        if (!connection.isOpen()) {
            dueNs = due;
            isAwaited = true;
            connect(nowNs);
            return;
        }
        if (!loop.hasSessions) {
            batch = loop.nextTarget();
        } else {
            if (next == session.length) {
                session = loop.nextSession();
                next = 0;
            }
            batch = session[next++];
        }
        dueNs = due;
        sentNs = nowNs;
        written = 0;
        answered = 0;
        state = BUSY;
        write(nowNs);
    }

    private void write(long nowNs) {
        ClientLoop.Batch asked = batch;
        if (asked == null) {
            return;
        }
        try {
            written += connection.send(asked.address, written, asked.bytes);
        } catch (IOException e) {
            fail(Failure.RESET, nowNs);
        }
    }

    @Override
    public void writable(long nowNs) {
        ClientLoop.Batch asked = batch;
        if (state == BUSY && asked != null && written < asked.bytes) {
            write(nowNs);
        }
    }

    // ------------------------------------------------------------------ responses

    @Override
    public void broken(long nowNs) {
        if (state == BUSY) {
            fail(Failure.RESET, nowNs);
        } else {
            idleEnded(nowNs);
        }
    }

    @Override
    public void ended(long nowNs) {
        if (state == BUSY) {
            fail(Failure.CLOSED, nowNs);
        } else {
            idleEnded(nowNs);
        }
    }

    /** A server may close a connection that nobody uses; one that is thought about is missed. */
    private void idleEnded(long nowNs) {
        if (state == IDLE) {
            loop.noLongerFree(this);
        } else if (state == THINKING) {
            loop.failed(Failure.CLOSED, 1, nowNs, nowNs);
        }
        rest(nowNs, 0);
    }

    @Override
    public void consume(int limit, long nowNs) {
        int at = 0;
        while (at < limit) {
            if (bodyLeft < 0) {
                int body = loop.parser.parse(loop.buffer, at, limit);
                if (state != BUSY) {
                    unasked(body, nowNs);
                    return;
                }
                if (body == ResponseParser.INCOMPLETE && limit - at <= HEAD_MAX) {
                    connection.keep(at, limit);
                    return;
                }
                if (body < 0) {
                    malformed(nowNs);
                    return;
                }
                status = loop.parser.status();
                bodyBytes = loop.parser.contentLength();
                isClosing |= loop.parser.isClosing();
                headBytes = body - at;
                bodyLeft = bodyBytes;
                checksum.reset();
                at = body;
            }
            int here = (int) Math.min(bodyLeft, limit - at);
            loop.add(checksum, at, here);
            at += here;
            bodyLeft -= here;
            if (bodyLeft == 0) {
                bodyLeft = -1;
                answered(nowNs);
                if (unanswered() == 0) {
                    if (at < limit) {
                        malformed(nowNs);
                    } else {
                        burstDone(nowNs);
                    }
                    return;
                }
            }
        }
    }

    /** Said to one that has not asked: by a server that refuses newcomers as they come, or by mistake. */
    private void unasked(int body, long nowNs) {
        boolean isRefused = body >= 0 && loop.parser.status() == ClientLoop.SERVICE_UNAVAILABLE;
        if (isRefused) {
            loop.noLongerFree(this);
            fail(Failure.REFUSED, nowNs);
        } else {
            malformed(nowNs);
        }
    }

    private void malformed(long nowNs) {
        if (state == IDLE) {
            loop.noLongerFree(this);
        }
        fail(Failure.MALFORMED, nowNs);
    }

    private void answered(long nowNs) {
        ClientLoop.Batch asked = batch;
        if (asked == null) {
            return;
        }
        Target target = asked.targets[answered++];
        onConnection++;
        Failure failure = loop.judge(target, status, bodyBytes, checksum);
        loop.answered(failure, dueNs, sentNs, nowNs, headBytes + bodyBytes);
    }

    private void burstDone(long nowNs) {
        ClientLoop.Batch done = batch;
        if (done == null) {
            return;
        }
        boolean isSessionOver = loop.hasSessions && next == session.length;
        if (isSessionOver) {
            loop.sessionDone(nowNs);
        }
        int most = loop.plan.perConnection();
        if (isSessionOver || isClosing || (most > 0 && !loop.hasSessions && onConnection >= most)) {
            if (isClosing && loop.hasSessions && !isSessionOver) {
                // The rest of the session is lost with its connection.
                loop.failed(Failure.CLOSED, 1, dueNs, nowNs);
            }
            rest(nowNs, 0);
        } else if (done.thinkNs > 0) {
            state = THINKING;
            loop.wakeAt(this, nowNs + done.thinkNs);
        } else if (loop.hasSessions) {
            begin(nowNs, nowNs);
        } else {
            state = IDLE;
            loop.free(this, nowNs);
        }
    }

    @Override
    public String toString() {
        return "Client[state=" + state + ", written=" + written + ", answered=" + answered + ", onConnection="
                + onConnection + "]";
    }
}
