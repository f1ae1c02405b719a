// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.load.Result.Failure;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A virtual client: one connection, one burst of requests at a time.
 *
 * <pre>
 *   RESTING ──► CONNECTING ──► IDLE ──► BUSY ──► IDLE, THINKING (then BUSY), or closed and RESTING
 *
 *   RESTING     has no connection; a timer makes it connect, or a request that is due if each has a connection of its own
 *   IDLE        has one and nothing to do: only in an open loop
 *   BUSY        has asked
 *   THINKING    a timer makes it ask again
 * </pre>
 *
 * <p><b>Threads.</b> Its loop's.
 */
final class Client {
    static final int RESTING = 0;
    static final int CONNECTING = 1;
    static final int IDLE = 2;
    static final int BUSY = 3;
    static final int THINKING = 4;

    /** After a refused connection. A guess: often enough to see a server come back, too seldom to load the machine. */
    private static final long REFUSED_REST_NS = 10_000_000;

    private static final int HEAD_MAX = 64 << 10;
    private static final int SERVICE_UNAVAILABLE = 503;
    private static final byte[] NOTHING = {};
    private static final ClientLoop.Batch[] NO_SESSION = {};

    private final ClientLoop loop;
    private final CRC32C checksum = new CRC32C();

    private @Nullable LinuxSocket socket;
    /** Tells a connection from the next one. */
    private int closes;

    private int state = RESTING;
    /** When a thinker or one that rests goes on. The loop's, as is the next. */
    long wakeNs;

    boolean isTimed;

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

    /** The begin of a head that has not arrived as a whole. */
    private byte[] saved = NOTHING;

    private int savedBytes;
    /** Of the body that arrives; -1 while a head does. */
    private long bodyLeft = -1;

    private int status;
    private long bodyBytes;
    private int headBytes;
    private boolean isClosing;

    Client(ClientLoop loop) {
        this.loop = loop;
    }

    int state() {
        return state;
    }

    long dueNs() {
        return dueNs;
    }

    /** Since when it waits for the server. */
    long waitsSinceNs() {
        return state == CONNECTING ? connectNs : sentNs;
    }

    /** Requests that it waits for. */
    int unanswered() {
        ClientLoop.Batch current = batch;
        return state == BUSY && current != null ? current.targets.length - answered : isAwaited ? 1 : 0;
    }

    // ------------------------------------------------------------------ connection

    void connect(long nowNs) {
        connectNs = nowNs;
        state = CONNECTING;
        try {
            LinuxSocket fresh = LinuxSocket.newSocketStream(
                    loop.address.getAddress() instanceof Inet4Address
                            ? SocketProtocolFamily.INET
                            : SocketProtocolFamily.INET6);
            socket = fresh;
            fresh.setTcpNoDelay(true);
            if (loop.plan.isReset()) {
                fresh.setSoLinger(0);
            }
            loop.watch(fresh.intValue(), this);
            if (fresh.connect(loop.address)) {
                connected(nowNs);
            }
        } catch (IOException e) {
            fail(Failure.CONNECT, nowNs);
        }
    }

