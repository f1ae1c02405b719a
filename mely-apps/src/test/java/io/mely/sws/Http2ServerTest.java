// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.mely.sws.SwsConfig.Transport;
import io.mely.sws.tls.TlsEngine;
import io.mely.sws.tls.TlsSettings;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

// What HTTP/1.1 answers, HTTP/2 answers, by TLS and without; and flow control, drain and the end.
@ParameterizedClass
@ValueSource(booleans = {false, true})
class Http2ServerTest extends SwsServerHarness {
    private final boolean isSecure;

    Http2ServerTest(boolean isSecure) {
        this.isSecure = isSecure;
    }

    @Override
    Transport transport() {
        return Transport.AUTO;
    }

    @Override
    RawClient dial(int receiveBytes) throws IOException {
        return isSecure
                ? new RawClient(server.localAddress(), receiveBytes, TlsFiles.clients())
                : super.dial(receiveBytes);
    }

    /** What the session alone does is the same by TLS. */
    private void onlyOnce() {
        assumeThat(isSecure).isFalse();
    }

    private Http2Client started(UnaryOperator<SwsConfig.Builder> change) throws IOException {
        start(builder -> change.apply(
                isSecure
                        ? builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                                .set(TlsSettings.ENGINE, TlsEngine.AUTO)
                        : builder));
        return add(Http2Client.connect(server.localAddress(), isSecure));
    }

    private Http2Client started() throws IOException {
        return started(builder -> builder);
    }

    private Http2Client add(Http2Client client) {
        clients.add(client);
        return client;
    }

    private Http2Client begun(int receiveBytes, int... settings) throws IOException {
        return add(
                Http2Client.dial(server.localAddress(), isSecure, receiveBytes).begin(settings));
    }

    // Files.

    @Test
    void requests_areAnswered_asByHttp11() throws IOException {
        Http2Client client = started();
        Http2Client.Response file = client.fetch("/a.html");
        assertThat(file.status()).isEqualTo(200);
        assertThat(file.text()).isEqualTo("hello");
        assertThat(file.field("content-type")).isEqualTo("text/html; charset=utf-8");
        assertThat(file.fields()).containsKeys("date", "etag", "last-modified", "content-length");
        assertThat(file.fields()).doesNotContainKeys("connection", "keep-alive", "transfer-encoding");
        assertThat(client.fetch("/c.txt").text()).isEqualTo("c".repeat(20_000));
        assertThat(client.fetch("/large.bin").body()).isEqualTo(LARGE_CONTENT);
        assertThat(client.fetch("/dir").status()).isEqualTo(301);
        assertThat(client.fetch("/none").status()).isEqualTo(404);
        assertThat(client.fetch("/../secret.txt").status()).isIn(400, 403, 404);
        assertThat(client.fetch("/a.html", "if-none-match", file.field("etag")).status())
                .isEqualTo(304);
        Http2Client.Response part = client.fetch("/large.bin", "range", "bytes=1000000-1099999");
        assertThat(part.status()).isEqualTo(206);
        assertThat(part.body()).isEqualTo(Arrays.copyOfRange(LARGE_CONTENT, 1_000_000, 1_100_000));
        Http2Client.Response parts = client.fetch("/large.bin", "range", "bytes=0-9,100000-199999,300000-300009");
        assertThat(parts.status()).isEqualTo(206);
        assertThat(parts.body()).hasSize(Integer.parseInt(parts.field("content-length")));
        assertThat(client.response(client.request("HEAD", "/c.txt", true)).field("content-length"))
                .isEqualTo("20000");
        assertThat(client.response(client.request("OPTIONS", "*", true)).status())
                .isEqualTo(204);
        assertThat(client.response(client.request("BREW", "/a.html", true)).status())
                .isEqualTo(501);
        assertThat(client.fetch("/" + "x".repeat(9_000)).status()).isEqualTo(414);
        int connect = client.headers(true, ":method", "CONNECT", ":authority", "test:1");
        assertThat(client.response(connect).status()).isEqualTo(405);
    }

