// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.Connection.Next;
import io.mely.sws.Connection.State;
import io.mely.sws.files.AlwaysFields;
import io.mely.sws.files.ErrorPageFile;
import io.mely.sws.files.Fallbacks;
import io.mely.sws.files.FileEntry;
import io.mely.sws.files.FolderListing;
import io.mely.sws.files.RequestPath;
import io.mely.sws.files.UriText;
import io.mely.sws.http.ByteRange;
import io.mely.sws.http.Coding;
import io.mely.sws.http.Conditions;
import io.mely.sws.http.Cors;
import io.mely.sws.http.CorsRule;
import io.mely.sws.http.Method;
import io.mely.sws.http.MultipartRanges;
import io.mely.sws.http.PartialHeads;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.PreparedResponse.Option;
import io.mely.sws.http.RequestHead;
import io.mely.sws.http.ResponseHead;
import io.mely.sws.http.Status;
import io.mely.sws.rules.Gate;
import io.mely.sws.rules.Realm;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The stages CheckInCache, NotFound and BadRequest: they put the response into the connection's output. If the client has sent its next
 * request already, that is parsed before anything is written, so pipelined responses leave together.
 *
 * <p><b>Threads.</b> The color of the connection that is passed. <b>Costs.</b> A hit of a small file: one look-up and one copy;
 * nothing allocated.
 */
final class Responder {
    /** Bodies up to this size are copied behind their heads; longer ones are gathered. Both are one system call; a guess. */
    private static final int COPIED_BYTES_MAX = 4 << 10;

    private static final int HTTPS_PORT = 443;

    private static final byte[] NOTHING = {};

    private final ServerContext server;
    private final SwsStages stages;
    private final ConnectionLife life;
    private final Door door;
    private final Gatekeeper gatekeeper;

    Responder(ServerContext server, SwsStages stages, ConnectionLife life) {
        this.server = server;
        this.stages = stages;
        this.life = life;
        door = new Door(server);
        gatekeeper = new Gatekeeper(server, stages);
    }

    /** The stage CheckInCache. */
    void checkInCache(Connection c) {
        if (c.state != State.PROCESSING) {
            return; // closed meanwhile
        }
        ThreadState own = server.own();
        Exchange exchange = c.held();
        Site site = own.use(server.site(exchange));
        Gate gate = site.gate;
        if (c.acceptor.isRedirecting()) {
            redirectToTls(c, own, exchange);
            return;
        }
        if (gate == null) {
            c.loginRefusal = 0; // of rules that a reload has taken away
            exchange.user = null;
        } else if (!isOpen(c, gate, own, exchange)) {
            return;
        }
        FileEntry hit = findAsSent(own, exchange);
        if (hit == null) {
            RequestPath path = own.path;
            if (!setPath(path, exchange)) {
                c.refusal = Status.BAD_REQUEST;
                stages.sendBadRequest(c);
                return;
            }
            hit = own.cache.find(path.bytes(), 0, path.length(), exchange.nowNs);
        }
        if (hit == null) {
            exchange.judge = site;
            exchange.leaveRegion(); // it may wait for the disk
            stages.sendLoadFile(c);
        } else {
            respond(c, own, exchange, hit);
        }
    }

    /** The same target by https. The port is left out where it goes without saying, or there is none: at a Unix socket. */
    private void redirectToTls(Connection c, ThreadState own, Exchange exchange) {
        RequestHead head = exchange.parser.head();
        if (head.hostEnd() == 0) {
            life.refuse(c, Status.BAD_REQUEST); // HTTP/1.0 without Host: nobody knows where to
            return;
        }
        byte[] in = exchange.in();
        String host = ascii(in, exchange.start + head.hostStart(), exchange.start + head.hostEnd());
        int port = server.securePort;
        String location =
                "https://" + host.replaceFirst(":[0-9]*$", "") + (port == HTTPS_PORT || port == 0 ? "" : ":" + port)
                        + ascii(in, exchange.start + head.pathStart(), exchange.start + head.queryEnd());
        redirect(c, own, exchange, Status.MOVED_PERMANENTLY, location);
    }

