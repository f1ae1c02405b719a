// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.Connection.Next;
import io.mely.sws.Connection.State;
import io.mely.sws.http.BodySkipper;
import io.mely.sws.http.HeadParser;
import io.mely.sws.http.Method;
import io.mely.sws.http.RequestHead;
import io.mely.sws.http.Status;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The stage ParseRequest: one request from its first byte to the end of its body, however many events that takes.
 *
 * <p><b>Threads.</b> The color of the connection that is passed. <b>Costs.</b> See {@link HeadParser}.
 */
final class RequestParser {
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final int PREFACE_LINE_BYTES = "PRI * HTTP/2.0\r\n".length();

    private final ServerContext server;
    private final SwsStages stages;
    private final ConnectionLife life;
    private final ProxiedClients proxied;

    RequestParser(ServerContext server, SwsStages stages, ConnectionLife life) {
        this.server = server;
        this.stages = stages;
        this.life = life;
        proxied = new ProxiedClients(server);
    }

    void parse(Connection c) {
        if (c.state != State.PROCESSING) {
            return; // closed meanwhile
        }
        Exchange exchange = c.held();
        if (c.isInBody) {
            parseBody(c, exchange);
            return;
        }
        int answer = exchange.parser.parse(exchange.in(), exchange.start, exchange.end);
        if (answer == HeadParser.DONE) {
            c.isBegun = false;
            c.requests++;
            if (c.isProxied) {
                proxied.look(c, exchange.parser.head());
            }
            parseBodyStart(c, exchange);
        } else if (answer == HeadParser.NEED_MORE) {
            parseNeedMore(c, exchange);
        } else if (isPreface(c, exchange)) {
            byte[] input = Arrays.copyOfRange(exchange.in(), exchange.start, exchange.end);
            life.giveBackExchange(c);
            Http2Connection.begin(server, stages, life, c, input);
        } else {
            forgetClient(c);
            life.refuseAndEnd(c, counted(c, answer));
        }
    }

    /** A client that knows that this server speaks HTTP/2 begins with its preface, whose first line no server of HTTP/1.1 takes for a request (RFC 9113 3.3). */
    private boolean isPreface(Connection c, Exchange exchange) {
        int here = Math.min(exchange.end - exchange.start, PREFACE.length);
        return server.isHttp2
                && c.requests == 0
                && !c.link.isSecure()
                && here >= PREFACE_LINE_BYTES
                && Arrays.equals(exchange.in(), exchange.start, exchange.start + here, PREFACE, 0, here);
    }

    /** Whose a request of a proxy is, its head says when it is complete. */
    private static void forgetClient(Connection c) {
        if (c.isProxied) {
            c.forwarded = null;
            c.address = null;
        }
    }

    /** Refused or not, a request counts. */
    int counted(Connection c, int refusal) {
        if (mayAsk(c)) {
            return refusal;
        }
        server.own().counters.limited();
        return Status.TOO_MANY_REQUESTS;
    }

    private boolean mayAsk(Connection c) {
        long nowNs = c.held().nowNs;
        if (c.isProxied) {
            return stages.mayAsk(c.forwarded == null ? c.peer : c.forwarded, nowNs);
        }
        return c.client == null || c.client.mayAsk(nowNs);
    }

    private void parseNeedMore(Connection c, Exchange exchange) {
        if (exchange.hasOutput()) {
            // The requests before this one were pipelined; their answers go before we wait for the rest of it.
            life.write(c, Next.REQUEST);
            return;
        }
        if (!c.isBegun) {
            c.isBegun = true;
            forgetClient(c);
            life.deadline(c, exchange.nowNs, life.headerTimeoutNs);
        }
        c.state = State.READING;
        parseMore(c, exchange);
    }

    /** → ReadRequest, at once or when the loop reports something. */
    private void parseMore(Connection c, Exchange exchange) {
        if (c.isReadable) {
            stages.sendReadRequest(c);
        } else {
            exchange.leaveRegion();
        }
    }

    private void parseBodyStart(Connection c, Exchange exchange) {
        Application application = server.application;
        if (application != null && exchange.parser.head().method().mayHaveContent()) {
            parseIntake(c, exchange, application);
        } else {
            parseBodyStart(c, exchange, exchange.skipper.start(exchange.parser.head()));
        }
    }

    private void parseBodyStart(Connection c, Exchange exchange, int answer) {
        if (answer == BodySkipper.DONE) {
            parseEnd(c, exchange);
        } else if (answer == BodySkipper.NEED_MORE) {
            c.isInBody = true;
            life.awaitBody(c, exchange.nowNs);
            boolean isBodyHere = exchange.end > exchange.start + exchange.parser.headBytes();
            if (exchange.parser.head().expectsContinue() && !isBodyHere) {
                parseContinue(c, exchange);
            } else {
                parseBody(c, exchange);
            }
        } else {
            parseBodyRefused(c, answer);
        }
    }

