// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Color;
import io.mely.Handler;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.net.ColoredListener;
import io.mely.net.ColoredSocket;
import io.mely.net.ReadinessHandler;
import io.mely.spi.NanoClock;
import java.time.Duration;

/**
 * The stages of one server, connected. Read {@link SwsStage} for the graph; each method here that sends is one of its arrows.
 *
 * <p><b>Threads.</b> Sends: any. <b>Errors.</b> A send is refused only when the runtime is closing or has four million events
 * pending; the connection is then closed, by the handler of Close if it can still be sent and otherwise at once.
 */
final class SwsStages {
    /** The paper's colour of Accept. */
    private static final int ACCEPTOR_SLOT = 1;

    /** Slots 0 and 1 are not for connections; descriptors that share a slot share a lane, which is slower and never wrong. */
    private static final int FIRST_CONNECTION_SLOT = 2;

    private final Mely mely;
    private final Color acceptorColor;
    private final ConnectionLife life;
    private final Stage<Acceptor> accept;
    private final Stage<Connection> readRequest;
    private final Stage<Connection> parseRequest;
    private final Stage<Connection> checkInCache;
    private final Stage<Connection> writeResponse;
    private final Stage<Connection> close;
    private final Stage<Connection> decClientAccepted;
    private final Stage<Connection> badRequest;
    private final Stage<Connection> notFound;
    private final Stage<Connection> timeout;
    private final Stage<Connection> writeFile;
    private final Acceptor acceptor;
    private final ReadinessHandler epoll = this::onReady; // one for all connections
    private final NanoClock clock;
    private final boolean isOverloadWatched;

    SwsStages(ServerContext server, Mely mely) {
        this.mely = mely;
        clock = server.clock;
        isOverloadWatched = server.isOverloadWatched();
        acceptorColor = mely.colorAt(ACCEPTOR_SLOT);
        life = new ConnectionLife(server, this);
        acceptor = new Acceptor(server, this, life);
        RequestReader reader = new RequestReader(server, this, life);
        RequestParser parser = new RequestParser(server, this, life);
        Responder responder = new Responder(server, this, life);
        ResponseWriter writer = new ResponseWriter(server, this, life);
        accept = make(SwsStage.ACCEPT, Acceptor::accept);
        readRequest = make(SwsStage.READ_REQUEST, reader::read);
        parseRequest = make(SwsStage.PARSE_REQUEST, parser::parse);
        checkInCache = make(SwsStage.CHECK_IN_CACHE, responder::checkInCache);
        writeResponse = make(SwsStage.WRITE_RESPONSE, writer::write);
        close = make(SwsStage.CLOSE, life::close);
        decClientAccepted = make(SwsStage.DEC_CLIENT_ACCEPTED, acceptor::decClientAccepted);
        badRequest = make(SwsStage.BAD_REQUEST, responder::badRequest);
        notFound = make(SwsStage.NOT_FOUND, responder::notFound);
        timeout = make(SwsStage.TIMEOUT, life::timeout);
        writeFile = make(SwsStage.WRITE_FILE, writer::writeFile);
    }

    private <E> Stage<E> make(SwsStage stage, Handler<E> handler) {
        return mely.stage(stage.label(), stage.options(), handler);
    }

    Acceptor acceptor() {
        return acceptor;
    }

    ConnectionLife life() {
        return life;
    }

    Color acceptorColor() {
        return acceptorColor;
    }

    Color connectionColor(ColoredSocket socket) {
        int slots = mely.colors() - FIRST_CONNECTION_SLOT;
        return mely.colorAt(slots <= 0 ? ACCEPTOR_SLOT : FIRST_CONNECTION_SLOT + socket.id() % slots);
    }

    // Epoll: on the thread of a core, between events.

    /** Epoll → Accept. */
    void onAcceptable(ColoredListener listener) {
        accept.send(acceptorColor, acceptor);
    }

    ReadinessHandler epoll() {
        return epoll;
    }

    /** Epoll → ReadRequest, WriteResponse. */
    private void onReady(ColoredSocket socket, int ready) {
        if (!(socket.attachment() instanceof Connection connection)) {
            throw new IllegalStateException("a socket without its connection: " + socket);
        }
        if ((ready & ColoredSocket.HANGUP) != 0) {
            connection.isHungUp = true;
        }
        if ((ready & ColoredSocket.WRITE) != 0) {
            writeResponse.send(connection.color, connection);
        }
        if ((ready & ColoredSocket.READ) != 0) {
            if (isOverloadWatched) {
                connection.readyNs = clock.nanoTime();
            }
            readRequest.send(connection.color, connection);
        }
    }

    // The arrows.

    void sendAccept() {
        accept.send(acceptorColor, acceptor);
    }

    void sendReadRequest(Connection c) {
        send(readRequest, c);
    }

    void sendParseRequest(Connection c) {
        send(parseRequest, c);
    }

    void sendCheckInCache(Connection c) {
        send(checkInCache, c);
    }

    void sendWriteResponse(Connection c) {
        send(writeResponse, c);
    }

    void sendWriteFile(Connection c) {
        send(writeFile, c);
    }

    void sendBadRequest(Connection c) {
        send(badRequest, c);
    }

    void sendNotFound(Connection c) {
        send(notFound, c);
    }

    void sendClose(Connection c) {
        if (!close.send(c.color, c)) {
            life.close(c);
        }
    }

    void sendDecClientAccepted(Connection c) {
        decClientAccepted.send(acceptorColor, c);
    }

    void scheduleTimeout(Connection c, long delayNs) {
        c.timer = c.color.schedule(Duration.ofNanos(delayNs), timeout, c);
    }

    void scheduleAccept(long delayNs) {
        acceptorColor.schedule(Duration.ofNanos(delayNs), accept, acceptor);
    }

    private void send(Stage<Connection> stage, Connection c) {
        if (!stage.send(c.color, c)) {
            life.end(c);
        }
    }
}