    /** False if the rules of the site have the request answered otherwise. */
    private boolean isOpen(Connection c, Gate gate, ThreadState own, Exchange exchange) {
        Gatekeeper.Verdict verdict = gatekeeper.judge(c, gate, own, exchange);
        switch (verdict.kind()) {
            case OPEN -> {
                return true;
            }
            case FLUSH -> life.write(c, Next.RESPONSE);
            case PENDING -> exchange.leaveRegion();
            case MOVED -> redirect(c, own, exchange, verdict.status(), verdict.location());
            case REFUSED -> answerWithoutFile(c, own.site().errors(c.link).of(verdict.status()), verdict.realm());
        }
        return false;
    }

    private void redirect(Connection c, ThreadState own, Exchange exchange, int status, String location) {
        ResponseHead head = new ResponseHead(status, server.fields(c.link))
                .field("Location", location)
                .length(0);
        PreparedResponse response = PreparedResponse.onHeap(status, head, new byte[0]);
        if (appendHead(c, own, exchange, always(own, exchange, response), 0, 0)) {
            next(c, exchange);
        } else {
            makeRoom(c, exchange);
        }
    }

    /** UTF-8 in a target is encoded. */
    private static String ascii(byte[] in, int from, int end) {
        return UriText.toAscii(new String(in, from, end - from, StandardCharsets.UTF_8));
    }

    /** The stage LoadFile: what CheckInCache has not found, and nobody has loaded since. */
    void loadFile(Connection c) {
        if (c.state != State.PROCESSING) {
            return; // closed meanwhile
        }
        ThreadState own = server.own();
        Exchange exchange = c.held();
        if (own.use(server.site(exchange)) != exchange.judge) {
            life.unpin(c);
            stages.sendCheckInCache(c); // a reload came in between: its rules are asked
            return;
        }
        FolderListing begun = c.listing;
        FileEntry hit = begun == null ? load(own, exchange) : own.cache.step(begun, exchange.nowNs);
        if (begun != null && hit != null) {
            c.listing = null;
        } else if (hit != null && hit.listing() != null) {
            c.listing = hit.listing();
            own.cache.release(hit);
        }
        if (hit != null && hit.response().status() == Status.SERVICE_UNAVAILABLE && hit.listing() == null) {
            stages.makeRoom(); // it may be that no descriptor was left
        }
        if (c.listing != null) {
            stages.sendLoadFile(c); // others of this core have their turn between two steps
        } else {
            respond(c, own, exchange, Objects.requireNonNull(hit));
        }
    }

    private static FileEntry load(ThreadState own, Exchange exchange) {
        RequestPath path = own.path;
        boolean isPath = setPath(path, exchange);
        assert isPath : "CheckInCache has looked for it";
        FileEntry hit = own.cache.find(path.bytes(), 0, path.length(), exchange.nowNs);
        if (hit == null) {
            boolean isJson = exchange.parser.head().prefersJson(exchange.in(), exchange.start);
            hit = own.cache.load(path, exchange.nowNs, isJson);
        }
        return hit;
    }

    private void respond(Connection c, ThreadState own, Exchange exchange, FileEntry found) {
        FileEntry entry = found;
        Fallbacks fallbacks = own.site().fallbacks;
        if (fallbacks != null && entry.response().status() == Status.NOT_FOUND) {
            entry = fallback(own, exchange, entry, fallbacks);
        }
        if (entry.codings() != 0 && !isPartOfPlain(own, exchange, entry)) {
            Coding coding = exchange.parser.head().coding(exchange.in(), exchange.start, entry.codings());
            if (coding != null) {
                entry = own.cache.exchange(entry, coding, exchange.nowNs);
            }
        }
        try {
            if (entry.response().status() == Status.NOT_FOUND) {
                stages.sendNotFound(c);
            } else {
                answer(c, own, exchange, entry);
            }
        } finally {
            own.cache.release(entry);
        }
    }

    /** A part is asked for, and not by the tag of a coding: many clients send Accept-Encoding with each request, and cannot decode a part. */
    private static boolean isPartOfPlain(ThreadState own, Exchange exchange, FileEntry plain) {
        RequestHead head = exchange.parser.head();
        Conditions conditions = plain.conditions();
        return head.hasRange()
                && conditions != null
                && conditions.isRangeCurrent(exchange.in(), exchange.start, head, own.date.secondAt(exchange.nowNs));
    }

