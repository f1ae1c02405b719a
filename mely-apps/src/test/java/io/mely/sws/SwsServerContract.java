// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.Stealing;
import io.mely.sws.RawClient.Response;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.BindException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What SWS promises its clients on real sockets, whatever the transport, section by section: how it starts, requests, and what follows them to the
 * stop. Long, as it is one class that each transport and each way to listen inherits whole; its cases stand alone. Ranges: {@link RangeContract};
 * what it is built on: {@link SwsServerHarness}.
 */
abstract class SwsServerContract extends SwsServerHarness {
    // Start.

    @Test
    void start_badRoot_isRefused() {
        root = temp.resolve("missing");
        assertThatThrownBy(this::start).isInstanceOf(NoSuchFileException.class);
        root = temp.resolve("secret.txt");
        assertThatThrownBy(this::start).isInstanceOf(NotDirectoryException.class);
    }

    @Test
    void start_portInUse_isRefused() throws IOException {
        start();
        assertThatThrownBy(() -> SwsServer.start(SwsConfig.builder(root)
                        .bind(server.localAddress())
                        .set(SwsSettings.TRANSPORT, transport())
                        .build()))
                .isInstanceOf(BindException.class)
                .hasMessageContaining(String.valueOf(server.localAddress().getPort()));
    }

    // A core that has answered has begun where it stays.
    private int cpuOfCore(boolean isPinned) throws IOException {
        start(builder -> builder.set(SwsSettings.CORES, 1).set(SwsSettings.PINNED, isPinned));
        assertThat(connect().get("/a.html").response().text()).isEqualTo("hello");
        return server.stats().cores().get(0).cpu();
    }

