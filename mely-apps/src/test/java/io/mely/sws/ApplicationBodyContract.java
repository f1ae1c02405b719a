// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

// Bodies that an application takes: however they are framed and split, and whoever comes before and behind them on the
// connection.
// Each test ends with all memory given back (see the harness).
abstract class ApplicationBodyContract extends SwsServerHarness {
    private static final int BODY_MAX = 1 << 20;
    private static final int SKIPPED_MAX = 2_000;

    /** So many bytes of a body buy it once more. */
    private static final int RENEWING_BYTES = 10_000;

    private static final Duration BODY_TIMEOUT = Duration.ofSeconds(RENEWING_BYTES);

    private final BlockingQueue<Request> held = new LinkedBlockingQueue<>();
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private boolean isDrainAwaited;

    /** Sends back what it gets below /echo, keeps what is below /later, and refuses /refused. */
    private final class Echo implements Application {
        @Override
        public Intake intake(Request request) {
            if (request.path().startsWith("/refused")) {
                return Intake.refused(Answer.text(415, "no " + request.contentType()));
            }
            if (request.path().equals("/intake-fails")) {
                throw new IllegalStateException("planned");
            }
            return request.path().equals("/a.html") ? Intake.none() : Intake.upTo(BODY_MAX);
        }

        @Override
        public boolean take(Request request) {
            if (request.path().startsWith("/later")) {
                return held.add(request);
            }
            if (request.path().equals("/take-fails")) {
                throw new IllegalStateException("planned");
            }
            if (!request.path().startsWith("/echo")) {
                return false;
            }
            request.answer(echo(request));
            return true;
        }

        @Override
        public CompletionStage<?> drain() {
            return isDrainAwaited ? ended : CompletableFuture.completedFuture(true);
        }
    }

