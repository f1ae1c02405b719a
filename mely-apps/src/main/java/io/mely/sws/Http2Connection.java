// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.net.OpenFile;
import io.mely.sws.Connection.State;
import io.mely.sws.http.Status;
import io.mely.sws.http2.Output;
import io.mely.sws.http2.RequestFields;
import io.mely.sws.http2.RequestHandler;
import io.mely.sws.http2.Session;
import io.mely.sws.http2.Stream;
import io.mely.sws.limits.SojournControl;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection that speaks HTTP/2: reads and writes its link for a {@link Session}, makes each stream a {@link Connection} for the stages, and keeps the time of all of them.
 *
 * <pre>
 *   ReadRequest:   link ──► session ──► a new Connection with a {@link StreamLink} ──► ParseRequest ──► … ──► WriteResponse ──► Close
 *   WriteResponse: link ◄── session's output ◄──────────────────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>What streams write is sent to the link by an event of its own, which is behind those that were waiting: the answers to requests that came together leave together. No more is read
 * while the client does not take the answers to its frames.
 *
 * <p><b>Threads.</b> The connection's color. <b>Costs.</b> Idle: the session's tables, some 15 KB of heap when those of HPACK are full.
 */
final class Http2Connection implements RequestHandler {
    private static final System.Logger LOG = System.getLogger(Http2Connection.class.getName());

    /** How long a client may take to learn that the connection is going to end: as long as one may linger. */
    private static final long DRAIN_NS = TimeUnit.SECONDS.toNanos(2);

    private final ServerContext server;
    private final SwsStages stages;
    private final ConnectionLife life;
    private final Connection c;
    private final Session session;

    /** What was read and is not a whole frame, or has to wait: one read and a frame at most. Null if there is nothing. */
    private byte @Nullable [] rest;

    private boolean isFlushDue; // an event that writes is on its way
    private boolean isBlocked; // the link will report when there is room
    private boolean isStalled; // reading waits for the output
    private boolean isDrainBegun;
    private boolean isPartial;
    private int headBlock;
    private boolean isShedding; // what is being read
    private long takenBytes; // by the client

    // When they are over, if they have begun.
    private final long settingsNs;
    private long idleNs;
    private long writeNs;
    private long pauseNs; // and the time to write after it
    private long partialNs;
    private long headNs;
    private long drainNs;

    private Http2Connection(ServerContext server, SwsStages stages, ConnectionLife life, Connection c, long nowNs) {
        this.server = server;
        this.stages = stages;
        this.life = life;
        this.c = c;
        settingsNs = nowNs + life.headerTimeoutNs;
        idleNs = settingsNs;
        pauseNs = nowNs;
        session = new Session(server.streamsMax, server.headBytesMax, this, server.inputs(), server.http2Memory, nowNs);
    }

    /**
     * The connection speaks HTTP/2 from now on.
     *
     * @param input what has come of it
     */
    static void begin(ServerContext server, SwsStages stages, ConnectionLife life, Connection c, byte[] input) {
        long nowNs = server.clock.nanoTime();
        Http2Connection made = new Http2Connection(server, stages, life, c, nowNs);
        c.http2 = made;
        c.state = State.MULTIPLEXING;
        life.deadline(c, nowNs, life.headerTimeoutNs);
        if (!c.isClient) {
            made.session.refuse();
        }
        if (input.length > 0 && server.inputs().take(input.length)) {
            made.rest = input;
        } else if (input.length > 0) {
            made.outOfMemory();
        }
        made.settle();
        stages.sendReadRequest(c);
    }

    Connection connection() {
        return c;
    }

    boolean isQuiet() {
        return session.isQuiet();
    }

    // Reading: the stage ReadRequest.