    /** The file that is sent in the place of nothing, or what was found: nothing. */
    private static FileEntry fallback(ThreadState own, Exchange exchange, FileEntry missing, Fallbacks fallbacks) {
        RequestHead head = exchange.parser.head();
        byte[] in = exchange.in();
        RequestPath path = own.path;
        if (!head.takesHtml(in, exchange.start) || !setPath(path, exchange)) {
            return missing;
        }
        byte[] file = fallbacks.of(path);
        if (file == null) {
            return missing;
        }
        own.cache.release(missing);
        FileEntry hit = own.cache.find(file, 0, file.length, exchange.nowNs);
        if (hit != null) {
            return hit;
        }
        path.set(file, 0, file.length);
        return own.cache.load(path, exchange.nowNs, false);
    }

    /** By the bytes of the request. Keys are canonical paths, so whatever is found is rightly found, and most requests end here. */
    private static @Nullable FileEntry findAsSent(ThreadState own, Exchange exchange) {
        RequestHead head = exchange.parser.head();
        int from = exchange.start + head.pathStart();
        int end = exchange.start + head.pathEnd();
        boolean isOther = head.isPathEncoded() || from == end || exchange.rewritten != null;
        return isOther ? null : own.cache.find(exchange.in(), from, end, exchange.nowNs);
    }

    /** Brings the path of a request, or what it is rewritten to, into canonical form; false if it is malformed. */
    private static boolean setPath(RequestPath path, Exchange exchange) {
        RequestHead head = exchange.parser.head();
        byte[] rewritten = exchange.rewritten;
        return rewritten == null
                ? path.set(exchange.in(), exchange.start + head.pathStart(), exchange.start + head.pathEnd())
                : path.set(rewritten, 0, rewritten.length);
    }

    private void answer(Connection c, ThreadState own, Exchange exchange, FileEntry entry) {
        RequestHead head = exchange.parser.head();
        PreparedResponse response = choose(own, exchange, head, entry);
        if (response.status() >= Status.BAD_REQUEST) {
            answerWithoutFile(c, response);
            return;
        }
        byte[] lines = isOfNoFile(entry, response) ? NOTHING : originLines(own, exchange, entry);
        if (isOfNoFile(entry, response)) {
            response = always(own, exchange, response);
        }
        if (head.hasRange() && head.method() == Method.GET && response == entry.response()) {
            List<ByteRange> ranges = ranges(own, exchange, head, entry);
            if (ranges != null) {
                answerRanges(c, own, exchange, entry, ranges);
                return;
            }
        }
        boolean hasBody = head.method() != Method.HEAD;
        int bodyBytes = hasBody ? response.bodyBytes() : 0;
        boolean isCopied = bodyBytes <= COPIED_BYTES_MAX;
        int needed =
                response.headBytes() + lines.length + PreparedResponse.OPTION_BYTES_MAX + (isCopied ? bodyBytes : 0);
        if (!exchange.hasRoom(needed)) {
            makeRoom(c, exchange);
            return;
        }
        byte[] date = own.date.at(exchange.nowNs);
        Option option = option(c, head);
        if (bodyBytes > 0 && isCopied) {
            response.appendAll(exchange.out(), date, option, lines);
        } else {
            response.appendHead(exchange.out(), date, option, lines);
        }
        boolean isEntry = response == entry.response();
        if (hasBody && isEntry && (!isCopied || entry.fileBytes() > 0)) {
            own.cache.pin(entry);
            c.pinned = entry;
            c.bodyRest = isCopied ? null : response.body();
            c.filePosition = 0;
            c.fileEnd = entry.fileBytes();
        }
        own.counters.response(response.status());
        long length = isEntry && entry.file() != null ? entry.fileBytes() : response.bodyBytes();
        log(c, own, exchange, response.status(), hasBody ? length : 0);
        next(c, exchange);
    }

    /** An error or a redirect; what is made of a file or a folder has the configured fields already. */
    private static boolean isOfNoFile(FileEntry entry, PreparedResponse response) {
        boolean isChosen = response == entry.response() || response == entry.notModified();
        return !isChosen || (entry.conditions() == null && response.status() != Status.OK);
    }

