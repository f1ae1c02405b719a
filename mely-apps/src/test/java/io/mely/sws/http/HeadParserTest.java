// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Property: a head is accepted or refused with the same answer, however its bytes are split, and what is ambiguous is refused. */
class HeadParserTest {
    private static final HeadLimits LIMITS = new HeadLimits(200, 600, 8);
    private static final String HOST = "Host: a\r\n";

    record Case(String input, int status) {
        @Override
        public String toString() {
            String shown = input.replace("\r", "\\r").replace("\n", "\\n").replace("\0", "\\0");
            return status + " " + (shown.length() > 90 ? shown.substring(0, 90) + "…" : shown);
        }
    }

    private static Case ok(String input) {
        return new Case(input, HeadParser.DONE);
    }

    private static Case get(String fields, int status) {
        return new Case("GET / HTTP/1.1\r\n" + fields + "\r\n", status);
    }

    private static Case line(String line, int status) {
        return new Case(line + "\r\n" + HOST + "\r\n", status);
    }

    static Stream<Case> cases() {
        return Stream.of(
                // request line
                line("GET / HTTP/1.1", 1),
                line("HEAD /a/b?c=d&e HTTP/1.1", 1),
                line("POST /a HTTP/1.1", 1),
                line("OPTIONS * HTTP/1.1", 1),
                line("OPTIONS /a HTTP/1.1", 1),
                line("BREW /pot HTTP/1.1", 1),
                line("GET * HTTP/1.1", 400),
                line("GET  / HTTP/1.1", 400),
                line("GET /  HTTP/1.1", 400),
                line("GET /\tHTTP/1.1", 400),
                line("GET\t/ HTTP/1.1", 400),
                line(" GET / HTTP/1.1", 400),
                line("GET / HTTP/1.1 ", 400),
                line("GET /", 400),
                line("GET", 400),
                line("GET HTTP/1.1", 400),
                line("GET  HTTP/1.1", 400),
                line("G(T / HTTP/1.1", 400),
                line("GET /a b HTTP/1.1", 400),
                line("GET /a#b HTTP/1.1", 400),
                line("GET /a\0b HTTP/1.1", 400),
                line("GET /a\u007fb HTTP/1.1", 400),
                line("GET /ä HTTP/1.1", 400), // Latin-1
                line("GET /\u00c3\u00a4?q=\u00c3\u00a9 HTTP/1.1", 1), // UTF-8
                line("GET /?q=\u00c3 HTTP/1.1", 400),
                line("GET http://a/\u00c3\u00a4 HTTP/1.1", 1),
                line("GET http://\u00c3\u00a4/ HTTP/1.1", 400),
                line("GET a HTTP/1.1", 400),
                line("GET /a|{}^`\\\"<>[] HTTP/1.1", 1),
                line("GET / HTTP/1.0", 1),
                line("GET / HTTP/1.2", 1),
                line("GET / HTTP/1.9", 1),
                line("GET / HTTP/2.0", 505),
                line("GET / HTTP/0.9", 505),
                line("GET / HTTP/3.0", 505),
                line("GET / HTTP/11.1", 400),
                line("GET / HTTP/1.10", 400),
                line("GET / HTTP/1,1", 400),
                line("GET / http/1.1", 400),
                line("GET / HTTP/x.1", 400),
                line("GET / HTTP/1.", 400),
                line("GET / HTTP 1.1", 400),
                line("GET / FTTP/1.1", 400),
                line("x".repeat(33) + " / HTTP/1.1", 400),
                line("GET /" + "a".repeat(300) + " HTTP/1.1", 414),
                line("GET /" + "a".repeat(186) + " HTTP/1.1", 1), // 200 bytes
                line("GET /" + "a".repeat(187) + " HTTP/1.1", 414),
                line("GET /" + "a".repeat(1000) + " HTTP/1.1", 414),
                // absolute and authority form
                line("GET http://h/p HTTP/1.1", 1),
                line("GET HTTP://h:80/p?q HTTP/1.1", 1),
                line("GET HTTPS://h/p HTTP/1.1", 421),
                line("GET https://u@h/p HTTP/1.1", 400),
                line("GET http://h HTTP/1.1", 1),
                line("GET http://h?q HTTP/1.1", 1),
                line("GET http://[::1]:80/ HTTP/1.1", 1),
                line("GET http:// HTTP/1.1", 400),
                line("GET http:///p HTTP/1.1", 400),
                line("GET http://u@h/p HTTP/1.1", 400),
                line("GET http://h:x/p HTTP/1.1", 400),
                line("GET http:/h/p HTTP/1.1", 400),
                line("GET ftp://h/p HTTP/1.1", 400),
                line("GET h:80 HTTP/1.1", 400),
                line("CONNECT h:80 HTTP/1.1", 1),
                line("CONNECT h@:80 HTTP/1.1", 400),
                // empty lines before
                ok("\r\nGET / HTTP/1.1\r\n" + HOST + "\r\n"),
                ok("\r\n\r\nGET / HTTP/1.1\r\n" + HOST + "\r\n"),
                new Case("\r\n\r\n\r\nGET / HTTP/1.1\r\n" + HOST + "\r\n", 400),
                // line ends
                new Case("GET / HTTP/1.1\n" + HOST + "\r\n", 400),
                new Case("GET / HTTP/1.1\r\nHost: a\n\r\n", 400),
                new Case("GET / HTTP/1.1\r\nHost: a\r\n\n", 400),
                new Case("GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", 400),
                new Case("\nGET / HTTP/1.1\r\n" + HOST + "\r\n", 400),
                // Host
                get("Host: a\r\n", 1),
                get("Host:a\r\n", 1),
                get("hOsT: \t a.b-c.d \t\r\n", 1),
                get("Host: a:8080\r\n", 1),
                get("Host: a:\r\n", 1),
                get("Host: 127.0.0.1:80\r\n", 1),
                get("Host: [::1]\r\n", 1),
                get("Host: [::1]:80\r\n", 1),
                get("Host: [::ffff:1.2.3.4]\r\n", 1),
                get("Host: a%20b\r\n", 1),
                get("", 400),
                get("Host:\r\n", 400),
                get("Host: \r\n", 400),
                get("Host: a\r\nHost: a\r\n", 400),
                get("Host: a, b\r\n", 400),
                get("Host: a b\r\n", 400),
                get("Host: a/b\r\n", 400),
                get("Host: a@b\r\n", 400),
                get("Host: a:99999\r\n", 400),
                get("Host: a:8o\r\n", 400),
                get("Host: a%2\r\n", 400),
                get("Host: a%zz\r\n", 400),
                get("Host: [::1\r\n", 400),
                get("Host: [::1]x\r\n", 400),
                get("Host: []\r\n", 400),
                get("Host: ä\r\n", 400),
                get("Host: http://a\r\n", 400),
                new Case("GET http://h/ HTTP/1.1\r\n\r\n", 400),
                ok("GET / HTTP/1.0\r\n\r\n"),
                new Case("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400),
                // fields
                get(HOST + "A: b\r\n", 1),
                get(HOST + "A:\r\n", 1),
                get(HOST + "A:\t b \tc \r\n", 1),
                get(HOST + "A: ä\r\n", 1),
                get(HOST + "A : b\r\n", 400),
                get(HOST + "A\t: b\r\n", 400),
                get(HOST + " A: b\r\n", 400),
                get(" A: b\r\n" + HOST, 400),
                get(HOST + "A: b\r\n c\r\n", 400),
                get(HOST + "A: b\r\n\tc\r\n", 400),
                get(HOST + ": b\r\n", 400),
                get(HOST + "A\r\n", 400),
                get(HOST + "A b: c\r\n", 400),
                get(HOST + "Ä: c\r\n", 400),
                get(HOST + "A(: c\r\n", 400),
                get(HOST + "A: b\0c\r\n", 400),
                get(HOST + "A: b\rc\r\n", 400),
                get(HOST + "A: b\u001bc\r\n", 400),
                get(HOST + "A: aaaaaaaaaaaaaaaaaaaaaaaa\u007f\r\n", 400),
                get(HOST + "A: b\r\n".repeat(7), 1),
                get(HOST + "A: b\r\n".repeat(8), 431),
                get(HOST + "A: " + "b".repeat(700) + "\r\n", 431),
                get(HOST + "A: " + "b".repeat(2000) + "\r\n", 431),
                get(HOST + "A: " + "b".repeat(600 - 31) + "\r\n", 431), // 601 bytes
                get(HOST + "A: " + "b".repeat(600 - 32) + "\r\n", 1),
                // framing
                get(HOST + "Content-Length: 0\r\n", 1),
                get(HOST + "Content-Length: 5\r\n", 1),
                get(HOST + "Content-Length: 00005\r\n", 1),
                get(HOST + "Content-Length: 9223372036854775807\r\n", 1),
                get(HOST + "Content-Length: 9223372036854775808\r\n", 400),
                get(HOST + "Content-Length: 99999999999999999999999\r\n", 400),
                get(HOST + "Content-Length:\r\n", 400),
                get(HOST + "Content-Length: -1\r\n", 400),
                get(HOST + "Content-Length: +1\r\n", 400),
                get(HOST + "Content-Length: 1,1\r\n", 400),
                get(HOST + "Content-Length: 1 1\r\n", 400),
                get(HOST + "Content-Length: 0x1\r\n", 400),
                get(HOST + "Content-Length: 5\r\nContent-Length: 5\r\n", 400),
                get(HOST + "Content-Length: 5\r\ncontent-length: 6\r\n", 400),
                get(HOST + "Transfer-Encoding: chunked\r\n", 1),
                get(HOST + "Transfer-Encoding: CHUNKED\r\n", 1),
                get(HOST + "Transfer-Encoding: gzip, chunked\r\n", 501),
                get(HOST + "Transfer-Encoding: gzip,chunked\r\n", 501),
                get(HOST + "Transfer-Encoding: chunked, gzip\r\n", 400),
                get(HOST + "Transfer-Encoding: chunked, chunked\r\n", 400),
                get(HOST + "Transfer-Encoding: xchunked\r\n", 400),
                get(HOST + "Transfer-Encoding: chunkedx\r\n", 400),
                get(HOST + "Transfer-Encoding: identity\r\n", 400),
                get(HOST + "Transfer-Encoding:\r\n", 400),
                get(HOST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
                get(HOST + "Transfer-Encoding: \u000bchunked\r\n", 400),
                get(HOST + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400),
                get(HOST + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
                new Case("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
                // no HTTP at all
                new Case("\u0016\u0003\u0001\u0002\0", 400),
                new Case("\0\0\0\0\0\0\0\0\0\0\0", 400),
                new Case("hello\n", 400),
                new Case("\r\r", 400),
                // incomplete
                new Case("", 0),
                new Case("\r", 0),
                new Case("GET / HT", 0),
                new Case("GET / HTTP/1.1\r", 0),
                new Case("GET / HTTP/1.1\r\nHost: a\r\n\r", 0));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void parse_whole(Case c) {
        byte[] bytes = c.input.getBytes(StandardCharsets.ISO_8859_1);
        assertThat(new HeadParser(LIMITS).parse(bytes, 0, bytes.length)).isEqualTo(c.status);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void parse_splitOnceAtEveryByte(Case c) {
        byte[] bytes = c.input.getBytes(StandardCharsets.ISO_8859_1);
        for (int split = 0; split <= bytes.length; split++) {
            HeadParser parser = new HeadParser(LIMITS);
            int first = parser.parse(bytes, 0, split);
            int answer = first == HeadParser.NEED_MORE ? parser.parse(bytes, 0, bytes.length) : first;
            assertThat(answer).as("split at %s", split).isEqualTo(c.status);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void parse_byteByByte_movingInTheBuffer(Case c) {
        byte[] bytes = c.input.getBytes(StandardCharsets.ISO_8859_1);
        HeadParser parser = new HeadParser(LIMITS);
        int answer = HeadParser.NEED_MORE;
        for (int end = 1; end <= bytes.length && answer == HeadParser.NEED_MORE; end++) {
            byte[] moved = new byte[bytes.length + 3];
            System.arraycopy(bytes, 0, moved, end % 3, end);
            answer = parser.parse(moved, end % 3, end % 3 + end);
        }
        assertThat(answer).isEqualTo(c.status);
    }

    @Test
    void head_hasPathAndQuery() {
        assertTarget("/a/b%20c?x=/y", "/a/b%20c", "?x=/y", true);
        assertTarget("/?", "/", "?", false);
        assertTarget("/a?%41", "/a", "?%41", false);
        assertTarget("http://h:1/p?q", "/p", "?q", false);
        assertTarget("http://h?q", "", "?q", false);
        assertTarget("http://h", "", "", false);
    }

    private static void assertTarget(String target, String path, String query, boolean isEncoded) {
        String before = "xx";
        byte[] bytes =
                (before + "\r\nGET " + target + " HTTP/1.1\r\n" + HOST + "\r\n").getBytes(StandardCharsets.US_ASCII);
        HeadParser parser = new HeadParser(LIMITS);
        assertThat(parser.parse(bytes, 2, bytes.length)).isEqualTo(HeadParser.DONE);
        RequestHead head = parser.head();
        assertThat(text(bytes, head.pathStart(), head.pathEnd())).isEqualTo(path);
        assertThat(text(bytes, head.pathEnd(), head.queryEnd())).isEqualTo(query);
        assertThat(head.isPathEncoded()).isEqualTo(isEncoded);
        assertThat(parser.headBytes()).isEqualTo(bytes.length - 2);
    }

    private static String text(byte[] bytes, int from, int end) {
        return new String(bytes, 2 + from, end - from, StandardCharsets.US_ASCII);
    }

    @Test
    void isPersistent_followsVersionAndConnection() {
        assertThat(head("HTTP/1.1", "").isPersistent()).isTrue();
        assertThat(head("HTTP/1.1", "Connection: close\r\n").isPersistent()).isFalse();
        assertThat(head("HTTP/1.1", "Connection: Upgrade , CLOSE\r\n").isPersistent())
                .isFalse();
        assertThat(head("HTTP/1.1", "Connection: x,,close\r\n").isPersistent()).isFalse();
        assertThat(head("HTTP/1.1", "Connection: closed\r\n").isPersistent()).isTrue();
        assertThat(head("HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n")
                        .isPersistent())
                .isFalse();
        assertThat(head("HTTP/1.0", "").isPersistent()).isFalse();
        assertThat(head("HTTP/1.0", "Connection: Keep-Alive\r\n").isPersistent())
                .isTrue();
        assertThat(head("HTTP/1.0", "Connection: keep-alive, close\r\n").isPersistent())
                .isFalse();
    }

    @Test
    void head_hasBodyAndExpectation() {
        assertThat(head("HTTP/1.1", "").body()).isEqualTo(RequestHead.Body.NONE);
        assertThat(head("HTTP/1.1", "Content-Length: 0\r\n").body()).isEqualTo(RequestHead.Body.NONE);
        assertThat(head("HTTP/1.1", "Content-Length: 12\r\n").body()).isEqualTo(RequestHead.Body.FIXED);
        assertThat(head("HTTP/1.1", "Content-Length: 12\r\n").contentLength()).isEqualTo(12);
        assertThat(head("HTTP/1.1", "Transfer-Encoding: chunked\r\n").body()).isEqualTo(RequestHead.Body.CHUNKED);
        assertThat(head("HTTP/1.1", "Expect: 100-Continue\r\n").expectsContinue())
                .isTrue();
        assertThat(head("HTTP/1.0", "Expect: 100-continue\r\n").expectsContinue())
                .isFalse();
        assertThat(head("HTTP/1.1", "Expect: tea\r\n").hasUnknownExpectation()).isTrue();
    }

    @Test
    void reset_forgetsEverything() {
        byte[] first =
                ("POST /x%20y HTTP/1.0\r\nConnection: close\r\nContent-Length: 7\r\nIf-Match: \"a\"\r\nExpect: z\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] second = ("GET / HTTP/1.1\r\n" + HOST + "\r\n").getBytes(StandardCharsets.US_ASCII);
        HeadParser parser = new HeadParser(LIMITS);
        assertThat(parser.parse(first, 0, first.length)).isEqualTo(HeadParser.DONE);
        parser.reset();
        assertThat(parser.parse(second, 0, second.length)).isEqualTo(HeadParser.DONE);
        RequestHead head = parser.head();
        assertThat(head.method()).isEqualTo(Method.GET);
        assertThat(head.isPersistent()).isTrue();
        assertThat(head.body()).isEqualTo(RequestHead.Body.NONE);
        assertThat(head.isConditional()).isFalse();
        assertThat(head.ifMatch.isAbsent()).isTrue();
        assertThat(head.hasUnknownExpectation()).isFalse();
        assertThat(head.isPathEncoded()).isFalse();
    }

    @Test
    void parse_randomBytes_neverThrowsAndNeverReadsPastTheEnd() {
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        Random random = new Random(seed);
        byte[] sample = ("GET /a%20b?c HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        HeadParser parser = new HeadParser(LIMITS);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = Arrays.copyOf(sample, random.nextInt(sample.length) + 1);
            for (int edit = random.nextInt(4); edit > 0; edit--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            parser.reset();
            int answer = parser.parse(bytes, 0, bytes.length);
            assertThat(answer).as("seed %s", seed).isIn(0, 1, 400, 414, 431, 501, 505);
        }
    }

    private static RequestHead head(String version, String fields) {
        byte[] bytes = ("GET / " + version + "\r\n" + HOST + fields + "\r\n").getBytes(StandardCharsets.US_ASCII);
        HeadParser parser = new HeadParser(LIMITS);
        assertThat(parser.parse(bytes, 0, bytes.length)).isEqualTo(HeadParser.DONE);
        return parser.head();
    }
}