    void read() {
        ThreadState own = server.own();
        ByteBuf in = own.http2.in(ThreadState.READ_BYTES + Session.FRAME_BYTES_MAX);
        takeRest(in);
        long nowNs = server.clock.nanoTime();
        readSojourn(own, nowNs);
        int before = in.readableBytes();
        session.receive(in, nowNs);
        boolean isMoved = in.readableBytes() < before;
        if (!session.isStalled() && !session.isOver()) {
            in.discardReadBytes();
            try {
                if (readLink(own, in) < 0) {
                    life.end(c); // it can neither open windows nor acknowledge anything any more
                    return;
                }
                before = in.readableBytes();
            } catch (IOException e) {
                life.lost(c, e);
                return;
            }
            session.receive(in, nowNs);
            isMoved |= in.readableBytes() < before;
        }
        isShedding = false;
        if (c.isClosed()) {
            return; // a handler of what came has found it broken
        }
        isStalled = session.isStalled();
        keepRest(in);
        readTime(nowNs, isMoved);
        if (server.isDraining) {
            drain(nowNs);
        }
        if (c.isReadable && !isStalled && !session.isOver()) {
            stages.sendReadRequest(c);
        }
        settle();
    }

    /** As a read of the link. */
    private int readLink(ThreadState own, ByteBuf in) throws IOException {
        ByteBuffer buffer = own.readBuffer(Integer.MAX_VALUE);
        int room = buffer.remaining();
        int n = c.link.read(buffer);
        if (n > 0) {
            in.writeBytes(buffer.flip());
        }
        c.isReadable = n > 0 && (n == room || c.isHungUp || c.link.isBuffering());
        return n;
    }

    /** As in a read of HTTP/1.1: it is judged once, with all its requests. */
    private void readSojourn(ThreadState own, long nowNs) {
        if (c.readyNs != 0) {
            long sojournNs = Math.max(0, nowNs - c.readyNs);
            long awayNs = c.busyNs == 0 ? SojournControl.NEVER : nowNs - sojournNs - c.busyNs;
            c.readyNs = 0;
            if (own.sojourn != null) {
                own.sojourn.observe(sojournNs, awayNs, nowNs);
                isShedding = c.requests > 0 && own.sojourn.refuses(sojournNs);
            }
        }
        c.busyNs = nowNs;
    }

    private void takeRest(ByteBuf in) {
        byte[] left = rest;
        if (left != null) {
            rest = null;
            in.writeBytes(left);
            server.inputs().giveBack(left.length);
        }
    }

    private void keepRest(ByteBuf in) {
        int bytes = in.readableBytes();
        if (bytes > 0) {
            if (server.inputs().take(bytes)) {
                byte[] left = new byte[bytes];
                in.readBytes(left);
                rest = left;
            } else {
                outOfMemory();
            }
        }
    }

    /** A frame, or a header block, has so long from its beginning to its end as the head of a request. */
    private void readTime(long nowNs, boolean isMoved) {
        long timeoutNs = life.headerTimeoutNs;
        boolean isNow = rest != null && !isStalled;
        if (isNow && (isMoved || !isPartial)) {
            partialNs = nowNs + timeoutNs;
            lower(nowNs, partialNs);
        }
        isPartial = isNow;
        int block = session.headBlock();
        if (block != headBlock && block != 0) {
            headNs = nowNs + timeoutNs;
            lower(nowNs, headNs);
        }
        headBlock = block;
    }

    void outOfMemory() {
        c.acceptor.tellShortOfMemory();
        session.refuse();
    }

    // Requests.

    @Override
    public Stream.@Nullable Owner open(Stream stream, RequestFields fields) {
        ThreadState own = server.own();
        Exchange exchange = own.exchanges.take();
        if (exchange == null) {
            c.acceptor.tellShortOfMemory();
            return null;
        }
        StreamLink link = new StreamLink(this, session, stream);
        Connection made = new Connection(link, c.color, c.acceptor, true, c.client);
        link.attach(made);
        made.peer = c.peer;
        made.isProxied = c.isProxied;
        if (own.log != null && !c.isProxied) {
            made.address = RequestLog.address(c);
        }
        made.exchange = exchange;
        if (server.stingy != null) {
            server.stingy.enter(exchange);
        }
        exchange.nowNs = server.clock.nanoTime();
        made.isShed = isShedding;
        made.state = State.PROCESSING;
        made.requests = c.requests++;
        life.deadline(made, exchange.nowNs, life.writeTimeoutNs);
        int refusal = refusal(fields);
        int room = refusal == 0 ? exchange.room(fields.headBytes()) : 0;
        if (refusal == 0 && room >= fields.headBytes()) {
            exchange.parser.expectStream(stream.isOpenEnded());
            exchange.end = fields.writeHead(exchange.in(), 0);
            stages.sendParseRequest(made);
        } else if (refusal == 0 && room == 0) {
            c.acceptor.tellShortOfMemory();
            life.refuseAndEnd(made, Status.SERVICE_UNAVAILABLE);
        } else {
            life.refuseAndEnd(made, stages.counted(made, refusal == 0 ? Status.HEADER_FIELDS_TOO_LARGE : refusal));
        }
        if (c.requests == server.requestsMax) {
            drain(exchange.nowNs);
        }
        return link;
    }

