// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Color;
import io.mely.Handler;
import io.mely.Mely;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.net.ColoredSocket;
import io.mely.net.OpenFile;
import io.mely.net.ReadinessHandler;
import io.mely.spi.NanoClock;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The stages of one server, connected. Read {@link SwsStage} for the graph; each method here that sends is one of its arrows.
 *
 * <p><b>Threads.</b> Sends: any. <b>Errors.</b> A send is refused only when the runtime is closing or has four million events
 * pending; the connection is then closed, by the handler of Close if it can still be sent and otherwise at once. A report of the loop
 * that is refused is made again.
 */
final class SwsStages implements TlsLink.Host {
    /** The paper's colour of Accept. The acceptors of further cores have the next ones, and connections what follows. */
    private static final int FIRST_ACCEPTOR_SLOT = 1;

    private final Mely mely;
    private final ConnectionLife life;
    private final RequestParser parser;
    private final Stage<Acceptor> accept;
    private final Stage<Connection> readRequest;
    private final Stage<Connection> parseRequest;
    private final Stage<Connection> checkInCache;
    private final Stage<Connection> loadFile;
    private final Stage<Connection> writeResponse;
    private final Stage<Connection> close;
    private final Stage<Connection> decClientAccepted;
    private final Stage<Connection> badRequest;
    private final Stage<Connection> notFound;
    private final Stage<Connection> timeout;
    private final Stage<Connection> writeFile;
    private final @Nullable Stage<Connection> apply; // without an application there is none
    private final @Nullable Stage<Connection> answer;
    private final Stage<Connection> handshake;
    private final Admission admission;
    private final List<Acceptor> acceptors;
    private final boolean isPerCore;
    private final @Nullable Acceptor redirector;
    private final ReadinessHandler epoll = this::onReady; // one for all connections
    private final NanoClock clock;
    private final boolean isOverloadWatched;
    private final @Nullable StingyBuffers stingy;

    SwsStages(ServerContext server, Mely mely, List<InheritedSocket> inherited) {
        this.mely = mely;
        clock = server.clock;
        isOverloadWatched = server.isOverloadWatched();
        stingy = server.stingy;
        life = new ConnectionLife(server, this);
        int listeners = ServerSockets.count(server.config, inherited, mely.cores());
        isPerCore = ServerSockets.isPerCore(server.config, inherited);
        boolean isRedirecting =
                server.config.redirectBind() != null || inherited.stream().anyMatch(InheritedSocket::isRedirecting);
        admission = new Admission(server, listeners + (isRedirecting ? 1 : 0), Acceptor.ACCEPTS_PER_EVENT);
        acceptors = IntStream.range(0, listeners)
                .mapToObj(
                        i -> new Acceptor(server, this, life, admission, mely.colorAt(FIRST_ACCEPTOR_SLOT + i), false))
                .toList();
        redirector = isRedirecting
                ? new Acceptor(server, this, life, admission, mely.colorAt(FIRST_ACCEPTOR_SLOT), true)
                : null;
        RequestReader reader = new RequestReader(server, this, life);
        parser = new RequestParser(server, this, life);
        Responder responder = new Responder(server, this, life);
        ResponseWriter writer = new ResponseWriter(server, this, life);
        accept = make(SwsStage.ACCEPT, Acceptor::accept);
        readRequest = make(SwsStage.READ_REQUEST, reader::read);
        parseRequest = make(SwsStage.PARSE_REQUEST, parser::parse);
        checkInCache = make(SwsStage.CHECK_IN_CACHE, responder::checkInCache);
        loadFile = make(SwsStage.LOAD_FILE, responder::loadFile);
        writeResponse = make(SwsStage.WRITE_RESPONSE, writer::write);
        close = make(SwsStage.CLOSE, life::close);
        decClientAccepted = make(SwsStage.DEC_CLIENT_ACCEPTED, c -> c.acceptor.decClientAccepted(c));
        badRequest = make(SwsStage.BAD_REQUEST, responder::badRequest);
        notFound = make(SwsStage.NOT_FOUND, responder::notFound);
        timeout = make(SwsStage.TIMEOUT, life::timeout);
        writeFile = make(SwsStage.WRITE_FILE, writer::writeFile);
        Application application = server.application;
        if (application == null) {
            apply = null;
            answer = null;
        } else {
            apply = make(SwsStage.APPLY, c -> responder.apply(c, application));
            answer = make(SwsStage.ANSWER, responder::answerApplication);
        }
        handshake = make(SwsStage.HANDSHAKE, new Handshaker(server, this, life)::handshake);
    }

    private <E> Stage<E> make(SwsStage stage, Handler<E> handler) {
        return mely.stage(stage.label(), options(stage), handler);
    }

    private StageOptions options(SwsStage stage) {
        return stingy == null ? stage.options() : stingy.options(stage);
    }

    /** One for each listener; of several, each begins on another core. */
    List<Acceptor> acceptors() {
        return acceptors;
    }

    /** Sends clients without TLS to the others; null if there is none. */
    @Nullable
    Acceptor redirector() {
        return redirector;
    }

    List<Acceptor> allAcceptors() {
        return redirector == null
                ? acceptors
                : Stream.concat(acceptors.stream(), Stream.of(redirector)).toList();
    }

    ConnectionLife life() {
        return life;
    }

