// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.SwsConfig.Transport;
import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsSettings;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

// What a request by HTTP/2 may be like (RFC 9113 8), bodies for an application, and what is said of it in the log.
class Http2RequestTest extends SwsServerHarness {
    private static final int BODY_MAX = 100_000;

    private final BlockingQueue<Request> held = new LinkedBlockingQueue<>();

    @Override
    Transport transport() {
        return Transport.AUTO;
    }

    private Http2Client started(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        start(change);
        return add(Http2Client.connect(server.localAddress(), false));
    }

    private Http2Client started() throws IOException {
        return started(builder -> builder);
    }

    private Http2Client add(Http2Client client) {
        clients.add(client);
        return client;
    }

    // Fields.

    private static String[] fields(String text) {
        String[] fields = text.split("[|=]", -1);
        for (int i = 0; i < fields.length; i++) {
            fields[i] = fields[i].replace("\\r", "\r").replace("\\n", "\n").replace("\\0", "\0");
        }
        return fields;
    }

    private static final List<String> MALFORMED = List.of(
            ":scheme=http|:path=/a.html|:authority=x",
            ":method=GET|:path=/a.html|:authority=x",
            ":method=GET|:scheme=http|:authority=x",
            ":method=GET|:scheme=http|:path=|:authority=x",
            ":method=GET|:scheme=http|:path=a.html|:authority=x",
            ":method=GET|:scheme=http|:path=http://x/a.html|:authority=x",
            ":method=GET|:scheme=http|:path=*|:authority=x",
            ":method=|:scheme=http|:path=/|:authority=x",
            ":method=GET /x|:scheme=http|:path=/|:authority=x",
            ":method=GET|:method=GET|:scheme=http|:path=/|:authority=x",
            ":method=GET|:scheme=http|:scheme=http|:path=/|:authority=x",
            ":method=GET|:scheme=http|:path=/|:path=/|:authority=x",
            ":method=GET|:scheme=http|:path=/|:authority=x|:authority=x",
            ":method=GET|:scheme=http|:path=/|:authority=x|:status=200",
            ":method=GET|:scheme=http|:path=/|:authority=x|:protocol=websocket",
            ":method=GET|:scheme=http|:path=/|a=b|:authority=x",
            ":method=GET|:scheme=http|:path=/|:authority=x|A=b",
            ":method=GET|:scheme=http|:path=/|:authority=x|=b",
            ":method=GET|:scheme=http|:path=/|:authority=x|a b=c",
            ":method=GET|:scheme=http|:path=/|:authority=x|a:=c",
            ":method=GET|:scheme=http|:path=/|:authority=x|a= b",
            ":method=GET|:scheme=http|:path=/|:authority=x|a=b\t",
            ":method=GET|:scheme=http|:path=/|:authority=x|a=b\\r\\nc: d",
            ":method=GET|:scheme=http|:path=/|:authority=x|a=b\\0",
            ":method=GET|:scheme=http|:path=/ HTTP/1.1\\r\\nx: y|:authority=x",
            ":method=GET|:scheme=http|:path=/|:authority=x\\n",
            ":method=GET|:scheme=http|:path=/|:authority=x|connection=close",
            ":method=GET|:scheme=http|:path=/|:authority=x|keep-alive=1",
            ":method=GET|:scheme=http|:path=/|:authority=x|proxy-connection=close",
            ":method=GET|:scheme=http|:path=/|:authority=x|transfer-encoding=chunked",
            ":method=GET|:scheme=http|:path=/|:authority=x|upgrade=h2c",
            ":method=GET|:scheme=http|:path=/|:authority=x|te=gzip",
            ":method=GET|:scheme=http|:path=/|:authority=x|host=y",
            ":method=GET|:scheme=http|:path=/|host=x|host=y",
            ":method=GET|:scheme=http|:path=/|:authority=x|content-length=1",
            ":method=GET|:scheme=http|:path=/|:authority=x|content-length=-1",
            ":method=GET|:scheme=http|:path=/|:authority=x|content-length=",
            ":method=GET|:scheme=http|:path=/|:authority=x|content-length=0|content-length=1",
            ":method=CONNECT|:scheme=http|:path=/|:authority=x",
            ":method=CONNECT");