    @Override
    public void began() {
        server.own().counters.streamBegan();
    }

    @Override
    public void ended() {
        server.own().counters.streamEnded();
    }

    @Override
    public void refused() {
        server.own().counters.streamRefused();
    }

    @Override
    public void resetByClient() {
        server.own().counters.streamReset();
    }

    /** What a head of HTTP/1.1 cannot say, or is not written; 0 if nothing. */
    private int refusal(RequestFields fields) {
        if (fields.isTooLong()) {
            return Status.HEADER_FIELDS_TOO_LARGE;
        }
        if (!fields.isWeb()) {
            return Status.BAD_REQUEST;
        }
        boolean isMisdirected = fields.isHttps() && !c.link.isSecure() && !c.isProxied; // RFC 9110 7.4
        return isMisdirected ? Status.MISDIRECTED_REQUEST : 0;
    }

    void readable(Connection stream) {
        stages.sendReadRequest(stream);
    }

    void writable(Connection stream) {
        if (stream.hasFile()) {
            stages.sendWriteFile(stream);
        } else {
            stages.sendWriteResponse(stream);
        }
    }

    void fetch(Connection stream, OpenFile file, long position, long count) {
        stages.fetch(stream, file, position, count);
    }

    void gone(Connection stream) {
        life.close(stream);
    }

    void timeout(Connection stream) {
        life.timeout(stream);
    }

    void streamClosed() {
        if (session.isQuiet() && !c.isClosed()) {
            long nowNs = server.clock.nanoTime();
            idleNs = nowNs + life.idleTimeoutNs;
            lower(nowNs, idleNs);
        }
        settle();
    }

    // Writing: the stage WriteResponse.

    void write() {
        isFlushDue = false;
        try {
            writeLink();
        } catch (IOException e) {
            life.lost(c, e);
            return;
        }
        session.flushed();
        if (isStalled && !session.isStalled()) {
            isStalled = false;
            stages.sendReadRequest(c);
        }
        settle();
    }

    private void writeLink() throws IOException {
        Output output = session.output();
        if (output.isEmpty()) {
            isBlocked = false;
            return;
        }
        int n = c.link.write(output.pending());
        server.own().counters.written(n);
        if (c.pace != null) {
            c.pace.sent(n, server.clock.nanoTime());
        }
        takenBytes += n;
        output.written(n);
        if (output.isEmpty()) {
            isBlocked = false;
            return;
        }
        c.takenBytes += n;
        if (!isBlocked || life.isProgress(c)) {
            c.takenBytes = 0;
            long nowNs = server.clock.nanoTime();
            writeNs = nowNs + life.writeTimeoutNs;
            lower(nowNs, writeNs);
        }
        isBlocked = true;
        c.link.awaitWritable();
    }

    /** What there is to write is written soon. */
    void flushLater() {
        if (!isFlushDue && !isBlocked && session.isFlushDue() && c.state == State.MULTIPLEXING) {
            isFlushDue = true;
            stages.sendWriteResponse(c);
        }
    }

    /** At the end of whatever has happened: writes what there is to write, or ends. */
    private void settle() {
        if (c.state != State.MULTIPLEXING) {
            return;
        }
        flushLater();
        if (session.isOver() && session.output().isEmpty()) {
            release();
            if (c.state == State.MULTIPLEXING) { // the end of a stream may have come here, too
                life.linger(c);
            }
        }
    }