    @Test
    void core_isLeftToTheKernel() throws IOException {
        assertThat(cpuOfCore(SwsSettings.PINNED.defaultValue())).isEqualTo(-1);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void core_pinned_hasItsCpu() throws IOException {
        assertThat(cpuOfCore(true)).isNotNegative();
    }

    // Requests.

    @Test
    void get_keepsTheConnection() throws IOException {
        start();
        RawClient client = connect();
        for (int i = 0; i < 500; i++) {
            assertThat(client.get("/a.html").response().text()).isEqualTo("hello");
            assertThat(client.get("/b.txt").response().text()).isEqualTo("b".repeat(3000));
        }
        await(() -> server.requestStats().exchanges() == 0);
        assertThat(server.requestStats().responses2xx()).isEqualTo(1000);
        assertThat(server.requestStats().accepted()).isEqualTo(1);
    }

    /** A server without work sleeps until the network wakes it, and hardly looks at it more often than requests come. */
    @Test
    void get_isNotPolledFor() throws IOException {
        start(builder ->
                builder.set(SwsSettings.STEALING, Stealing.off())); // a thief wakes now and then to look after others
        RawClient client = connect();
        int requests = 200;
        long pollsBefore = polls();
        for (int i = 0; i < requests; i++) {
            assertThat(client.get("/a.html").response().text()).isEqualTo("hello");
        }
        assertThat(polls() - pollsBefore).isLessThan(10 * requests);
    }

    private long polls() {
        return server.stats().cores().stream().mapToLong(core -> core.polls()).sum();
    }

    @Test
    void get_allSizes_areWhole() throws IOException {
        start();
        RawClient client = connect();
        for (int size : new int[] {0, 1, 4095, 4096, 4097, 16_000, 65_535, 65_536, 65_537, 600_000}) {
            byte[] content = new byte[size];
            new Random(size).nextBytes(content);
            Files.write(root.resolve("f" + size), content);
            for (int i = 0; i < 2; i++) {
                assertThat(client.get("/f" + size).response().body()).isEqualTo(content);
            }
        }
        assertThat(client.get("/large.bin").response().body()).isEqualTo(Files.readAllBytes(root.resolve("large.bin")));
    }

    @Test
    void head_hasTheFieldsOfGet_withoutBody() throws IOException {
        start();
        RawClient client = connect();
        for (String path : List.of("/a.html", "/c.txt", "/large.bin", "/missing", "/dir", "/dir/")) {
            Response head = client.send("HEAD " + path + " HTTP/1.1\r\n" + HOST + "\r\n")
                    .response(true);
            Response get = client.get(path).response();
            assertThat(head.status()).isEqualTo(get.status());
            assertThat(head.fields().keySet()).isEqualTo(get.fields().keySet());
            assertThat(head.field("Content-Length")).isEqualTo(get.field("Content-Length"));
            assertThat(Integer.parseInt(get.field("content-length"))).isEqualTo(get.body().length);
        }
    }

    @Test
    void pipelined_answersComeInOrder_splitAnywhere() throws IOException {
        start();
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        Random random = new Random(seed);
        List<String> targets = List.of("/a.html", "/b.txt", "/c.txt", "/missing", "/dir/", "/large.bin", "/%61.html");
        StringBuilder requests = new StringBuilder();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String target = i == 30 ? "/large.bin" : targets.get(random.nextInt(5));
            boolean isHead = random.nextInt(4) == 0;
            boolean hasBody = random.nextInt(4) == 0;
            requests.append(isHead ? "HEAD " : "GET ")
                    .append(target)
                    .append(" HTTP/1.1\r\n")
                    .append(HOST);
            requests.append(hasBody ? "Content-Length: 3\r\n\r\nxyz" : "\r\n");
            expected.add((isHead ? "HEAD " : "GET ") + target);
        }
        byte[] bytes = requests.toString().getBytes(StandardCharsets.US_ASCII);
        RawClient client = connect();
        Thread sender = new Thread(() -> {
            try {
                for (int i = 0; i < bytes.length; ) {
                    int end = Math.min(bytes.length, i + 1 + random.nextInt(40));
                    client.send(bytes, i, end);
                    i = end;
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        sender.start();
        for (String request : expected) {
            Response response = client.response(request.startsWith("HEAD"));
            String target = request.substring(request.indexOf(' ') + 1);
            assertThat(response.status())
                    .as("seed %s, %s", seed, request)
                    .isEqualTo(target.equals("/missing") ? 404 : 200);
            if (request.startsWith("GET") && response.status() == 200) {
                Path file = root.resolve(target.equals("/dir/") ? "dir/index.html" : target.substring(1));
                assertThat(response.body()).as("seed %s, %s", seed, request).isEqualTo(Files.readAllBytes(file));
            }
        }
    }

    @Test
    void pipelined_aFlood_isAnswered() throws IOException {
        start();
        RawClient client = connect();
        int requests = 3000;
        byte[] bytes =
                ("GET /a.html HTTP/1.1\r\n" + HOST + "\r\n").repeat(requests).getBytes(StandardCharsets.US_ASCII);
        Thread sender = new Thread(() -> {
            try {
                client.send(bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        sender.start();
        for (int i = 0; i < requests; i++) {
            assertThat(client.response().text()).isEqualTo("hello");
        }
    }

    /** Each: the request, the status, and whether the connection is closed after it. */
    private static final List<String> REQUESTS = List.of(
            "GET /a.html HTTP/1.1~Host: x~~ | 200 | false",
            "GET /a.html HTTP/1.1~Host: x~Connection: close~~ | 200 | true",
            "GET /a.html HTTP/1.0~~ | 200 | true",
            "GET /a.html HTTP/1.0~Connection: keep-alive~~ | 200 | false",
            "GET http://x/a.html HTTP/1.1~Host: x~~ | 200 | false",
            "GET http://x/../a.html HTTP/1.1~Host: x~~ | 400 | false",
            "GET /a.html?x=y/../z HTTP/1.1~Host: x~~ | 200 | false",
            "GET /../secret.txt HTTP/1.1~Host: x~~ | 400 | false",
            "GET /%2e%2e/secret.txt HTTP/1.1~Host: x~~ | 400 | false",
            "GET /..%2fsecret.txt HTTP/1.1~Host: x~~ | 400 | false",
            "GET /%c0%ae%c0%ae/secret.txt HTTP/1.1~Host: x~~ | 400 | false",
            "GET /a.html%00 HTTP/1.1~Host: x~~ | 400 | false",
            "GET /dir\\..\\a.html HTTP/1.1~Host: x~~ | 400 | false",
            "GET /%zz HTTP/1.1~Host: x~~ | 400 | false",
            "GET //a.html HTTP/1.1~Host: x~~ | 200 | false",
            "GET /./a.html HTTP/1.1~Host: x~~ | 200 | false",
            "GET /outside HTTP/1.1~Host: x~~ | 404 | false",
            "GET /outsideDir/secret.txt HTTP/1.1~Host: x~~ | 404 | false",
            "GET /.hidden HTTP/1.1~Host: x~~ | 404 | false",
            "GET /dir HTTP/1.1~Host: x~~ | 301 | false",
            "OPTIONS * HTTP/1.1~Host: x~~ | 204 | false",
            "OPTIONS /a.html HTTP/1.1~Host: x~~ | 204 | false",
            "POST /a.html HTTP/1.1~Host: x~Content-Length: 3~~abc | 405 | false",
            "DELETE /a.html HTTP/1.1~Host: x~~ | 405 | false",
            "CONNECT x:80 HTTP/1.1~Host: x~~ | 405 | true",
            "BREW /a.html HTTP/1.1~Host: x~~ | 501 | false",
            "get /a.html HTTP/1.1~Host: x~~ | 501 | false",
            "GET /a.html HTTP/2.0~Host: x~~ | 505 | true",
            "GET /a.html HTTP/1.1~~ | 400 | true",
            "GET /a.html HTTP/1.1~Host: x~Host: y~~ | 400 | true",
            "GET /a.html HTTP/1.1~Host : x~~ | 400 | true",
            "GET /a.html HTTP/1.1~Host: x~ folded~~ | 400 | true",
            "GET /a.html HTTP/1.1~Host: x~Content-Length: 1~Transfer-Encoding: chunked~~ | 400 | true",
            "GET /a.html HTTP/1.1~Host: x~Content-Length: 5~Content-Length: 6~~ | 400 | true",
            "GET /a.html HTTP/1.1~Host: x~Transfer-Encoding: chunked~~zz~ | 400 | true",
            "GET /a.html HTTP/1.1~Host: x~Content-Length: 5~~hello | 200 | false",
            "GET /a.html HTTP/1.1~Host: x~Transfer-Encoding: chunked~~5;x=y~hello~0~T: u~~ | 200 | false",
            "GET /a.html HTTP/1.1~Host: x~Content-Length: 2000001~~ | 413 | true",
            "GET /a.html HTTP/1.1~Host: x~Transfer-Encoding: chunked~~fffffff~ | 413 | true",
            "GET /a.html HTTP/1.1~Host: x~Expect: something~~ | 417 | false",
            "PUT /a.html HTTP/1.1~Host: x~Content-Length: 5~Expect: 100-continue~~ | 405 | true",
            "GARBAGE~~ | 400 | true",
            "GET /a.html HTTP/1.1~Host: x~If-None-Match: *~~ | 304 | false",
            "GET /a.html HTTP/1.1~Host: x~If-Match: \"x\"~~ | 412 | false");

    // Each on a connection of its own, to one server.
    @Test
    void requests_haveTheirStatus() throws IOException {
        Files.createSymbolicLink(root.resolve("outside"), temp.resolve("secret.txt"));
        Files.createSymbolicLink(root.resolve("outsideDir"), temp);
        Files.writeString(root.resolve(".hidden"), "x");
        start(builder -> builder.set(SwsSettings.BODY_MAX, 1_000_000));
        for (String each : REQUESTS) {
            String[] parts = each.split(" \\| ");
            checkStatus(parts[0], Integer.parseInt(parts[1]), Boolean.parseBoolean(parts[2]));
        }
    }

    private void checkStatus(String request, int status, boolean isClosed) throws IOException {
        try (RawClient client = dial()) {
            Response response = client.send(request.replace("~", "\r\n")).response();
            assertThat(response.status()).as(request).isEqualTo(status);
            assertThat(response.text()).as(request).doesNotContain("secret");
            assertThat(response.field("Date")).as(request).endsWith(" GMT");
            assertThat("close".equals(response.field("Connection"))).as(request).isEqualTo(isClosed);
            if (isClosed) {
                assertThat(client.isEnded()).as(request).isTrue();
            } else {
                assertThat(client.get("/a.html").response().text()).as(request).isEqualTo("hello");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"414, 9000, 0", "431, 10, 40000", "200, 7000, 100", "200, 10, 30000"})
    void longHeads(int status, int targetBytes, int fieldBytes) throws IOException {
        start();
        RawClient client = connect();
        String query = "x".repeat(targetBytes);
        String field = "y".repeat(fieldBytes);
        client.send("GET /a.html?" + query + " HTTP/1.1\r\n" + HOST + "Field: " + field + "\r\n\r\n");
        assertThat(client.response().status()).isEqualTo(status);
    }

    @Test
    void bareLineFeedAndTls_areAnsweredAtOnce() throws IOException {
        start();
        assertThat(connect()
                        .send("GET /a.html HTTP/1.1\nHost: x\n\n")
                        .response()
                        .status())
                .isEqualTo(400);
        assertThat(connect()
                        .send("\u0016\u0003\u0001\u0002\u0000\u0001")
                        .response()
                        .status())
                .isEqualTo(400);
    }

    @Test
    void expectContinue_isAsked_thenAnswered() throws IOException {
        start();
        RawClient client = connect();
        client.send("GET /a.html HTTP/1.1\r\n" + HOST + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n");
        assertThat(client.response().status()).isEqualTo(100);
        client.send("12345");
        assertThat(client.response().text()).isEqualTo("hello");
        assertThat(client.get("/a.html").response().text()).isEqualTo("hello");
    }

    // A response does not wait for the body of the request behind it, and that is answered when it is whole.
    @Test
    void pipelined_bodyIncomplete_theAnswerBeforeItGoesOut() throws IOException {
        start(builder -> builder.set(SwsSettings.BODY_TIMEOUT, Duration.ofHours(1)));
        RawClient client = connect();
        for (int i = 0; i < 3; i++) {
            client.send("GET /a.html HTTP/1.1\r\n" + HOST + "\r\nPOST / HTTP/1.1\r\n" + HOST
                    + "Content-Length: 4\r\n\r\nab");
            assertThat(client.response().text()).isEqualTo("hello");
            client.send("cd");
            assertThat(client.response().status()).isEqualTo(405);
        }
    }

    @Test
    void largeBody_isReadAndThrownAway() throws IOException {
        start();
        RawClient client = connect();
        client.send("GET /a.html HTTP/1.1\r\n" + HOST + "Content-Length: 1000000\r\n\r\n");
        for (int i = 0; i < 1000; i++) {
            client.send("x".repeat(1000));
        }
        assertThat(client.response().text()).isEqualTo("hello");
        assertThat(client.get("/a.html").response().text()).isEqualTo("hello");
    }

    // A deleted file takes its room on the disk until it is closed, which must not wait for somebody who asks for it.
    @Test
    void largeFile_unused_isClosed() throws IOException {
        start(builder -> builder.set(SwsSettings.IDLE_TIMEOUT, Duration.ofDays(1)));
        RawClient client = connect();
        assertThat(client.fetch("/large.bin").body()).isEqualTo(LARGE_CONTENT);
        assertThat(server.requestStats().openFiles()).isEqualTo(1);
        Files.delete(root.resolve("large.bin"));
        advanceUntil(Duration.ofMinutes(2), () -> server.requestStats().openFiles() == 0);
        assertThat(client.fetch("/large.bin").status()).isEqualTo(404);
    }

    /** As some clients send them: RFC 3986 wants a percent-encoding, and dots resolved. */
    @Test
    void pathsOfCarelessClients_areServed() throws IOException {
        Files.createDirectories(root.resolve("dir2"));
        Files.writeString(root.resolve("dir2/x.txt"), "found");
        Files.writeString(root.resolve("ä.txt"), "u");
        start();
        RawClient client = connect();
        for (int i = 0; i < 2; i++) { // from the disk, from the cache
            assertThat(client.get("/dir2/b/../x.txt").response().text()).isEqualTo("found");
            assertThat(client.get("/dir2/%2e%2e/dir2/./x.txt").response().text())
                    .isEqualTo("found");
            String utf8 = "/\u00c3\u00a4.txt?q=\u00c3\u00a9"; // the client sends Latin-1
            assertThat(client.get(utf8).response().text()).isEqualTo("u");
        }
        assertThat(client.get("/dir2/../../secret.txt").response().status()).isEqualTo(400);
        assertThat(client.get("/dir2?q=\u00c3\u00a9").response().field("Location"))
                .isEqualTo("dir2/?q=%C3%A9");
    }

    @Test
    void redirect_keepsTheQuery_andTheSite_andHoldsBehindAProxy() throws IOException {
        Files.createDirectories(root.resolve("evil.example"));
        start();
        RawClient client = connect();
        assertThat(client.get("/dir?a=b&c=%20").response().field("Location")).isEqualTo("dir/?a=b&c=%20");
        assertThat(client.get("//evil.example").response().field("Location")).isEqualTo("evil.example/");
        Files.createDirectories(root.resolve("dir/a:b"));
        assertThat(client.get("/dir/a:b?x").response().field("Location")).isEqualTo("./a:b/?x");
        assertThat(client.get("/dir%2Fa:b").response().field("Location")).isEqualTo("/dir/a:b/");
        assertThat(client.get("/x/../dir").response().field("Location")).isEqualTo("dir/");
        assertThat(client.get("//evil.example/%2e").response().status()).isEqualTo(404);
        assertThat(client.get("/dir/").response().text()).isEqualTo("index");
    }

    @Test
    void conditional_304_goesOn() throws IOException {
        start();
        RawClient client = connect();
        Response first = client.get("/a.html").response();
        String fields = "If-None-Match: " + first.field("ETag") + "\r\n";
        Response second =
                client.send("GET /a.html HTTP/1.1\r\n" + HOST + fields + "\r\n").response();
        assertThat(second.status()).isEqualTo(304);
        assertThat(second.field("ETag")).isEqualTo(first.field("ETag"));
        assertThat(client.get("/a.html").response().status()).isEqualTo(200);
    }

    @Test
    void listing_ifAllowed() throws IOException {
        for (int i = 0; i < 100; i++) {
            Files.writeString(root.resolve("dir/" + "long name ".repeat(10) + i), "x");
        }
        Files.delete(root.resolve("dir/index.html"));
        start(builder -> builder.set(SwsSettings.LISTING, true));
        Response page = connect().get("/dir/").response();
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.text()).contains("long%20name%2099").endsWith("</html>\n");
        assertThat(page.body().length).isGreaterThan(Exchange.OUT_BYTES);
    }

    @Test
    void maxRequestsPerConnection_closes() throws IOException {
        start(builder -> builder.set(SwsSettings.MAX_REQUESTS_PER_CONNECTION, 3));
        RawClient client = connect();
        assertThat(client.get("/a.html").response().field("Connection")).isNull();
        assertThat(client.get("/a.html").response().field("Connection")).isNull();
        assertThat(client.get("/a.html").response().field("Connection")).isEqualTo("close");
        assertThat(client.isEnded()).isTrue();
    }

    // Files that change.

    @Test
    void changes_areSeen() throws IOException {
        start();
        RawClient client = connect();
        Path file = root.resolve("new.txt");
        assertThat(client.get("/new.txt").response().status()).isEqualTo(404);
        Files.writeString(file, "one");
        await(() -> text(client, "/new.txt").equals("one"));
        Files.writeString(file, "two");
        await(() -> text(client, "/new.txt").equals("two"));
        Files.writeString(file, "x".repeat(200_000));
        await(() -> text(client, "/new.txt").length() == 200_000);
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        await(() -> text(client, "/new.txt").contains("404"));
    }

    private static String text(RawClient client, String target) {
        try {
            return client.get(target).response().text();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void truncatedWhileSent_endsTheConnection_andNothingHangs() throws IOException {
        sparse("shrinking.bin", 200L << 20);
        start();
        RawClient client = connect(1 << 16);
        client.get("/shrinking.bin");
        assertThat(client.in().readNBytes(1000)).hasSize(1000);
        try (RandomAccessFile file =
                new RandomAccessFile(root.resolve("shrinking.bin").toFile(), "rw")) {
            file.setLength(1 << 20);
        }
        long read = 1000;
        byte[] buffer = new byte[1 << 16];
        try {
            for (int n = client.in().read(buffer); n >= 0; n = client.in().read(buffer)) {
                read += n;
            }
        } catch (java.net.SocketException reset) {
            // also an end
        }
        assertThat(read).isLessThan(200L << 20);
        assertThat(connect().get("/a.html").response().text()).isEqualTo("hello");
    }

    @Test
    void growingWhileSent_sendsWhatWasAnnounced() throws IOException {
        sparse("growing.bin", 20L << 20);
        start();
        RawClient client = connect(1 << 16).get("/growing.bin");
        client.readHead();
        sparse("growing.bin", 40L << 20);
        assertThat(client.readRest().body()).hasSize(20 << 20);
        assertThat(client.get("/a.html").response().text())
                .as("nothing more came")
                .isEqualTo("hello");
    }

    // Clients that misbehave.

    @ParameterizedTest
    @ValueSource(strings = {"/a.html", "/c.txt", "/large.bin"})
    void halfClosed_isAnswered(String target) throws IOException {
        start();
        RawClient client = connect();
        client.get(target).shutdownOutput();
        assertThat(client.response().body()).isEqualTo(Files.readAllBytes(root.resolve(target.substring(1))));
        assertThat(client.isEnded()).isTrue();
    }

    @Test
    void clientsThatVanish_leaveNothing() throws IOException {
        start();
        for (int round = 0; round < 40; round++) {
            RawClient client = connect(1 << 14);
            switch (round % 5) {
                case 0 -> client.get("/large.bin");
                case 1 -> client.send("GET /a.ht");
                case 2 -> client.send("POST / HTTP/1.1\r\n" + HOST + "Content-Length: 1000\r\n\r\nabc");
                case 3 -> client.get("/c.txt").get("/large.bin").get("/a.html");
                default -> client.get("/a.html");
            }
            if (round % 5 != 1 && round % 5 != 2) {
                assertThat(client.in().read()).isEqualTo('H');
            }
            if (round % 2 == 0) {
                client.reset();
            } else {
                client.close();
            }
        }
        await(() -> server.requestStats().open() == 0);
        assertThat(server.requestStats().exchanges()).isZero();
        assertThat(connect().get("/a.html").response().text()).isEqualTo("hello");
    }

    @Test
    void slowHead_is408_andIdle_isClosed() throws IOException {
        Duration time = Duration.ofMinutes(1);
        start(builder -> builder.set(SwsSettings.HEADER_TIMEOUT, time).set(SwsSettings.IDLE_TIMEOUT, time));
        RawClient idle = connect();
        assertThat(idle.get("/a.html").response().status()).isEqualTo(200);
        await(() -> server.requestStats().exchanges() == 0); // that one is over
        RawClient slow = connect().send("GET /a.html HTTP/1.1\r\nHost:");
        await(() -> server.requestStats().exchanges() == 1); // and this one has begun
        RawClient silent = connect();
        await(() -> server.requestStats().open() == 3);
        advanceUntil(time, () -> server.requestStats().timeouts() == 3);
        assertThat(slow.response().status()).isEqualTo(408);
        assertThat(slow.isEnded()).isTrue();
        assertThat(silent.isEnded()).isTrue();
        assertThat(idle.isEnded()).isTrue();
    }

    @Test
    void busyConnection_outlivesTheIdleTimeout() throws IOException {
        start(builder -> builder.set(SwsSettings.IDLE_TIMEOUT, Duration.ofHours(6)));
        RawClient client = connect();
        for (int i = 0; i < 5; i++) {
            assertThat(client.get("/a.html").response().status()).isEqualTo(200);
            jump(Duration.ofHours(4));
        }
        assertThat(client.get("/a.html").response().status()).isEqualTo(200);
        advanceUntil(Duration.ofHours(6), () -> server.requestStats().timeouts() == 1);
        assertThat(client.isEnded()).isTrue();
    }

    /** The idle time-out runs neither while a response is sent, however long that takes, nor with what was left of it before. */
    @Test
    void longDownload_isNoIdleTime() throws IOException {
        start(builder -> builder.set(SwsSettings.IDLE_TIMEOUT, Duration.ofHours(6))
                .set(SwsSettings.WRITE_TIMEOUT, Duration.ofDays(1)));
        RawClient client = connect(1 << 14);
        assertThat(client.get("/a.html").response().status()).isEqualTo(200);
        jump(Duration.ofHours(4));
        client.get("/large.bin");
        client.in().mark(50_000);
        for (int i = 0; i < 5; i++) {
            assertThat(client.in().readNBytes(10_000)).hasSize(10_000);
            jump(Duration.ofHours(4));
        }
        client.in().reset();
        assertThat(client.response().body()).isEqualTo(LARGE_CONTENT);
        jump(Duration.ofHours(4));
        assertThat(client.get("/a.html").response().text()).isEqualTo("hello");
    }

    @Test
    void slowBody_is408() throws IOException {
        start(builder -> builder.set(SwsSettings.BODY_TIMEOUT, Duration.ofMillis(50)));
        RawClient client = connect().send("GET /a.html HTTP/1.1\r\n" + HOST + "Content-Length: 10\r\n\r\nabc");
        assertThat(client.response().status()).isEqualTo(408);
        assertThat(client.isEnded()).isTrue();
    }

    // The clock is moved, so the time to write, which is longer, would be waited for in vain.
    @Test
    void slowBody_afterA100_is408() throws IOException {
        start(builder -> builder.set(SwsSettings.BODY_TIMEOUT, Duration.ofSeconds(10))
                .set(SwsSettings.WRITE_TIMEOUT, Duration.ofHours(10)));
        RawClient client = connect()
                .send("GET /a.html HTTP/1.1\r\n" + HOST + "Content-Length: 10\r\nExpect: 100-continue\r\n\r\n");
        assertThat(client.response().status()).isEqualTo(100);
        clockAheadNs.addAndGet(Duration.ofHours(1).toNanos());
        client.send("abc");
        assertThat(client.response().status()).isEqualTo(408);
        assertThat(client.isEnded()).isTrue();
    }

    // The clock is moved until the time to write is over, which may begin after the first look.
    @Test
    void clientThatDoesNotRead_isClosed_othersAreServed() throws IOException {
        sparse("huge.bin", 500L << 20);
        start(builder -> builder.set(SwsSettings.WRITE_TIMEOUT, Duration.ofSeconds(1))
                .set(SwsSettings.IDLE_TIMEOUT, Duration.ofDays(1)));
        RawClient stuck = connect(1 << 14).get("/huge.bin");
        RawClient other = connect();
        for (int i = 0; i < 100; i++) {
            assertThat(other.get("/a.html").response().text()).isEqualTo("hello");
        }
        advanceUntil(Duration.ofSeconds(1), () -> server.requestStats().timeouts() == 1);
        assertThat(other.get("/a.html").response().text()).isEqualTo("hello");
        assertThat(stuck.in().read()).isEqualTo('H');
    }

    @Test
    void slowReader_getsItAll() throws IOException {
        start();
        RawClient client = connect(1 << 12).get("/large.bin").get("/c.txt");
        assertThat(client.response().body()).isEqualTo(Files.readAllBytes(root.resolve("large.bin")));
        assertThat(client.response().text()).isEqualTo("c".repeat(20_000));
    }

    // Limits.

    @Test
    void maxClients_oneMoreIs503_andIsServedWhenOneLeaves() throws IOException {
        start(builder -> builder.set(SwsSettings.MAX_CLIENTS, 3));
        List<RawClient> three = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int before = i;
            three.add(connect());
            assertThat(three.get(i).get("/a.html").response().status()).isEqualTo(200);
            await(() -> server.requestStats().exchanges() == before); // that one is over
            three.get(i).send("GET /a.html HTTP/1.1\r\n");
            await(() -> server.requestStats().exchanges() == before + 1); // and the client is busy
        }
        for (int i = 0; i < 5; i++) {
            RawClient refused = connect().get("/a.html");
            Response response = refused.response();
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.field("Retry-After")).isNotNull();
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(refused.isEnded()).isTrue();
            refused.close();
        }
        assertThat(three.get(0).send(HOST + "\r\n").response().status()).isEqualTo(200);
        three.get(1).close();
        await(() -> {
            try (RawClient next = dial()) {
                return next.get("/a.html").response().status() == 200;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(server.requestStats().refused()).isGreaterThanOrEqualTo(5);
    }

    // Whoever keeps a connection and asks for nothing gives way to who asks, the oldest first; a busy one stays.
    @Test
    void maxClients_idleOnesGiveWay() throws IOException {
        slowClock(); // a newcomer waits for a quarter of a second
        start(builder -> builder.set(SwsSettings.MAX_CLIENTS, 3));
        RawClient busy = connect();
        assertThat(busy.get("/a.html").response().status()).isEqualTo(200);
        await(() -> server.requestStats().exchanges() == 0); // that one is over
        busy.send("GET /a.html HTTP/1.1\r\n");
        await(() -> server.requestStats().exchanges() == 1);
        for (int i = 0; i < 20; i++) {
            assertThat(connect().get("/a.html").response().text()).isEqualTo("hello");
        }
        assertThat(busy.send(HOST + "\r\n").response().text()).isEqualTo("hello");
        assertThat(server.requestStats().refused()).isZero();
    }

    @Test
    void maxClients_aCrowd_isAnsweredToTheLast() throws Exception {
        slowClock(); // a client that takes a second to ask may have to give way
        start(builder -> builder.set(SwsSettings.MAX_CLIENTS, 5));
        AtomicInteger served = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> crowd = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            crowd.add(new Thread(() -> {
                for (int j = 0; j < 10; j++) {
                    try (RawClient client = dial()) {
                        (client.get("/a.html").response().status() == 200 ? served : refused).incrementAndGet();
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                }
            }));
        }
        crowd.forEach(Thread::start);
        for (Thread each : crowd) {
            each.join();
        }
        assertThat(failures).isEmpty();
        assertThat(served.get() + refused.get()).isEqualTo(400);
        assertThat(served.get()).isPositive();
    }

    // The end.

    @Test
    void close_waitsForNoIdleClient() throws IOException {
        start();
        RawClient idle = connect();
        assertThat(idle.get("/a.html").response().status()).isEqualTo(200);
        RawClient silent = connect();
        await(() -> server.requestStats().accepted() == 2);
        assertThat(server.isServing()).isTrue();
        assertThat(server.close(PATIENCE)).isTrue();
        assertThat(server.isServing()).isFalse();
        assertThat(idle.isEnded()).isTrue();
        assertThat(silent.isEnded()).isTrue();
        assertThatThrownBy(() -> new Socket(
                                server.localAddress().getAddress(),
                                server.localAddress().getPort())
                        .close())
                .isInstanceOf(IOException.class);
        assertThat(server.close(Duration.ZERO)).isTrue();
    }

    @Test
    void close_finishesTheResponseUnderWay() throws Exception {
        start();
        RawClient client = connect(1 << 14).get("/large.bin");
        assertThat(client.in().read()).isEqualTo('H');
        AtomicBoolean isDrained = new AtomicBoolean();
        Thread closer = new Thread(() -> isDrained.set(server.close(PATIENCE)));
        closer.start();
        await(() -> !closer.getState().equals(Thread.State.NEW));
        byte[] rest = client.in().readAllBytes();
        closer.join();
        assertThat(isDrained).isTrue();
        byte[] large = Files.readAllBytes(root.resolve("large.bin"));
        assertThat(java.util.Arrays.copyOfRange(rest, rest.length - LARGE, rest.length))
                .isEqualTo(large);
    }

    @Test
    void close_deadlinePasses_cutsOff() throws IOException {
        sparse("huge.bin", 500L << 20);
        start();
        RawClient stuck = connect(1 << 14).get("/huge.bin");
        assertThat(stuck.in().read()).isEqualTo('H');
        assertThat(server.close(Duration.ofMillis(50))).isFalse();
        assertThat(server.requestStats().open()).isZero();
    }

    /** Every response that was begun is whole; what comes after the end is refused at once. */
    @Test
    void close_inMidLoad_breaksNoResponse() throws Exception {
        start();
        AtomicInteger responses = new AtomicInteger();
        ConcurrentLinkedQueue<String> broken = new ConcurrentLinkedQueue<>();
        List<Thread> load = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            load.add(new Thread(() -> hammer(responses, broken)));
        }
        load.forEach(Thread::start);
        await(() -> responses.get() > 2000);
        assertThat(server.close(PATIENCE)).isTrue();
        for (Thread each : load) {
            each.join();
        }
        assertThat(broken).isEmpty();
        assertThat(server.requestStats().responses2xx()).isGreaterThanOrEqualTo(responses.get());
    }

    private void hammer(AtomicInteger responses, ConcurrentLinkedQueue<String> broken) {
        while (true) {
            RawClient dialled;
            try {
                dialled = dial();
            } catch (java.net.ConnectException closed) {
                return;
            } catch (java.net.SocketException | SSLException e) {
                continue; // reset while connecting
            } catch (IOException e) {
                broken.add(e.toString());
                return;
            }
            try (RawClient client = dialled) {
                hammer(client, responses, broken);
            } catch (java.net.SocketException e) {
                continue; // reset between two requests
            } catch (IOException e) {
                broken.add(e.toString());
            }
            if (!broken.isEmpty()) {
                return;
            }
        }
    }

    private void hammer(RawClient client, AtomicInteger responses, ConcurrentLinkedQueue<String> broken)
            throws IOException {
        for (int i = 0; i < 150; i++) {
            client.get("/b.txt");
            int first = client.in().read();
            if (first < 0) {
                return; // closed between two requests: the client may try again elsewhere
            }
            byte[] rest = client.in().readNBytes(200); // a head is longer
            if (rest.length < 200) {
                broken.add("response ended after " + rest.length);
                return;
            }
            String head = new String(rest, StandardCharsets.US_ASCII);
            client.in().skipNBytes(restOf(head));
            responses.incrementAndGet();
            if (head.contains("Connection: close")) {
                return;
            }
        }
    }

    private int headBytes;

    /** Learns the length of a head once; all responses to /b.txt have the same but for the Connection field. */
    private synchronized long restOf(String head) throws IOException {
        if (headBytes == 0) {
            try (RawClient probe = dial()) {
                probe.send("HEAD /b.txt HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                        .shutdownOutput();
                headBytes = probe.in().readAllBytes().length - "Connection: keep-alive\r\n".length();
            }
        }
        int option = head.contains("Connection: close\r\n") ? "Connection: close\r\n".length() : 0;
        return headBytes + option + 3000 - 201;
    }

    @Test
    void load_onTwoCores_everyBodyIsRight() throws Exception {
        for (int i = 0; i < 100; i++) {
            Files.writeString(root.resolve("n" + i), (i + " ").repeat(300));
        }
        start();
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> load = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            long seed = i;
            load.add(new Thread(() -> {
                try {
                    Random random = new Random(seed);
                    for (int round = 0; round < 5; round++) {
                        try (RawClient client = dial()) {
                            for (int j = 0; j < 150; j++) {
                                int file = random.nextInt(100);
                                assertThat(client.get("/n" + file).response().text())
                                        .isEqualTo((file + " ").repeat(300));
                            }
                        }
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        load.forEach(Thread::start);
        for (Thread each : load) {
            each.join();
        }
        assertThat(failures).isEmpty();
        assertThat(server.requestStats().responses2xx()).isEqualTo(16 * 5 * 150);
    }
}