    /** The answer with the configured fields of all answers, if it is made of no file. */
    private static PreparedResponse always(ThreadState own, Exchange exchange, PreparedResponse response) {
        AlwaysFields always = own.site().always;
        return always == null
                ? response
                : always.addTo(
                        response, pathText(own, exchange), exchange.parser.head(), exchange.in(), exchange.start);
    }

    /** What is said to a page of another origin about what is made of a file or a folder. */
    private static byte[] originLines(ThreadState own, Exchange exchange, FileEntry entry) {
        RequestHead head = exchange.parser.head();
        AlwaysFields always = own.site().always;
        if (always == null || !head.hasOrigin()) {
            return NOTHING;
        }
        CorsRule rule = entry.conditions() == null ? always.corsOf(pathText(own, exchange)) : entry.cors();
        return Cors.lines(rule, head, exchange.in(), exchange.start);
    }

    private static PreparedResponse withOrigin(
            ThreadState own, Exchange exchange, FileEntry entry, PreparedResponse response) {
        byte[] lines = originLines(own, exchange, entry);
        return lines.length == 0 ? response : response.with(lines);
    }

    /** The path of a request; empty if there is none that can be read. */
    private static String pathText(ThreadState own, Exchange exchange) {
        RequestHead head = exchange.parser.head();
        return head.pathEnd() > head.pathStart() && setPath(own.path, exchange) ? own.path.toString() : "";
    }

    /** Null if the whole is to be sent. */
    private static @Nullable List<ByteRange> ranges(
            ThreadState own, Exchange exchange, RequestHead head, FileEntry entry) {
        Conditions conditions = entry.conditions();
        PartialHeads heads = entry.partialHeads();
        return conditions == null || heads == null
                ? null
                : conditions.ranges(
                        exchange.in(),
                        exchange.start,
                        head,
                        heads.size(),
                        own.date.secondAt(exchange.nowNs),
                        own.site().rangesMax);
    }

    private void answerRanges(
            Connection c, ThreadState own, Exchange exchange, FileEntry entry, List<ByteRange> ranges) {
        PartialHeads heads = Objects.requireNonNull(entry.partialHeads());
        boolean isAnswered;
        if (ranges.isEmpty()) {
            isAnswered = appendHead(c, own, exchange, always(own, exchange, heads.unsatisfiable()), 0, 0);
        } else if (ranges.size() == 1) {
            isAnswered = answerRange(c, own, exchange, entry, ranges.get(0));
        } else {
            isAnswered = answerParts(c, own, exchange, entry, heads.frame(ranges));
        }
        if (isAnswered) {
            next(c, exchange);
        } else {
            makeRoom(c, exchange);
        }
    }

    /** The response does not fit into the output: what is in there goes first. If nothing is, there is no memory for a larger one. */
    private void makeRoom(Connection c, Exchange exchange) {
        if (exchange.hasOutput()) {
            life.write(c, Next.RESPONSE);
        } else {
            life.refuse(c, Status.SERVICE_UNAVAILABLE);
        }
    }

    private boolean answerRange(Connection c, ThreadState own, Exchange exchange, FileEntry entry, ByteRange range) {
        boolean isFile = entry.file() != null;
        long bodyBytes = isFile ? 0 : range.end() - range.first();
        boolean isCopied = bodyBytes <= COPIED_BYTES_MAX;
        PreparedResponse response = withOrigin(
                own,
                exchange,
                entry,
                Objects.requireNonNull(entry.partialHeads()).single(range));
        long length = range.end() - range.first();
        if (!appendHead(c, own, exchange, response, isCopied ? (int) bodyBytes : 0, length)) {
            return false;
        }
        ByteBuffer part = isFile ? null : slice(entry, range);
        if (part != null && isCopied) {
            exchange.out().put(part);
        } else {
            pin(c, own, entry);
            c.bodyRest = part;
            c.filePosition = isFile ? range.first() : 0;
            c.fileEnd = isFile ? range.end() : 0;
        }
        return true;
    }