    private static Answer echo(Request request) {
        try {
            return Answer.of(200, "application/octet-stream", request.body().readAllBytes())
                    .with("X-Method", request.method() + " " + request.bodyBytes())
                    .with("X-Type", request.contentType() + "|" + request.contentEncoding());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RawClient started() throws IOException {
        application = mely -> new Echo();
        start(builder -> builder.set(SwsSettings.BODY_MAX, SKIPPED_MAX)
                .set(SwsSettings.BODY_TIMEOUT, BODY_TIMEOUT)
                .set(SwsSettings.WRITE_RATE_MIN, 1));
        return connect();
    }

    private static String post(String target, String body) {
        return "POST " + target + " HTTP/1.1\r\n" + HOST + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\n" + HOST + "\r\n";
    }

    private static String chunkedHead(String target) {
        return "POST " + target + " HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n";
    }

    private Request later() throws InterruptedException {
        Request request = held.poll(RawClient.TIMEOUT_MS, TimeUnit.MILLISECONDS);
        assertThat(request).isNotNull();
        return request;
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
    void body_isTheApplications(String method) throws IOException {
        RawClient client = started();
        client.send(method + " /echo HTTP/1.1\r\n" + HOST
                + "content-TYPE:  text/plain;a=b \r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello");
        RawClient.Response response = client.response();
        assertThat(response.text()).isEqualTo("hello");
        assertThat(response.field("x-method")).isEqualTo(method + " 5");
        assertThat(response.field("x-type")).isEqualTo("text/plain;a=b|gzip");
        client.send(get("/a.html"));
        assertThat(client.response().text()).isEqualTo("hello");
    }

    // Which of two types would count, nobody can say; and two codings are not none.
    @Test
    void fieldsThatComeTwice_areNotTakenForOne() throws IOException {
        RawClient client = started();
        client.send("POST /echo HTTP/1.1\r\n" + HOST + "Content-Type: a/b\r\nContent-Type: c/d\r\n"
                + "Content-Encoding: gzip\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx" + post("/echo", "y"));
        assertThat(client.response().field("x-type")).isEqualTo("|?");
        assertThat(client.response().field("x-type"))
                .as("the next request has none")
                .isEqualTo("|");
    }

    @Test
    void requestWithoutABody_isAsked() throws IOException {
        RawClient client = started();
        client.send("POST /echo HTTP/1.1\r\n" + HOST + "\r\n" + post("/echo", ""));
        assertThat(client.response().field("x-method")).isEqualTo("POST 0");
        assertThat(client.response().field("x-method")).isEqualTo("POST 0");
    }

    // Bytes that come one by one, in all positions of the head, the framing and the trailers.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 11~~hello world",
                "Transfer-Encoding: chunked~~5;x=y~hello~6~ world~0~Trailer: ignored~~",
                "Transfer-Encoding: chunked~~1~h~b~ello world!~0~~"
            })
    void fragments_areTheSame(String framed) throws IOException {
        RawClient client = started();
        String request = "POST /echo HTTP/1.1\r\n" + HOST + framed.replace("~", "\r\n");
        for (int i = 0; i < request.length(); i++) {
            client.send(request.substring(i, i + 1));
        }
        assertThat(client.response().text()).startsWith("hello world");
        client.send(request + get("/a.html"));
        assertThat(client.response().text()).startsWith("hello world");
        assertThat(client.response().text()).isEqualTo("hello");
    }

    @Test
    void largeBody_comesWhole() throws IOException {
        RawClient client = started();
        String body = "0123456789abcdef".repeat(BODY_MAX / 16);
        client.send(post("/echo", body));
        assertThat(client.response().text()).isEqualTo(body);
        client.send(chunkedHead("/echo") + "100000\r\n" + body + "\r\n0\r\n\r\n");
        assertThat(client.response().text()).isEqualTo(body);
    }

    // The body ends where it ends, and the answers come in order.
    @Test
    void pipelinedRequests_beforeAndBehindBodies() throws Exception {
        RawClient client = started();
        client.send(get("/a.html") + post("/echo", "one") + get("/a.html") + post("/later", "two")
                + chunkedHead("/echo") + "3\r\nGET\r\n0\r\n\r\n" + get("/a.html"));
        assertThat(client.response().text()).isEqualTo("hello");
        assertThat(client.response().text()).isEqualTo("one");
        assertThat(client.response().text()).isEqualTo("hello");
        Request request = later();
        request.answer(echo(request));
        assertThat(client.response().text()).isEqualTo("two");
        assertThat(client.response().text()).isEqualTo("GET");
        assertThat(client.response().text()).isEqualTo("hello");
    }

    @Test
    void http10_closesOrKeepsAsAsked() throws IOException {
        RawClient client = started();
        client.send("POST /echo HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nab");
        RawClient.Response response = client.response();
        assertThat(response.text()).isEqualTo("ab");
        assertThat(response.field("connection")).isEqualTo("keep-alive");
        client.send("POST /echo HTTP/1.0\r\nContent-Length: 2\r\n\r\ncd");
        assertThat(client.response().text()).isEqualTo("cd");
        assertThat(client.isEnded()).isTrue();
    }

    // 100 before the body if it is wanted, and not if it is here already.
    @Test
    void expectContinue_isAnsweredBeforeTheBody() throws IOException {
        RawClient client = started();
        String head = "POST /echo HTTP/1.1\r\n" + HOST + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n";
        client.send(head);
        client.readHead();
        assertThat(client.readRest().status()).isEqualTo(100);
        client.send("hello");
        assertThat(client.response().text()).isEqualTo("hello");
        client.send(head + "again");
        assertThat(client.response().text()).isEqualTo("again");
    }

    @ParameterizedTest
    @CsvSource({"/refused, 5, 415", "/echo, 1048577, 413", "/a.html, 5, 405", "/refused, 9999999, 415"})
    void expectContinue_isRefusedWithoutTheBody(String target, int length, int status) throws IOException {
        RawClient client = started();
        client.send("POST " + target + " HTTP/1.1\r\n" + HOST
                + "Content-Type: a/b\r\nExpect: 100-continue\r\nContent-Length: " + length + "\r\n\r\n");
        RawClient.Response response = client.response();
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.field("connection")).isEqualTo("close");
        client.shutdownOutput();
        assertThat(client.isEnded()).isTrue();
    }

    @Test
    void unknownExpectation_is417_andNobodyIsAsked() throws IOException {
        RawClient client = started();
        client.send("POST /intake-fails HTTP/1.1\r\n" + HOST + "Expect: tea\r\nContent-Length: 2\r\n\r\nab");
        assertThat(client.response().status()).isEqualTo(417);
    }

    // What the application does not want is read away, and the connection goes on.
    @Test
    void refusedBody_isSkipped() throws IOException {
        RawClient client = started();
        client.send("POST /refused HTTP/1.1\r\n" + HOST + "Content-Type: a/b\r\nContent-Length: 5\r\n\r\nhello"
                + chunkedHead("/refused") + "5\r\nhello\r\n0\r\n\r\n" + get("/a.html"));
        RawClient.Response response = client.response();
        assertThat(response.status()).isEqualTo(415);
        assertThat(response.text()).isEqualTo("no a/b\n");
        assertThat(client.response().status()).isEqualTo(415);
        assertThat(client.response().text()).isEqualTo("hello");
    }