    private void connected(long nowNs) {
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

    /** Closes. What was under way is forgotten. */
    void close() {
        LinuxSocket old = socket;
        if (old != null) {
            loop.unwatch(old.intValue());
            try {
                old.close();
            } catch (IOException e) {
                // It is gone all the same.
            }
        }
        socket = null;
        closes++;
        batch = null;
        isAwaited = false;
        session = NO_SESSION;
        next = 0;
        savedBytes = 0;
        bodyLeft = -1;
        state = RESTING;
    }

    /** All that the client waits for has failed in this way. */
    void fail(Failure failure, long nowNs) {
        loop.failed(failure, Math.max(1, unanswered()), state == BUSY || isAwaited ? dueNs : nowNs, nowNs);
        rest(nowNs, failure == Failure.CONNECT ? REFUSED_REST_NS : 0);
    }

    // ------------------------------------------------------------------ requests

    /** Goes on: a timer is due. */
    void wake(long nowNs) {
        if (state == THINKING) {
            begin(wakeNs, nowNs);
        } else if (state == RESTING && loop.isConnectedWhenDue) {
            loop.free(this, nowNs);
        } else if (state == RESTING) {
            connect(nowNs);
        }
    }

    /**
     * Asks for what comes next; first connects if there is no connection.
     *
     * @param due when it should have
     */
    void begin(long due, long nowNs) {
        if (socket == null) {
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
        LinuxSocket current = socket;
        ClientLoop.Batch asked = batch;
        if (current == null || asked == null) {
            return;
        }
        try {
            written += Math.max(0, current.sendAddress(asked.address, written, asked.bytes));
        } catch (IOException e) {
            fail(Failure.RESET, nowNs);
        }
    }

    // ------------------------------------------------------------------ responses

    void onEvent(int flags, long nowNs) {
        if (state == CONNECTING) {
            finishConnect(nowNs);
            return;
        }
        ClientLoop.Batch asked = batch;
        if ((flags & Epoll.OUT) != 0 && state == BUSY && asked != null && written < asked.bytes) {
            write(nowNs);
        }
        if ((flags & (Epoll.IN | Epoll.GONE)) != 0) {
            read((flags & Epoll.GONE) != 0, nowNs);
        }
    }

    private void finishConnect(long nowNs) {
        LinuxSocket current = socket;
        try {
            if (current != null && current.finishConnect()) {
                connected(nowNs);
            }
        } catch (IOException e) {
            fail(Failure.CONNECT, nowNs);
        }
    }

    /** Reads what there is. A short read is the last one, unless the peer is gone: a new event tells of what comes later. */
    private void read(boolean isGone, long nowNs) {
        LinuxSocket current = socket;
        int mine = closes;
        while (current != null && mine == closes) {
            if (savedBytes > 0) {
                loop.buffer.put(0, saved, 0, savedBytes);
            }
            int room = ClientLoop.BUFFER_BYTES - savedBytes;
            int limit = savedBytes;
            try {
                int count = current.recvAddress(loop.bufferAddress, savedBytes, ClientLoop.BUFFER_BYTES);
                if (count == 0) {
                    return;
                }
                if (count < 0) {
                    ended(nowNs);
                    return;
                }
                limit += count;
                loop.received(count, nowNs);
                savedBytes = 0;
                consume(limit, nowNs);
                if (count < room && !isGone) {
                    return;
                }
            } catch (IOException e) {
                if (state == BUSY) {
                    fail(Failure.RESET, nowNs);
                } else {
                    idleEnded(nowNs);
                }
                return;
            }
        }
    }

    private void ended(long nowNs) {
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

    private void consume(int limit, long nowNs) {
        int at = 0;
        while (at < limit) {
            if (bodyLeft < 0) {
                int body = loop.parser.parse(loop.buffer, at, limit);
                if (state != BUSY) {
                    unasked(body, nowNs);
                    return;
                }
                if (body == ResponseParser.INCOMPLETE && limit - at <= HEAD_MAX) {
                    save(at, limit);
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
            if (loop.plan.isChecked() && here > 0) {
                ByteBuffer part = loop.buffer.limit(at + here).position(at);
                checksum.update(part);
                loop.buffer.clear();
            }
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

    private void save(int from, int to) {
        savedBytes = to - from;
        if (saved.length < savedBytes) {
            saved = new byte[Math.max(512, savedBytes * 2)];
        }
        loop.buffer.get(from, saved, 0, savedBytes);
    }

    /** Said to one that has not asked: by a server that refuses newcomers as they come, or by mistake. */
    private void unasked(int body, long nowNs) {
        boolean isRefused = body >= 0 && loop.parser.status() == SERVICE_UNAVAILABLE;
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
        Failure failure = null;
        if (status != target.status) {
            failure = status == SERVICE_UNAVAILABLE ? Failure.REFUSED : Failure.STATUS;
        } else if (!target.accepts(bodyBytes)) {
            failure = Failure.LENGTH;
        } else if (loop.plan.isChecked() && !target.acceptsChecksum(checksum.getValue())) {
            failure = Failure.CHECKSUM;
        }
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
