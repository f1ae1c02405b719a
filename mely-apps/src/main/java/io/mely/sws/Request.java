// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Color;
import io.mely.sws.http.Coding;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.RequestHead;
import io.mely.sws.http.ResponseHead;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A request for an {@link Application}.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Some copies of the request's bytes.
 */
public final class Request {
    private final ServerContext server;
    private final SwsStages stages;
    private final Connection connection;
    private final String path;
    private final String query;
    private final boolean takesGzip;
    private final AtomicBoolean isAnswered = new AtomicBoolean();

    Request(ServerContext server, SwsStages stages, Connection connection) {
        this.server = server;
        this.stages = stages;
        this.connection = connection;
        Exchange exchange = connection.held();
        RequestHead head = exchange.parser.head();
        path = text(exchange, head.pathStart(), head.pathEnd());
        int queryStart = Math.min(head.pathEnd() + 1, head.queryEnd());
        query = text(exchange, queryStart, head.queryEnd());
        Coding coding = head.coding(exchange.in(), exchange.start, Coding.GZIP.bit());
        takesGzip = coding != null;
    }

    private static String text(Exchange exchange, int from, int end) {
        return new String(exchange.in(), exchange.start + from, end - from, StandardCharsets.UTF_8);
    }

    /**
     * Its path, as it was sent: with its escapes.
     *
     * @return begins with a slash
     */
    public String path() {
        return path;
    }

    /**
     * Its query, as it was sent.
     *
     * @return what follows the question mark; empty if there is none
     */
    public String query() {
        return query;
    }

    /**
     * Whether the client takes a body that is compressed by gzip.
     *
     * @return false if it prefers one that is not
     */
    public boolean takesGzip() {
        return takesGzip;
    }

    /**
     * The connection's color: events in it run after this one.
     *
     * @return of the server's runtime
     */
    public Color color() {
        return connection.color;
    }

    /**
     * Answers it. A client that is gone is not told.
     *
     * @param answer with its body
     * @throws IllegalStateException if it was answered before
     * @throws IllegalArgumentException if a field's value is not allowed; it is not answered then
     */
    public void answer(Answer answer) {
        ResponseHead head = new ResponseHead(answer.status(), server.serverFields).length(answer.body().length);
        answer.fields().forEach(head::field);
        if (!isAnswered.compareAndSet(false, true)) {
            throw new IllegalStateException("answered twice: " + path);
        }
        connection.answer = PreparedResponse.onHeap(answer.status(), head, answer.body()); // published by the send
        stages.sendAnswer(connection);
    }
}