    /** Asks the application about a body, before there is any. */
    private void parseIntake(Connection c, Exchange exchange, Application application) {
        RequestHead head = exchange.parser.head();
        boolean isAsked = !c.acceptor.isRedirecting() && !head.hasUnknownExpectation() && isHostServed(c);
        Request request = new Request(server, stages, c);
        Intake intake = isAsked ? application.intake(request) : Intake.none();
        if (intake.isNone()) {
            parseBodyStart(c, exchange, exchange.skipper.start(head));
            return;
        }
        int excess = excess(c);
        if (excess != 0) {
            parseExcess(c, exchange, excess);
            return;
        }
        Answer refusal = intake.refusal();
        if (refusal != null) {
            c.answer = request.prepare(refusal);
            parseBodyStart(c, exchange, exchange.skipper.start(head));
        } else {
            exchange.request = request;
            int answer = exchange.skipper.start(head, intake.bytesMax(), request.collected());
            parseBodyStart(c, exchange, answer);
        }
    }

    /** One request too many is not worth its body. */
    private void parseExcess(Connection c, Exchange exchange, int status) {
        RequestHead head = exchange.parser.head();
        if (head.body() == RequestHead.Body.NONE) {
            c.isLast |= isLast(c, head);
            life.refuse(c, status);
        } else {
            life.refuseAndEnd(c, status);
        }
    }

    /** Where a body ends is not known, or too far away. The application's answer still holds; but a fault of the framing is the client's. */
    private void parseBodyRefused(Connection c, int status) {
        c.isInBody = false;
        if (c.answer != null && status == Status.CONTENT_TOO_LARGE) {
            parseAnsweredEnd(c);
            return;
        }
        if (status == Status.SERVICE_UNAVAILABLE) {
            c.acceptor.tellShortOfMemory();
        }
        boolean isCounted = c.answer != null || c.held().request != null; // before the body
        life.refuseAndEnd(c, isCounted ? status : counted(c, status));
    }

    /** The application has answered, and nobody waits for the body. */
    private void parseAnsweredEnd(Connection c) {
        c.isLast = true;
        c.isLingerDue = true;
        stages.sendAnswer(c);
    }

    /** RFC 9110 10.1.1: a 100 if the body is wanted; otherwise the final answer, and whether a body follows is anybody's guess. */
    private void parseContinue(Connection c, Exchange exchange) {
        if (c.answer != null) {
            c.isInBody = false;
            parseAnsweredEnd(c);
            return;
        }
        int refusal = exchange.request != null ? 0 : refusal(exchange.parser.head());
        if (refusal != 0) {
            c.isInBody = false;
            life.refuseAndEnd(c, counted(c, refusal));
            return;
        }
        if (exchange.hasRoom(CONTINUE.length)) {
            exchange.out().put(CONTINUE);
        }
        life.write(c, Next.BODY);
    }

    private void parseBody(Connection c, Exchange exchange) {
        byte[] in = exchange.in();
        int from = exchange.start + exchange.parser.headBytes();
        if (exchange.request != null) {
            life.bodyProgress(c, exchange.nowNs, exchange.end - from);
        }
        int answer = exchange.skipper.skip(in, from, exchange.end);
        // What was skipped makes room; the head stays, it is still to be answered.
        int behind = from + exchange.skipper.consumed();
        System.arraycopy(in, behind, in, from, exchange.end - behind);
        exchange.end -= behind - from;
        if (answer == BodySkipper.DONE) {
            c.isInBody = false;
            parseEnd(c, exchange);
        } else if (answer == BodySkipper.NEED_MORE && exchange.hasOutput()) {
            life.write(c, Next.BODY); // as in parseNeedMore
        } else if (answer == BodySkipper.NEED_MORE) {
            c.state = State.SKIPPING;
            parseMore(c, exchange);
        } else {
            parseBodyRefused(c, answer);
        }
    }

    /** The request is complete. */
    private void parseEnd(Connection c, Exchange exchange) {
        RequestHead head = exchange.parser.head();
        c.isLast = isLast(c, head);
        if (c.answer != null) {
            stages.sendAnswer(c);
            return;
        }
        if (exchange.request != null) {
            stages.sendComplete(c);
            return;
        }
        int refusal = excess(c);
        if (refusal == 0 && !isHostServed(c)) {
            refusal = Status.MISDIRECTED_REQUEST;
        }
        if (refusal == 0) {
            refusal = refusal(head);
        }
        if (refusal != 0) {
            life.refuse(c, refusal);
        } else {
            stages.sendComplete(c);
        }
    }

    private boolean isHostServed(Connection c) {
        return server.sites().areFor(c.held());
    }

    private boolean isLast(Connection c, RequestHead head) {
        return !head.isPersistent()
                || c.requests == server.requestsMax
                || server.isDraining
                || head.method() == Method.CONNECT;
    }

    /** What is one request too many; 0 if it is none. */
    private int excess(Connection c) {
        if (c.isShed) {
            c.isShed = false;
            c.acceptor.tellOverload();
            server.own().counters.shed();
            return Status.SERVICE_UNAVAILABLE;
        }
        if (!mayAsk(c)) {
            server.own().counters.limited();
            return Status.TOO_MANY_REQUESTS;
        }
        return 0;
    }

    /** What is answered without a look at the files; 0 if nothing. */
    private static int refusal(RequestHead head) {
        if (head.hasUnknownExpectation()) {
            return Status.EXPECTATION_FAILED;
        }
        return switch (head.method()) {
            case GET, HEAD -> 0;
            case OPTIONS -> Status.NO_CONTENT;
            case CONNECT, POST, PUT, PATCH, DELETE, OTHER -> Status.METHOD_NOT_ALLOWED;
            case UNKNOWN -> Status.NOT_IMPLEMENTED;
        };
    }
}