    @Test
    void requests_thatComeTogether_areAllAnswered() throws IOException {
        Http2Client client = started();
        List<Integer> streams = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            streams.add(client.get(i % 50 == 0 ? "/large.bin" : "/b.txt"));
        }
        for (int i = streams.size() - 1; i >= 0; i--) {
            int size = i % 50 == 0 ? LARGE : 3_000;
            assertThat(client.response(streams.get(i)).body()).hasSize(size);
        }
    }

    // What operators see of them: begun, ended, reset by the client, refused; after the end of the connection none is
    // open.
    @Test
    void streams_areCounted() throws IOException {
        Http2Client client = started(builder -> builder.set(SwsSettings.HTTP2_STREAMS_MAX, 2))
                .generous(false);
        assertThat(client.fetch("/a.html").status()).isEqualTo(200);
        int first = client.get("/large.bin");
        client.get("/large.bin"); // both wait for a window
        assertThat(client.resetOf(client.get("/a.html"))).isEqualTo(Http2Error.REFUSED_STREAM);
        await(() -> server.requestStats().streams().equals(new StreamStats(3, 1, 0, 1)));
        client.reset(first, Http2Error.CANCEL).reset(first, Http2Error.CANCEL).flush();
        await(() -> server.requestStats().streams().equals(new StreamStats(3, 2, 1, 1)));
        client.close();
        await(() -> server.requestStats().streams().equals(new StreamStats(3, 3, 1, 1)));
    }

    // A client of HTTP/1.1 is served as before, whatever others speak.
    @Test
    void http11_isSpokenOnTheSamePort() throws IOException {
        Http2Client client = started();
        assertThat(connect().fetch("/a.html").text()).isEqualTo("hello");
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
    }

    @Test
    void body_thatNobodyWants_isRead_andTheConnectionGoesOn() throws IOException {
        Http2Client client = started(builder -> builder.set(SwsSettings.BODY_MAX, 50_000));
        int known = client.request("POST", "/a.html", false, "content-length", "5");
        client.data(known, "12345", true);
        assertThat(client.response(known).status()).isEqualTo(405);
        int open = client.request("POST", "/a.html", false);
        client.data(open, new byte[16_000], false).data(open, new byte[0], true);
        assertThat(client.response(open).status()).isEqualTo(405);
        int announced = client.request("POST", "/a.html", false, "content-length", "200000");
        assertThat(client.response(announced).status()).isEqualTo(413);
        assertThat(client.resetOf(announced)).isEqualTo(Http2Error.NO_ERROR);
        client.data(announced, new byte[16_000], false); // was on its way
        int tooLong = client.request("POST", "/a.html", false);
        for (int i = 0; i < 4; i++) {
            client.data(tooLong, new byte[16_000], false);
        }
        assertThat(client.response(tooLong).status()).isEqualTo(413);
        int slow = client.request("POST", "/a.html", false, "content-length", "5", "expect", "100-continue");
        assertThat(client.response(slow).status()).isEqualTo(405);
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
    }

    // Flow control.

    @Test
    void windows_areKept_andNoOtherStreamWaits() throws IOException {
        started();
        Http2Client client = begun(0, Http2Client.INITIAL_WINDOW_SIZE, 1_000).generous(false);
        int large = client.get("/large.bin");
        assertThat(client.expect(Http2Client.DATA).payload()).hasSize(1_000);
        client.ping(1).expect(Http2Client.PING); // nothing else has come
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
        client.window(large, 1);
        assertThat(client.expect(Http2Client.DATA).payload()).hasSize(1);
        client.settings(Http2Client.INITIAL_WINDOW_SIZE, 3_000);
        assertThat(client.expect(Http2Client.DATA).payload()).as("2,000 more").hasSize(2_000);
        client.settings(Http2Client.INITIAL_WINDOW_SIZE, 0).window(large, 3_000);
        client.ping(2).expect(Http2Client.PING); // the window was below 0, and is 0 now
        client.window(large, 7);
        assertThat(client.expect(Http2Client.DATA).payload()).hasSize(7);
        client.reset(large, Http2Error.CANCEL);
        assertThat(client.response(client.request("HEAD", "/none", true)).status())
                .isEqualTo(404);
    }

    @Test
    void windowOfTheConnection_isShared_andHeadsDoNotWaitForIt() throws IOException {
        started();
        Http2Client client = begun(0, Http2Client.INITIAL_WINDOW_SIZE, 1 << 20).generous(false);
        int large = client.get("/large.bin");
        int got = 0;
        while (got < 65_535) {
            got += client.expect(Http2Client.DATA).payload().length;
        }
        assertThat(got).isEqualTo(65_535);
        int waiting = client.get("/a.html");
        assertThat(client.response(client.request("HEAD", "/b.txt", true)).status())
                .isEqualTo(200);
        client.window(0, 1 << 20);
        assertThat(client.response(waiting).text()).isEqualTo("hello");
        client.reset(large, Http2Error.CANCEL);
    }

    // A client that opens no window is a slow one: its stream ends, and the connection goes on.
    @Test
    void windowThatNeverOpens_timesOut_theStreamOnly() throws IOException {
        onlyOnce();
        start(builder -> (isSecure
                        ? builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                                .set(TlsSettings.ENGINE, TlsEngine.AUTO)
                        : builder)
                .set(SwsSettings.WRITE_TIMEOUT, Duration.ofMinutes(1)));
        Http2Client client = begun(0, Http2Client.INITIAL_WINDOW_SIZE, 0);
        int stuck = client.get("/c.txt");
        client.expect(Http2Client.HEADERS);
        advanceUntil(Duration.ofMinutes(1), () -> server.requestStats().timeouts() == 1);
        assertThat(client.resetOf(stuck)).isEqualTo(Http2Error.CANCEL);
        assertThat(client.response(client.request("HEAD", "/c.txt", true)).status())
                .isEqualTo(200);
    }

    // One that takes nothing at all, although its windows are open, is gone.
    @Test
    void clientThatReadsNothing_isClosed() throws IOException {
        start(builder -> (isSecure
                        ? builder.set(TlsSettings.CERTIFICATES, TlsFiles.certificates())
                                .set(TlsSettings.ENGINE, TlsEngine.AUTO)
                        : builder)
                .set(SwsSettings.WRITE_TIMEOUT, Duration.ofMillis(500)));
        Http2Client client = begun(4_096, Http2Client.INITIAL_WINDOW_SIZE, 1 << 30);
        client.window(0, 1 << 30).get("/large.bin");
        client.flush();
        await(() -> server.requestStats().open() == 0);
        assertThat(server.requestStats().timeouts()).isPositive();
    }

    // Answers to frames have room of their own; beyond it no more is read, and nothing is lost.
    @Test
    void pings_ofAClientThatReadsNothing_waitForIt() throws IOException {
        started();
        Http2Client client = begun(4_096, Http2Client.INITIAL_WINDOW_SIZE, 1 << 30);
        client.window(0, 1 << 30);
        int large = client.get("/large.bin");
        for (int i = 0; i < 500; i++) {
            client.ping(i);
        }
        client.flush();
        assertThat(client.response(large).body()).isEqualTo(LARGE_CONTENT);
        for (int i = 0; i < 500; i++) {
            assertThat(client.expect(Http2Client.PING).number(4)).isEqualTo(i);
        }
    }

    // Priorities.

    /** Streams in the order of their data, while the window of the connection opens. */
    private List<Integer> order(Http2Client client, int streams) throws IOException {
        List<Integer> order = new ArrayList<>();
        int ended = 0;
        while (ended < streams) {
            Http2Client.Frame frame = client.expect(Http2Client.DATA);
            if (order.isEmpty() || order.get(order.size() - 1) != frame.stream()) {
                order.add(frame.stream());
            }
            ended += frame.isEnd() ? 1 : 0;
        }
        return order;
    }

    /** A client whose connection has no window left. */
    private Http2Client exhausted() throws IOException {
        onlyOnce();
        Files.write(root.resolve("m.bin"), new byte[200_000]);
        Files.write(root.resolve("s.bin"), new byte[50_000]); // of few turns
        started();
        Http2Client client = begun(0, Http2Client.INITIAL_WINDOW_SIZE, 1 << 20).generous(false);
        int first = client.get("/large.bin", "priority", "u=7");
        for (int got = 0; got < 65_535; ) {
            got += client.expect(Http2Client.DATA).payload().length;
        }
        client.reset(first, Http2Error.CANCEL);
        return client;
    }

    private void await(Http2Client client, int... streams) throws IOException {
        for (int unused : streams) {
            client.expect(Http2Client.HEADERS);
        }
        client.ping(0).expect(Http2Client.PING);
    }

    @Test
    void urgentStreams_goFirst_andOthersInTheirOrder() throws IOException {
        Http2Client client = exhausted();
        int low = client.get("/s.bin", "priority", "u=6");
        int first = client.get("/s.bin", "priority", "u=3");
        int second = client.get("/s.bin", "priority", "u=3");
        int urgent = client.get("/s.bin", "priority", "u=0, i");
        await(client, low, first, second, urgent);
        client.window(0, 1 << 20);
        assertThat(order(client, 4)).containsExactly(urgent, first, second, low);
    }

    @Test
    void incrementalStreams_shareAndTheOthersDoNot() throws IOException {
        Http2Client client = exhausted();
        int one = client.get("/m.bin", "priority", "i");
        int other = client.get("/m.bin");
        await(client, one, other);
        client.window(0, 1 << 20);
        assertThat(order(client, 2)).hasSizeGreaterThan(10);
    }

    @Test
    void priorityUpdate_changesTheOrder_alsoBeforeTheRequest() throws IOException {
        Http2Client client = exhausted();
        int early = 9;
        client.priority(early, "u=1");
        int first = client.get("/s.bin", "priority", "u=2");
        int raised = client.get("/s.bin", "priority", "u=4");
        int low = client.get("/s.bin", "priority", "u=5");
        assertThat(client.get("/s.bin", "priority", "u=5")).isEqualTo(early);
        await(client, first, raised, low, early);
        client.priority(raised, "u=0").ping(1).expect(Http2Client.PING);
        client.window(0, 1 << 20);
        assertThat(order(client, 4)).containsExactly(raised, early, first, low);
    }

    // The end.

    @Test
    void drain_answersWhatComesInTheRoundTrip_andSaysWhichWasTheLast() throws Exception {
        Http2Client client = started();
        int before = client.get("/a.html");
        assertThat(client.response(before).status()).isEqualTo(200);
        Thread closer = new Thread(() -> server.close(PATIENCE));
        closer.start();
        Http2Client.Frame first = client.expect(Http2Client.GOAWAY);
        assertThat(first.error()).isEqualTo(Http2Error.NO_ERROR);
        assertThat(first.number(0)).isEqualTo(Integer.MAX_VALUE);
        Http2Client.Frame ping = client.expect(Http2Client.PING);
        int late = client.get("/b.txt");
        assertThat(client.response(late).text()).hasSize(3_000);
        client.frame(Http2Client.PING, Http2Client.ACK, 0, ping.payload());
        Http2Client.Frame last = client.expect(Http2Client.GOAWAY);
        assertThat(last.number(0)).isEqualTo(late);
        assertThat(client.isEnded()).isTrue();
        client.close();
        closer.join();
        assertThat(server.requestStats().lost()).isZero();
    }

    @Test
    void connection_endsAfterItsLastRequest() throws IOException {
        Http2Client client = started(builder -> builder.set(SwsSettings.MAX_REQUESTS_PER_CONNECTION, 2));
        assertThat(client.fetch("/a.html").status()).isEqualTo(200);
        assertThat(client.fetch("/a.html").status()).isEqualTo(200);
        assertThat(client.goAway()).isEqualTo(Http2Error.NO_ERROR);
        client.close();
    }

    @Test
    void idleConnection_isEnded_butNotBeforeTheTime() throws IOException {
        onlyOnce();
        Http2Client client = started(builder -> builder.set(SwsSettings.IDLE_TIMEOUT, Duration.ofHours(6)));
        client.fetch("/a.html");
        jump(Duration.ofHours(3));
        client.fetch("/a.html");
        jump(Duration.ofHours(5));
        client.fetch("/a.html");
        advanceUntil(Duration.ofHours(6), () -> server.requestStats().timeouts() == 1);
        assertThat(client.goAway()).isEqualTo(Http2Error.NO_ERROR);
        assertThat(client.isEnded()).isTrue();
    }

    @Test
    void clientThatLeaves_inTheMiddle_leavesNothing() throws IOException {
        started().close();
        for (int i = 0; i < 5; i++) {
            Http2Client client = begun(0);
            client.get("/large.bin");
            client.data(client.request("POST", "/a.html", false), "abc", false);
            client.frame(Http2Client.HEADERS, 0, client.stream(), client.block(":method", "GET"));
            client.flush();
            client.expect(Http2Client.HEADERS);
            if (i % 2 == 0) {
                client.kill();
            } else {
                client.close();
            }
        }
    }

    @Test
    void truncatedFile_endsItsStreamOnly() throws IOException {
        Path file = ownLargeFile();
        started();
        Http2Client client = begun(0, Http2Client.INITIAL_WINDOW_SIZE, 20_000).generous(false);
        int large = client.get("/large.bin");
        client.expect(Http2Client.DATA);
        Files.write(file, new byte[10]);
        client.window(0, 1 << 20).window(large, 1 << 20);
        assertThat(client.resetOf(large)).isEqualTo(Http2Error.INTERNAL_ERROR);
        assertThat(client.fetch("/a.html").text()).isEqualTo("hello");
    }
}
