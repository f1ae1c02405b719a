// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.Connection.State;
import io.mely.sws.http.Status;
import io.mely.sws.limits.SojournControl;
import java.io.IOException;
import java.lang.System.Logger.Level;
import javax.net.ssl.SSLException;

/**
 * The stage Handshake: what a connection by TLS does before its first request. A client has as long for it as for the head of a request.
 *
 * <p><b>Threads.</b> The color of the connection that is passed. <b>Costs.</b> Most of it one private-key operation, once a connection that resumes no session.
 */
final class Handshaker {
    private static final System.Logger LOG = System.getLogger(Handshaker.class.getName());

    private final ServerContext server;
    private final SwsStages stages;
    private final ConnectionLife life;
    private final ProxiedClients proxied;

    Handshaker(ServerContext server, SwsStages stages, ConnectionLife life) {
        this.server = server;
        this.stages = stages;
        this.life = life;
        proxied = new ProxiedClients(server);
    }

    void handshake(Connection c) {
        if (c.state != State.HANDSHAKING) {
            if (!c.isClosed()) {
                stages.sendReadRequest(c); // reported when the loop did not know yet that the handshake was over
            }
            return;
        }
        handshakeSojourn(c);
        TlsLink link = (TlsLink) c.link;
        try {
            if (c.proxyHeader != null && !proxied.readHeader(c, c.proxyHeader)) {
                handshakePending(c, link);
                return;
            }
            switch (link.handshake()) {
                case PENDING -> handshakePending(c, link);
                case DONE -> {
                    server.own().counters.handshake();
                    handshakeDone(c, link);
                }
                case ENDED -> life.end(c);
                case PLAIN_HTTP -> {
                    handshakePlain(c, link);
                    c.refusal = Status.PLAIN_HTTP_TO_TLS;
                    life.refuseAndEnd(c, c.refusal);
                }
            }
        } catch (SSLException e) {
            LOG.log(Level.DEBUG, "no handshake: {0}: {1}", c, e.toString());
            server.own().counters.handshakeFailed();
            handshakePlain(c, link);
            life.linger(c); // or a reset could destroy the alert
        } catch (IOException e) {
            life.lost(c, e);
        }
    }

    /** As in a read: from the report of the loop until now all was the work for others. */
    private void handshakeSojourn(Connection c) {
        if (c.readyNs != 0) {
            ThreadState own = server.own();
            long nowNs = server.clock.nanoTime();
            long sojournNs = nowNs - c.readyNs;
            c.readyNs = 0;
            if (own.sojourn != null) {
                own.sojourn.observe(sojournNs, SojournControl.NEVER, nowNs);
            }
        }
    }

    private void handshakePending(Connection c, TlsLink link) {
        if (server.isDraining && !link.isBegun()) {
            life.end(c);
        }
    }

    private void handshakeDone(Connection c, TlsLink link) {
        c.isHandshaking = false;
        if (link.isHttp2()) {
            Http2Connection.begin(server, stages, life, c, new byte[0]);
        } else if (c.isClient) {
            c.state = State.READING;
            life.deadline(c, server.clock.nanoTime(), life.headerTimeoutNs);
            stages.sendReadRequest(c);
        } else {
            c.state = State.PROCESSING;
            life.refuseAndEnd(c, c.refusal);
        }
    }

    /** What follows goes without TLS, or not at all. */
    private static void handshakePlain(Connection c, TlsLink link) {
        link.release();
        c.link = new PlainLink(c.socket);
        c.isHandshaking = false;
        c.state = State.PROCESSING;
    }
}