    private static final List<String> WELL_FORMED = List.of(
            "200 :method=GET|:scheme=http|:path=/a.html|host=x",
            "200 :method=GET|:scheme=http|:path=/a.html|:authority=x|host=X",
            "200 :method=GET|:scheme=http|:path=/a.html|:authority=x|te=trailers",
            "200 :method=GET|:scheme=http|:path=/a.html|:authority=x|content-length=0",
            "400 :method=GET|:scheme=http|:path=/a.html?a b|:authority=x",
            "200 :method=GET|:scheme=http|:path=/a.html|:authority=x|cookie=a|cookie=b",
            "400 :method=GET|:scheme=http|:path=/a.html",
            "400 :method=GET|:scheme=http|:path=/a.html|:authority=",
            "400 :method=GET|:scheme=http|:path=/a.html|:authority=u@x",
            "400 :method=GET|:scheme=ftp|:path=/a.html|:authority=x",
            "400 :method=GET|:scheme=http|:path=/a\u0001|:authority=x",
            "421 :method=GET|:scheme=https|:path=/a.html|:authority=x",
            "417 :method=GET|:scheme=http|:path=/a.html|:authority=x|expect=tea");

    @Test
    void malformedRequests_areReset_andTheConnectionGoesOn() throws IOException {
        Http2Client client = started();
        for (String each : MALFORMED) {
            int stream = client.headers(true, fields(each));
            assertThat(client.resetOf(stream)).as(each).isEqualTo(Http2Error.PROTOCOL_ERROR);
        }
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
    }

    // Status and request.
    @Test
    void requests_thatAreWellFormed_areJudgedAsByHttp11() throws IOException {
        Http2Client client = started();
        for (String each : WELL_FORMED) {
            int stream = client.headers(true, fields(each.substring(4)));
            assertThat(client.response(stream).status()).as(each).isEqualTo(Integer.parseInt(each.substring(0, 3)));
        }
    }

    @Test
    void hosts_areLookedAt() throws IOException {
        Http2Client client = started(builder -> builder.set(SwsSettings.HOSTS, List.of("test")));
        assertThat(client.fetch("/a.html").status()).isEqualTo(200);
        int other = client.headers(true, fields(":method=GET|:scheme=http|:path=/a.html|:authority=other"));
        assertThat(client.response(other).status()).isEqualTo(421);
    }

    // Bodies.

    private final class Echo implements Application {
        @Override
        public Intake intake(Request request) {
            return request.path().equals("/refused") ? Intake.refused(Answer.text(415, "no")) : Intake.upTo(BODY_MAX);
        }