    // Time.

    /** The timer looks at the time that is given, or before. */
    void lower(long nowNs, long deadlineNs) {
        if (c.state == State.MULTIPLEXING && (c.timer == null || deadlineNs - c.deadlineNs < 0)) {
            life.deadline(c, nowNs, deadlineNs - nowNs);
        }
    }

    /** Nothing is written for a while, by our own will. */
    void pause(long nowNs, long waitNs) {
        pauseNs = nowNs + waitNs + life.writeTimeoutNs;
        writeNs = pauseNs;
        c.takenBytes = 0;
    }

    /** What the client has taken of all streams. */
    long takenBytes() {
        return takenBytes;
    }

    /** The time of a stream that had to wait begins anew, if the client has taken enough of others meanwhile, or we pause. False if not. */
    boolean beginAnew(Connection stream, long takenBefore) {
        long nowNs = server.clock.nanoTime();
        boolean isBegun = life.isProgress(takenBytes - takenBefore) || pauseNs - nowNs > 0;
        if (isBegun) {
            life.deadline(stream, nowNs, life.writeTimeoutNs);
        }
        return isBegun;
    }

    /** The stage Timeout, for the connection and its streams. */
    void timeout(long nowNs) {
        if (isBlocked && writeNs - nowNs <= 0) {
            server.own().counters.timeout();
            life.end(c);
            return;
        }
        if (isTooSlow(nowNs)) {
            server.own().counters.timeout();
            session.timedOut();
        } else if (session.isQuiet() && idleNs - nowNs <= 0) {
            server.own().counters.timeout();
            session.drained();
        } else if (isDrainBegun && drainNs - nowNs <= 0) {
            session.drained();
        }
        for (Stream.Owner each : session.owners()) {
            StreamLink link = (StreamLink) each;
            if (link.deadlineNs() - nowNs <= 0) {
                link.timeout(nowNs);
            }
        }
        settle();
        if (c.state == State.MULTIPLEXING) {
            life.deadline(c, nowNs, restNs(nowNs));
        }
    }

    private boolean isTooSlow(long nowNs) {
        return (!session.isAcknowledged() && settingsNs - nowNs <= 0)
                || (isPartial && partialNs - nowNs <= 0)
                || (headBlock != 0 && headNs - nowNs <= 0);
    }

    /** Until something is due; what is over has been looked at, and is not looked at again before long. */
    private long restNs(long nowNs) {
        long rest = life.idleTimeoutNs;
        rest = sooner(rest, isBlocked, writeNs - nowNs);
        rest = sooner(rest, !session.isAcknowledged(), settingsNs - nowNs);
        rest = sooner(rest, isPartial, partialNs - nowNs);
        rest = sooner(rest, headBlock != 0, headNs - nowNs);
        rest = sooner(rest, session.isQuiet(), idleNs - nowNs);
        rest = sooner(rest, isDrainBegun, drainNs - nowNs);
        for (Stream.Owner each : session.owners()) {
            rest = sooner(rest, true, ((StreamLink) each).deadlineNs() - nowNs);
        }
        return rest;
    }

    private static long sooner(long rest, boolean isBegun, long otherNs) {
        return isBegun && otherNs > 0 ? Math.min(rest, otherNs) : rest;
    }

    // The end.

    private void drain(long nowNs) {
        if (!isDrainBegun) {
            isDrainBegun = true;
            drainNs = nowNs + DRAIN_NS;
            session.drain();
            lower(nowNs, drainNs);
        }
    }

    /** The connection is closed: says so if it can, and ends its streams. */
    void close() {
        session.drained();
        try {
            if (!isBlocked && !session.output().isEmpty()) {
                int unused = c.link.write(session.output().pending());
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the end was not announced: {0}: {1}", c, e.toString());
        }
        release();
    }

    private void release() {
        session.close();
        byte[] left = rest;
        if (left != null) {
            rest = null;
            server.inputs().giveBack(left.length);
        }
    }
}