    /**
     * The lane of a connection. An acceptor deals connections out to all cores; with one on each core, each keeps its own at first, as a color
     * begins on the core of its slot's rest by the number of cores. Descriptors that share a slot share a lane, which is slower and never
     * wrong.
     */
    Color connectionColor(ColoredSocket socket, Acceptor acceptor) {
        int step = isPerCore ? acceptors.size() : 1;
        int before = isPerCore ? acceptor.color().slot() : FIRST_ACCEPTOR_SLOT + acceptors.size() - 1;
        int lanes = (mely.colors() - FIRST_ACCEPTOR_SLOT - acceptors.size()) / step;
        return mely.colorAt(before + step * (1 + socket.id() % lanes));
    }

    /** What a request is answered that is refused before it is parsed. */
    int counted(Connection c, int refusal) {
        return parser.counted(c, refusal);
    }

    /** Whether somebody who asks through a proxy may. */
    boolean mayAsk(InetAddress client, long nowNs) {
        return admission.mayAsk(client, nowNs);
    }

    /** Connections of all acceptors, as whoever lacks a descriptor may have none that could go. */
    void makeRoom() {
        if (!admission.isDecided()) {
            return; // those asked before are still to look
        }
        for (Acceptor each : allAcceptors()) {
            admission.ask();
            each.color().execute(() -> {
                each.makeRoom();
                admission.decide();
            });
        }
    }

    // Epoll: on the thread of a core, between events.

    /** Epoll → Accept. */
    boolean onAcceptable(Acceptor acceptor) {
        return accept.offer(acceptor.color(), acceptor);
    }

    ReadinessHandler epoll() {
        return epoll;
    }

    /** Epoll → ReadRequest, WriteResponse, Handshake; none minds being sent twice. */
    private boolean onReady(ColoredSocket socket, int ready) {
        Connection connection = connection(socket);
        if ((ready & ColoredSocket.HANGUP) != 0) {
            connection.isHungUp = true;
        }
        if (connection.isHandshaking) {
            if (isOverloadWatched && connection.readyNs == 0) {
                connection.readyNs = clock.nanoTime();
            }
            return handshake.offer(connection.color, connection);
        }
        boolean isTaken = true;
        if ((ready & ColoredSocket.WRITE) != 0) {
            isTaken = writeResponse.offer(connection.color, connection);
        }
        if ((ready & ColoredSocket.READ) != 0) {
            if (isOverloadWatched && connection.readyNs == 0) {
                connection.readyNs = clock.nanoTime();
            }
            isTaken &= readRequest.offer(connection.color, connection);
        }
        return isTaken;
    }

    private static Connection connection(ColoredSocket socket) {
        if (!(socket.attachment() instanceof Connection connection)) {
            throw new IllegalStateException("a socket without its connection: " + socket);
        }
        return connection;
    }

    // What TLS asks for: in the color of the connection.

    @Override
    public void fetch(ColoredSocket socket, OpenFile file, long position, long count) {
        fetch(connection(socket), file, position, count);
    }

    /** The same for a stream. */
    void fetch(Connection connection, OpenFile file, long position, long count) {
        CompletableFuture<?> unused = mely.blocking(connection.color, () -> {
                    file.fetch(position, count);
                    return true;
                })
                .whenComplete((isFetched, failure) -> sendWriteResponse(connection)); // a read says why
    }

    @Override
    public void tellShortOfMemory(ColoredSocket socket) {
        connection(socket).acceptor.tellShortOfMemory();
    }

    // The arrows.

    void sendAccept(Acceptor acceptor) {
        accept.offer(acceptor.color(), acceptor);
    }

    void sendReadRequest(Connection c) {
        send(readRequest, c);
    }

    /** Looks at a connection that nothing is reported of. */
    void sendLook(Connection c) {
        send(c.isHandshaking ? handshake : readRequest, c);
    }

    void sendParseRequest(Connection c) {
        send(parseRequest, c);
    }

    void sendCheckInCache(Connection c) {
        send(checkInCache, c);
    }

    /** → Apply, if there is an application, else → CheckInCache. */
    void sendComplete(Connection c) {
        send(apply == null || c.acceptor.isRedirecting() ? checkInCache : apply, c);
    }

    /** Any thread. */
    void sendAnswer(Connection c) {
        send(Objects.requireNonNull(answer), c);
    }

    void sendLoadFile(Connection c) {
        send(loadFile, c);
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
        if (!close.offer(c.color, c)) {
            life.close(c);
        }
    }

    void sendDecClientAccepted(Connection c) {
        decClientAccepted.offer(c.acceptor.color(), c);
    }

    void scheduleTimeout(Connection c, long delayNs) {
        c.timer = c.color.schedule(Duration.ofNanos(delayNs), timeout, c);
    }

    /** → WriteResponse, after a while. */
    void scheduleWrite(Connection c, Pace pace, long delayNs) {
        c.color.schedule(Duration.ofNanos(delayNs), () -> {
            pace.isWaiting = false;
            sendWriteResponse(c);
        });
    }

    /** Runs what takes long elsewhere. */
    <T> CompletableFuture<T> blocking(Connection c, Callable<T> work) {
        return mely.blocking(c.color, work);
    }

    void scheduleAccept(Acceptor acceptor, long delayNs) {
        acceptor.color().schedule(Duration.ofNanos(delayNs), accept, acceptor);
    }

    private void send(Stage<Connection> stage, Connection c) {
        if (!stage.offer(c.color, c)) {
            life.end(c);
        }
    }
}