        @Override
        public boolean take(Request request) {
            if (request.path().startsWith("/later")) {
                return held.add(request);
            }
            if (request.path().equals("/fails")) {
                throw new IllegalStateException("planned");
            }
            if (!request.method().mayHaveContent()) {
                return false;
            }
            try {
                byte[] body = request.body().readAllBytes();
                request.answer(Answer.of(200, "text/plain", body).with("X-Length", "" + request.isLengthGiven()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return true;
        }
    }

    private Http2Client echoing() throws IOException {
        application = mely -> new Echo();
        return started();
    }

    @Test
    void body_isTheApplications_howeverItsEndIsSaid() throws IOException {
        Http2Client client = echoing();
        int known = client.request("POST", "/x", false, "content-length", "5");
        int open = client.request("PUT", "/x", false);
        int none = client.request("POST", "/x", true);
        client.data(known, "12", false).data(open, "abc", false).data(known, "345", true);
        assertThat(client.response(known).text()).isEqualTo("12345");
        client.data(open, "de", false).data(open, "", true);
        Http2Client.Response answer = client.response(open);
        assertThat(answer.text()).isEqualTo("abcde");
        assertThat(answer.field("x-length")).isEqualTo("true");
        assertThat(client.response(none).field("x-length")).isEqualTo("false");
        int withTrailers = client.request("POST", "/x", false);
        client.data(withTrailers, "body", false)
                .frame(
                        Http2Client.HEADERS,
                        Http2Client.END_HEADERS | Http2Client.END_STREAM,
                        withTrailers,
                        client.block("x-trailer", "1"));
        assertThat(client.response(withTrailers).text()).isEqualTo("body");
        int padded = client.request("POST", "/x", false);
        client.frame(Http2Client.DATA, 8 | Http2Client.END_STREAM, padded, (byte) 2, (byte) 'p', (byte) 0, (byte) 0);
        assertThat(client.response(padded).text()).isEqualTo("p");
    }

    @Test
    void body_longerThanAWindow_comes_asItsWindowIsGivenBack() throws IOException {
        Http2Client client = echoing();
        int stream = client.request("POST", "/x", false);
        int window = 65_535;
        int sent = 0;
        while (sent < BODY_MAX) {
            int n = Math.min(Math.min(window, 16_000), BODY_MAX - sent);
            if (n == 0) {
                Http2Client.Frame update = client.expect(Http2Client.WINDOW_UPDATE);
                window += update.stream() == stream ? update.number(0) : 0;
                continue;
            }
            client.data(stream, new byte[n], sent + n == BODY_MAX);
            sent += n;
            window -= n;
        }
        assertThat(client.response(stream).body()).hasSize(BODY_MAX);
    }

    @Test
    void body_thatIsNotAsAnnounced_isReset() throws IOException {
        Http2Client client = echoing();
        int less = client.request("POST", "/x", false, "content-length", "5");
        client.data(less, "1234", true);
        assertThat(client.resetOf(less)).isEqualTo(Http2Error.PROTOCOL_ERROR);
        int more = client.request("POST", "/x", false, "content-length", "5");
        client.data(more, "123456", false);
        assertThat(client.resetOf(more)).isEqualTo(Http2Error.PROTOCOL_ERROR);
        int second = client.request("POST", "/x", false);
        client.frame(Http2Client.HEADERS, Http2Client.END_HEADERS, second, client.block("a", "b"));
        assertThat(client.resetOf(second)).as("no end of the stream").isEqualTo(Http2Error.PROTOCOL_ERROR);
        int overrun = client.request("POST", "/later", false);
        for (int i = 0; i < 5; i++) {
            client.data(overrun, new byte[16_000], false); // read as it comes, so the window may be kept or not
        }
        client.reset(overrun, Http2Error.CANCEL);
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
    }

    @Test
    void body_isRefused_beforeItComes_orWhenItIsTooLong() throws IOException {
        Http2Client client = echoing();
        int refused = client.request("POST", "/refused", false, "content-length", "5", "expect", "100-continue");
        assertThat(client.response(refused).status()).isEqualTo(415);
        assertThat(client.resetOf(refused)).isEqualTo(Http2Error.NO_ERROR);
        int announced = client.request("POST", "/x", false, "content-length", "100001");
        assertThat(client.response(announced).status()).isEqualTo(413);
        int awaited = client.request("POST", "/x", false, "content-length", "2", "expect", "100-continue");
        client.flush();
        assertThat(client.firstOf(awaited).isEnd()).isFalse();
        assertThat(client.head(awaited)).containsOnly(java.util.Map.entry(":status", "100"));
        client.data(awaited, "ok", true);
        assertThat(client.response(awaited).text()).isEqualTo("ok");
    }

    // Answers come in any order: streams do not wait for each other.
    @Test
    void answers_thatComeLater_holdUpNobody_andMayComeForNobody() throws Exception {
        Http2Client client = echoing();
        int first = client.get("/later/1");
        int second = client.get("/later/2");
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
        Request one = held.poll(2, TimeUnit.MINUTES);
        Request two = held.poll(2, TimeUnit.MINUTES);
        two.answer(Answer.text(200, two.path()));
        assertThat(client.response(second).text()).isEqualTo("/later/2\n");
        client.reset(first, Http2Error.CANCEL).ping(1).expect(Http2Client.PING);
        one.answer(Answer.text(200, "nobody"));
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
    }

    // A handler that throws fails its stream, and no other.
    @Test
    void applicationThatFails_is500_andTheConnectionGoesOn() throws IOException {
        Http2Client client = echoing();
        int other = client.request("POST", "/x", false);
        client.data(other, "a", false);
        assertThat(client.fetch("/fails").status()).isEqualTo(500);
        client.data(other, "b", true);
        assertThat(client.response(other).text()).isEqualTo("ab");
        assertThat(server.requestStats().failures()).isEqualTo(1);
        client.close();
        server.close(PATIENCE);
        server = null; // the harness expects no failures
    }

    // What others see of it.

    @Test
    void log_saysHttp2() throws Exception {
        Path log = temp.resolve("log");
        Http2Client client = started(builder -> builder.set(SwsSettings.ACCESS_LOG, log.toString())
                .set(SwsSettings.CORES, 1)); // others write lines of their own
        client.fetch("/a.html?x=1", "user-agent", "test/1", "referer", "http://x/");
        client.response(client.request("HEAD", "/none", true));
        client.close();
        await(() -> server.requestStats().open() == 0);
        server.close(PATIENCE);
        List<String> lines = Files.readAllLines(log);
        assertThat(lines.get(0)).startsWith("127.0.0.1 ");
        assertThat(lines.get(0)).endsWith("\"GET /a.html?x=1 HTTP/2.0\" 200 5 \"http://x/\" \"test/1\"");
        assertThat(lines.get(1)).endsWith("\"HEAD /none HTTP/2.0\" 404 0 \"-\" \"-\"");
    }

    @Test
    void clientRate_countsStreams() throws IOException {
        slowClock(); // or the third comes when there is room for it again
        Http2Client client =
                started(builder -> builder.set(SwsSettings.CLIENT_RATE, 1).set(SwsSettings.CLIENT_BURST, 2));
        assertThat(client.fetch("/a.html").status()).isEqualTo(200);
        assertThat(client.fetch("/a.html").status()).isEqualTo(200);
        assertThat(client.fetch("/a.html").status()).isEqualTo(429);
    }

    // Refused or not, before its head is parsed or after: a request counts.
    @Test
    void clientRate_countsRequestsThatAreRefusedAtOnce() throws IOException {
        slowClock();
        Http2Client client =
                started(builder -> builder.set(SwsSettings.CLIENT_RATE, 1).set(SwsSettings.CLIENT_BURST, 1));
        String[] strange = {":method", "HEAD", ":scheme", "ftp", ":authority", "x", ":path", "/a.html"};
        assertThat(client.response(client.headers(true, strange)).status()).isEqualTo(400);
        assertThat(client.response(client.headers(true, strange)).status()).isEqualTo(429);
    }

    // RFC 9113 8.2.3: its parts are one field.
    @Test
    void cookie_inParts_isOneField() throws IOException {
        Http2Client client = started(builder -> builder);
        String[] crumbs = new String[2 * 150];
        for (int i = 0; i < crumbs.length; i += 2) {
            crumbs[i] = "cookie";
            crumbs[i + 1] = "c=" + i;
        }
        assertThat(client.fetch("/a.html", crumbs).status()).isEqualTo(200);
    }

    @Test
    void clientBeyondTheLimit_isToldByGoAway() throws IOException {
        start(builder -> builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                .set(TlsSettings.ENGINE, TlsEngine.AUTO)
                .set(SwsSettings.MAX_CLIENTS, 1));
        Http2Client first =
                add(Http2Client.dial(server.localAddress(), true, 0)).begin();
        int busy = first.request("POST", "/a.html", false, "content-length", "3");
        first.ping(0).expect(Http2Client.PING);
        Http2Client second = add(Http2Client.dial(server.localAddress(), true, 0));
        second.preface().settings().flush();
        assertThat(second.goAway()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
        first.data(busy, "abc", true);
        assertThat(first.response(busy).status()).isEqualTo(405);
    }

    @Test
    void switchedOff_nobodySpeaksIt() throws IOException {
        start(builder -> builder.set(SwsSettings.HTTP2, false));
        Http2Client client = add(Http2Client.dial(server.localAddress(), false, 0));
        client.preface().flush();
        assertThat(new String(client.socket().getInputStream().readNBytes(12), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("HTTP/1.1 505");
    }

    @Test
    void switchedOff_isNotOfferedByAlpn() throws IOException {
        start(builder -> builder.set(SwsSettings.HTTP2, false)
                .set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                .set(TlsSettings.ENGINE, TlsEngine.AUTO));
        Http2Client client = add(Http2Client.dial(server.localAddress(), true, 0));
        assertThat(client.protocol()).isEmpty();
    }
}