    /** Several parts: copied from memory, or from the file by the writer. */
    private boolean answerParts(
            Connection c, ThreadState own, Exchange exchange, FileEntry entry, MultipartRanges parts) {
        boolean isFile = entry.file() != null;
        PreparedResponse response = withOrigin(
                own,
                exchange,
                entry,
                Objects.requireNonNull(entry.partialHeads()).multipart(parts));
        int copiedBytes = isFile ? 0 : Math.toIntExact(parts.bytes());
        if (!appendHead(c, own, exchange, response, copiedBytes, parts.bytes())) {
            return false;
        }
        if (isFile) {
            pin(c, own, entry);
            c.filePosition = 0;
            c.fileEnd = 0;
            c.parts = parts;
            c.nextPart = 0;
        } else {
            for (int i = 0; i < parts.parts(); i++) {
                parts.appendHead(i, exchange.out());
                exchange.out().put(slice(entry, parts.range(i)));
            }
            parts.appendEnd(exchange.out());
        }
        return true;
    }

    /** False if it does not fit: see {@link #makeRoom}. */
    private boolean appendHead(
            Connection c, ThreadState own, Exchange exchange, PreparedResponse response, int moreBytes, long length) {
        if (!exchange.hasRoom(response.headBytes() + PreparedResponse.OPTION_BYTES_MAX + moreBytes)) {
            return false;
        }
        response.appendHead(exchange.out(), own.date.at(exchange.nowNs), option(c, exchange.parser.head()));
        own.counters.response(response.status());
        log(c, own, exchange, response.status(), length);
        return true;
    }

    private static ByteBuffer slice(FileEntry entry, ByteRange range) {
        ByteBuffer body = entry.response().body();
        return body.slice(body.position() + (int) range.first(), (int) (range.end() - range.first()));
    }

    private static void pin(Connection c, ThreadState own, FileEntry entry) {
        own.cache.pin(entry);
        c.pinned = entry;
    }

    private static PreparedResponse choose(ThreadState own, Exchange exchange, RequestHead head, FileEntry entry) {
        Conditions conditions = entry.conditions();
        PreparedResponse notModified = entry.notModified();
        if (head.isConditional() && conditions != null && notModified != null) {
            int status = conditions.evaluate(exchange.in(), exchange.start, head);
            if (status != Status.OK) {
                return status == Status.NOT_MODIFIED
                        ? notModified
                        : own.site().errors.of(status);
            }
        }
        String location = entry.location();
        if (location != null && (exchange.rewritten != null || hasEncodedSlash(exchange, head))) {
            location = entry.absoluteLocation(); // the client has another idea of the last name
        }
        if (location != null && (head.queryEnd() > head.pathEnd() || location.startsWith("/"))) {
            int from = exchange.start + head.pathEnd();
            int length = head.queryEnd() - head.pathEnd();
            String query = new String(exchange.in(), from, length, StandardCharsets.UTF_8);
            return own.site().cache.redirectTo(location + UriText.toAscii(query));
        }
        return entry.response();
    }

    private static boolean hasEncodedSlash(Exchange exchange, RequestHead head) {
        byte[] in = exchange.in();
        for (int i = exchange.start + head.pathStart(); i < exchange.start + head.pathEnd() - 2; i++) {
            if (in[i] == '%' && in[i + 1] == '2' && (in[i + 2] | 0x20) == 'f') {
                return true;
            }
        }
        return false;
    }

    /** The stage NotFound. */
    void notFound(Connection c) {
        if (c.state == State.PROCESSING) {
            answerWithoutFile(c, server.site(c.exchange).errors(c.link).of(Status.NOT_FOUND));
        }
    }

    /** The stage BadRequest. */
    void badRequest(Connection c) {
        if (c.state == State.PROCESSING) {
            boolean isOptions = c.refusal == Status.NO_CONTENT;
            answerWithoutFile(
                    c,
                    isOptions ? server.options(c.link) : server.errors(c.link).of(c.refusal));
        }
    }

    private void answerWithoutFile(Connection c, PreparedResponse prepared) {
        answerWithoutFile(c, prepared, null);
    }

