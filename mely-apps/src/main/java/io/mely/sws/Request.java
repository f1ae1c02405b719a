// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Color;
import io.mely.sws.http.Coding;
import io.mely.sws.http.Method;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.RequestHead;
import io.mely.sws.http.ResponseHead;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A request for an {@link Application}.
 *
 * <p><b>Threads.</b> Any; one at a time reads the body. <b>Costs.</b> Some copies of the request's bytes. <b>Bounds.</b> Bodies have a sixth of the heap, until their
 * requests are answered; beyond it clients are answered 503. So whoever takes a request answers it, also if it fails.
 */
public final class Request {
    private final ServerContext server;
    private final SwsStages stages;
    private final Connection connection;
    private final String path;
    private final String query;
    private final boolean takesGzip;
    private final Method method;
    private final boolean isLengthGiven;
    private final String contentType;
    private final String contentEncoding;
    private final @Nullable RequestBody body; // of a method that may have one
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
        method = head.method();
        isLengthGiven = head.isLengthGiven();
        contentType = head.contentType(exchange.in(), exchange.start);
        contentEncoding = head.contentEncoding(exchange.in(), exchange.start);
        body = method.mayHaveContent() ? new RequestBody(server.bodies) : null;
    }

    private static String text(Exchange exchange, int from, int end) {
        return new String(exchange.in(), exchange.start + from, end - from, StandardCharsets.UTF_8);
    }

    /**
     * Its method.
     *
     * @return GET, HEAD, POST, PUT, PATCH or DELETE
     */
    public Method method() {
        return method;
    }

    /**
     * Whether it says how long its body is.
     *
     * @return false if neither Content-Length nor chunks are announced: there is no body
     */
    public boolean isLengthGiven() {
        return isLengthGiven;
    }

    /**
     * The type of its body.
     *
     * @return as sent; empty if there is none, or more than one
     */
    public String contentType() {
        return contentType;
    }

    /**
     * The codings of its body.
     *
     * @return as sent; empty if there are none
     */
    public String contentEncoding() {
        return contentEncoding;
    }

    /**
     * The length of its body.
     *
     * @return bytes; 0 before the body is here
     */
    public long bodyBytes() {
        return body == null ? 0 : body.bytes();
    }

    /**
     * Its body. It can be read once, before the request is answered; what has been read is let go.
     *
     * @return of memory: it never waits
     */
    public InputStream body() {
        return body == null ? InputStream.nullInputStream() : body.stream();
    }

    RequestBody collected() {
        return Objects.requireNonNull(body);
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
        PreparedResponse response = prepare(answer);
        if (!isAnswered.compareAndSet(false, true)) {
            throw new IllegalStateException("answered twice: " + path);
        }
        release();
        connection.answer = response; // published by the send
        stages.sendAnswer(connection);
    }

    PreparedResponse prepare(Answer answer) {
        ResponseHead head = new ResponseHead(answer.status(), server.serverFields).length(answer.body().length);
        answer.fields().forEach(head::field);
        return PreparedResponse.onHeap(answer.status(), head, answer.body());
    }

    /** Nobody is going to answer it. */
    void discard() {
        if (isAnswered.compareAndSet(false, true)) {
            release();
        }
    }

    private void release() {
        if (body != null) {
            body.release();
        }
    }
}
