// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.Connection.State;
import io.mely.sws.http.Status;
import io.mely.sws.limits.SojournControl;
import io.mely.sws.proxy.ProxyHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The stage ReadRequest.
 *
 * <p><b>Threads.</b> The color of the connection that is passed. <b>Costs.</b> One read(2), one copy of what it brought, one
 * look at the clock.
 */
final class RequestReader {
    /** Most bytes thrown away after the last response: a guess, above what a client has in flight. */
    private static final long LINGER_BYTES_MAX = 1 << 20;

    private final ServerContext server;
    private final SwsStages stages;
    private final ConnectionLife life;
    private final ProxiedClients proxied;
    private final Door door;

    RequestReader(ServerContext server, SwsStages stages, ConnectionLife life) {
        this.server = server;
        this.stages = stages;
        this.life = life;
        proxied = new ProxiedClients(server);
        door = new Door(server);
    }

    void read(Connection c) {
        switch (c.state) {
            case READING, SKIPPING -> readMore(c);
            case PROCESSING, WRITING -> {
                c.isReadable = true; // one request after the other
                c.readyNs = 0; // it waits for its own predecessor, not for others
            }
            case LINGERING -> readAway(c);
            case MULTIPLEXING -> Objects.requireNonNull(c.http2).read();
            case HANDSHAKING, CLOSED -> {}
        }
        if (c.isLeaving) {
            c.acceptor.leaveOrStay(c);
        }
    }

    private void readMore(Connection c) {
        if (c.proxyHeader != null && !readProxyHeader(c, c.proxyHeader)) {
            return;
        }
        ThreadState own = server.own();
        Exchange exchange = c.exchange;
        if (exchange == null) {
            exchange = own.exchanges.take();
            c.exchange = exchange;
        }
        if (exchange == null) {
            refuse(c, own);
            return;
        }
        StingyBuffers stingy = server.stingy;
        if (stingy != null) {
            stingy.enter(exchange);
        }
        int free = exchange.room();
        if (free == 0) {
            c.acceptor.tellShortOfMemory();
            c.state = State.PROCESSING;
            life.refuseAndEnd(c, Status.SERVICE_UNAVAILABLE);
            return;
        }
        ByteBuffer buffer = own.readBuffer(free);
        int room = buffer.remaining();
        int n;
        try {
            n = c.link.read(buffer);
        } catch (IOException e) {
            life.lost(c, e);
            return;
        }
        if (n > 0) {
            buffer.get(0, exchange.in(), exchange.end, n);
            exchange.end += n;
            exchange.nowNs = server.clock.nanoTime();
            if (c.readyNs != 0) {
                readSojourn(c, own, exchange.nowNs);
            }
            c.busyNs = exchange.nowNs;
            // A short read has emptied the socket, unless the end of the stream is behind it.
            c.isReadable = n == room || c.isHungUp || c.link.isBuffering();
            c.state = State.PROCESSING;
            stages.sendParseRequest(c);
        } else if (n < 0 && c.isInBody && exchange.skipper.endOfStream()) {
            exchange.nowNs = server.clock.nanoTime();
            c.state = State.PROCESSING;
            stages.sendParseRequest(c);
        } else if (n < 0) {
            life.end(c); // in between requests, or in the middle of one that now never comes
        } else {
            c.isReadable = false;
            c.readyNs = 0;
            boolean isIdle = c.state == State.READING && !exchange.hasInput();
            if (isIdle && server.isDraining) {
                life.end(c);
            } else if (isIdle) {
                life.giveBackExchange(c);
            } else {
                exchange.leaveRegion();
            }
        }
    }

    /** False if there is more to come, or it was the end. */
    private boolean readProxyHeader(Connection c, ProxyHeader header) {
        try {
            boolean isComplete = proxied.readHeader(c, header);
            if (!isComplete && server.isDraining) {
                life.end(c);
            }
            return isComplete;
        } catch (IOException e) {
            life.lost(c, e);
            return false;
        }
    }

    /** There is no memory for the buffers of one request more. */
    private void refuse(Connection c, ThreadState own) {
        try {
            int n = door.refuseInside(c.link, own);
            if (n > 0) {
                c.acceptor.tellShortOfMemory();
                life.linger(c);
            } else if (n < 0 || server.isDraining) {
                life.end(c);
            } else {
                c.isReadable = false;
            }
        } catch (IOException e) {
            life.lost(c, e);
        }
    }

    /** From the report of the loop until now: all that was in between was the work for others. */
    private static void readSojourn(Connection c, ThreadState own, long nowNs) {
        long sojournNs = Math.max(0, nowNs - c.readyNs); // a later report may have come in between
        long awayNs = c.busyNs == 0 ? SojournControl.NEVER : nowNs - sojournNs - c.busyNs;
        c.readyNs = 0;
        if (own.sojourn != null) {
            own.sojourn.observe(sojournNs, awayNs, nowNs);
            // The acceptor has just judged whoever asks for the first time: to let in and then refuse is the dearest
            // way.
            c.isShed = c.requests > 0 && own.sojourn.refuses(sojournNs);
        }
    }

    /** After the last response: until the client has read it and closes, or long enough. */
    private void readAway(Connection c) {
        ByteBuffer buffer = server.own().readBuffer(Integer.MAX_VALUE);
        int room = buffer.remaining();
        int n;
        try {
            n = c.link.read(buffer);
        } catch (IOException e) {
            life.end(c); // it was answered
            return;
        }
        c.lingerBytes += Math.max(n, 0);
        if (n < 0 || c.lingerBytes > LINGER_BYTES_MAX) {
            life.end(c);
        } else if (n == room || (n > 0 && c.isHungUp)) {
            stages.sendReadRequest(c);
        }
    }
}