    /** The same, which asks for a name and a password. */
    private void answerWithoutFile(Connection c, PreparedResponse prepared, @Nullable Realm realm) {
        ThreadState own = server.own();
        Exchange exchange = c.exchange;
        Site unused = own.use(server.site(exchange));
        if (exchange == null) {
            exchange = own.exchanges.take(); // refused before it has sent anything
            if (exchange == null) {
                door.dismiss(c.link, own);
                life.end(c);
                return;
            }
            exchange.nowNs = server.clock.nanoTime();
            c.exchange = exchange;
        }
        RequestHead head = exchange.parser.head();
        ErrorPageFile.Page page = own.site().page(prepared.status(), c.link, exchange.nowNs);
        PreparedResponse response = page == null ? prepared : page.head();
        response = realm == null ? response : response.with(realm.challenge());
        response = always(own, exchange, response);
        byte[] date = own.date.at(exchange.nowNs);
        boolean isHead = head.method() == Method.HEAD;
        if (isHead) {
            response.appendHead(exchange.out(), date, option(c, head));
        } else {
            response.appendAll(exchange.out(), date, option(c, head));
            c.bodyRest = page == null ? null : page.body().duplicate();
        }
        int bodyBytes = page == null ? response.bodyBytes() : page.body().remaining();
        own.counters.response(response.status());
        log(c, own, exchange, response.status(), isHead ? 0 : bodyBytes);
        next(c, exchange);
    }

    /** The stage Apply. Until the answer comes no event of the connection is on its way; so the answers before it go first. */
    void apply(Connection c, Application application) {
        if (c.state != State.PROCESSING) {
            return; // closed meanwhile
        }
        Exchange exchange = c.held();
        if (exchange.hasOutput()) {
            life.write(c, Next.RESPONSE);
            return;
        }
        Request request = exchange.request;
        exchange.request = null; // the application's from here on
        if (request == null) {
            request = new Request(server, stages, c);
        }
        if (isTaken(application, request)) {
            exchange.leaveRegion();
            return;
        }
        if (request.method().mayHaveContent()) {
            life.refuse(c, Status.METHOD_NOT_ALLOWED);
        } else {
            stages.sendCheckInCache(c);
        }
    }

    private static boolean isTaken(Application application, Request request) {
        boolean isTaken = false;
        try {
            isTaken = application.take(request);
        } finally {
            if (!isTaken) {
                request.discard();
            }
        }
        return isTaken;
    }

    /** The stage Answer. */
    void answerApplication(Connection c) {
        PreparedResponse made = c.answer;
        if (c.state != State.PROCESSING || made == null) {
            return; // closed meanwhile
        }
        ThreadState own = server.own();
        Exchange exchange = c.held();
        Site unused = own.use(server.site(exchange));
        PreparedResponse response = always(own, exchange, made);
        exchange.nowNs = server.clock.nanoTime();
        RequestHead head = exchange.parser.head();
        boolean hasBody = head.method() != Method.HEAD;
        int bodyBytes = hasBody ? response.bodyBytes() : 0;
        if (!exchange.hasRoom(response.headBytes() + PreparedResponse.OPTION_BYTES_MAX + bodyBytes)) {
            if (!exchange.hasOutput()) {
                c.answer = null;
            }
            makeRoom(c, exchange);
            return;
        }
        c.answer = null;
        byte[] date = own.date.at(exchange.nowNs);
        if (hasBody) {
            response.appendAll(exchange.out(), date, option(c, head));
        } else {
            response.appendHead(exchange.out(), date, option(c, head));
        }
        own.counters.response(response.status());
        log(c, own, exchange, response.status(), bodyBytes);
        next(c, exchange);
    }

    /** When the answer begins: the request is still at hand, and what the client will take of the answer is not known yet. */
    private static void log(Connection c, ThreadState own, Exchange exchange, int status, long bodyBytes) {
        if (own.log != null) {
            RequestLog.add(own.log, c, own.date.secondAt(exchange.nowNs), exchange, status, bodyBytes);
        }
    }

    private static Option option(Connection c, RequestHead head) {
        return c.isLast ? Option.CLOSE : head.isHttp10() ? Option.KEEP_ALIVE : Option.NONE;
    }

    /** The response stands in the output: on to the next request that is here already, or to writing. */
    private void next(Connection c, Exchange exchange) {
        if (!c.isLingerDue) {
            exchange.consume(exchange.parser.headBytes());
            if (!c.isLast
                    && c.pinned == null
                    && c.bodyRest == null
                    && exchange.hasInput()
                    && exchange.out().remaining() >= server.sites().roomMin) {
                stages.sendParseRequest(c);
                return;
            }
        }
        life.write(c, c.isLast ? Next.CLOSE : Next.REQUEST);
    }
}