    // Too much to be read away: the application's answer, and the end.
    @Test
    void refusedBody_tooLongToSkip() throws IOException {
        RawClient client = started();
        client.send("POST /refused HTTP/1.1\r\n" + HOST + "Content-Length: " + (SKIPPED_MAX + 1) + "\r\n\r\nhello");
        RawClient.Response response = client.response();
        assertThat(response.status()).isEqualTo(415);
        assertThat(response.field("connection")).isEqualTo("close");
        RawClient other = connect();
        other.send(chunkedHead("/refused") + "fff\r\n");
        assertThat(other.response().status()).isEqualTo(415);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5\r\nhelloX", "x\r\n", "5;=\r\n", "5\r\nhello\r\n0\r\nbad trailer\r\n\r\n"})
    void malformedChunks_are400(String chunks) throws IOException {
        for (String target : new String[] {"/echo", "/refused"}) {
            RawClient client = server == null ? started() : connect();
            client.send(chunkedHead(target) + chunks);
            assertThat(client.response().status()).isEqualTo(400);
            client.shutdownOutput();
            assertThat(client.isEnded()).isTrue();
        }
    }

    @Test
    void oversize_is413_whenItIsAnnouncedOrCome() throws IOException {
        RawClient client = started();
        client.send("POST /echo HTTP/1.1\r\n" + HOST + "Content-Length: " + (BODY_MAX + 1) + "\r\n\r\nhello");
        assertThat(client.response().status()).isEqualTo(413);
        RawClient chunked = connect();
        chunked.send(chunkedHead("/echo") + "5\r\nhello\r\nfffff\r\n");
        assertThat(chunked.response().status()).isEqualTo(413);
    }

    // What is left to the files has none of these methods; and without intake all is as before.
    @Test
    void otherTargets_are405() throws IOException {
        RawClient client = started();
        client.send(post("/a.html", "x") + post("/left", "y") + get("/a.html"));
        RawClient.Response response = client.response();
        assertThat(response.status()).isEqualTo(405);
        assertThat(response.field("allow")).isEqualTo("GET, HEAD, OPTIONS");
        assertThat(client.response().status()).isEqualTo(405);
        assertThat(client.response().text()).isEqualTo("hello");
    }

    @Test
    void slowBody_is408() throws IOException {
        RawClient client = started();
        client.send("POST /echo HTTP/1.1\r\n" + HOST + "Content-Length: 100000\r\n\r\nhello");
        await(() -> server.bodyBytes() > 0);
        advanceUntil(BODY_TIMEOUT, () -> server.requestStats().timeouts() == 1);
        assertThat(client.response().status()).isEqualTo(408);
    }

    // Whoever keeps sending may take as long as it takes.
    @Test
    void steadyBody_mayTakeLongerThanTheTimeout() throws IOException {
        RawClient client = started();
        client.send(chunkedHead("/echo"));
        String part = "p".repeat(RENEWING_BYTES);
        for (int i = 0; i < 3; i++) {
            client.send(Integer.toHexString(RENEWING_BYTES) + "\r\n" + part + "\r\n");
            if (i < 2) {
                long wanted = (long) RENEWING_BYTES * (i + 1);
                await(() -> server.bodyBytes() >= wanted);
                jump(BODY_TIMEOUT.multipliedBy(3).dividedBy(4));
            }
        }
        client.send("0\r\n\r\n");
        assertThat(client.response().text()).isEqualTo(part.repeat(3));
    }

    @Test
    void clientThatLeavesInTheBody_holdsNothing() throws IOException {
        RawClient client = started();
        client.send("POST /echo HTTP/1.1\r\n" + HOST + "Content-Length: 100000\r\n\r\n" + "x".repeat(50_000));
        await(() -> server.bodyBytes() >= 50_000);
        client.reset();
        await(() -> server.bodyBytes() == 0);
        RawClient half = connect();
        half.send(chunkedHead("/echo") + "5\r\nhe");
        half.shutdownOutput();
        assertThat(half.isEnded()).isTrue();
        await(() -> server.bodyBytes() == 0);
    }

    // A client that is gone before its answer: the application is not told, and the memory comes back with the answer.
    @Test
    void clientThatLeavesBeforeTheAnswer_isAnsweredAllTheSame() throws Exception {
        RawClient client = started();
        client.send(post("/later", "x".repeat(5_000)));
        Request request = later();
        client.reset();
        assertThat(server.bodyBytes()).isGreaterThanOrEqualTo(5_000);
        request.answer(echo(request));
        assertThat(server.bodyBytes()).isZero();
    }

    // Beyond the memory for bodies clients are answered 503; who is in already gets its answer, and so does who comes
    // later.
    @Test
    void memoryThatIsUsedUp_is503() throws Exception {
        application = mely -> new Echo();
        start(builder ->
                builder.set(SwsSettings.BODY_TIMEOUT, BODY_TIMEOUT)); // as much as a third of the heap has to come
        long max = server.bodyBytesMax();
        String body = "x".repeat(BODY_MAX);
        byte[] whole = post("/later", body).getBytes(StandardCharsets.ISO_8859_1);
        int fitting = (int) (max / BODY_MAX);
        List<Request> waiting = new ArrayList<>();
        List<RawClient> owners = new ArrayList<>();
        try {
            for (int i = 0; i < fitting; i++) {
                owners.add(connect().send(whole, 0, whole.length));
                waiting.add(later());
            }
            RawClient client = connect();
            int sent = (int) (max - (long) fitting * BODY_MAX) + 1; // one byte more than is left
            client.send("POST /later HTTP/1.1\r\n" + HOST + "Content-Length: " + BODY_MAX + "\r\n\r\n"
                    + body.substring(0, sent));
            RawClient.Response refused = client.response();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.field("retry-after")).isEqualTo("1");
            assertThat(connect().fetch("/a.html").text()).as("files are served").isEqualTo("hello");
        } finally {
            waiting.forEach(request -> request.answer(Answer.text(200, "late")));
        }
        for (RawClient each : owners) {
            assertThat(each.response().text()).isEqualTo("late\n");
        }
        assertThat(server.bodyBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/intake-fails", "/take-fails"})
    void applicationThatFails_is500(String target) throws IOException {
        RawClient client = started();
        client.send(post(target, "hello"));
        RawClient.Response response = client.response();
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.field("connection")).isEqualTo("close");
        assertThat(server.bodyBytes()).isZero();
        assertThat(server.requestStats().failures()).isEqualTo(1);
        client.close(); // or the close would wait for it
        server.close(PATIENCE);
        server = null; // the harness expects no failures
    }

    @Test
    void clientRate_isCountedOnce_beforeTheBody() throws IOException {
        application = mely -> new Echo();
        slowClock(); // or the third comes when there is room for it again
        start(builder -> builder.set(SwsSettings.CLIENT_RATE, 1)
                .set(SwsSettings.CLIENT_BURST, 2)
                .set(SwsSettings.BODY_MAX, SKIPPED_MAX));
        RawClient client = connect();
        client.send(post("/echo", "a") + post("/echo", "b"));
        assertThat(client.response().text()).isEqualTo("a");
        assertThat(client.response().text()).isEqualTo("b");
        client.send("POST /echo HTTP/1.1\r\n" + HOST + "Content-Length: 100\r\n\r\n");
        assertThat(client.response().status()).as("the body has not come").isEqualTo(429);
    }

    // A close waits for the answer, and then for what the application still does.
    @Test
    void close_waitsForTheAnswer_andForTheApplication() throws Exception {
        isDrainAwaited = true;
        RawClient client = started();
        client.send(post("/later", "last"));
        Request request = later();
        CompletableFuture<Boolean> closed = CompletableFuture.supplyAsync(() -> server.close(PATIENCE));
        request.answer(echo(request));
        assertThat(client.response().text()).isEqualTo("last");
        assertThat(closed).isNotDone();
        ended.complete(true);
        assertThat(closed.get(2, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void close_saysThatTheApplicationWasCut() throws Exception {
        isDrainAwaited = true;
        started();
        assertThat(server.close(Duration.ofMillis(1))).isFalse();
        ended.complete(true);
    }

    @Test
    void echoedBytes_areTheOnesSent() throws IOException {
        RawClient client = started();
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 256; i++) {
            all.append((char) i);
        }
        client.send(post("/echo", all.toString()));
        assertThat(client.response().body()).isEqualTo(all.toString().getBytes(StandardCharsets.ISO_8859_1));
    }
}
