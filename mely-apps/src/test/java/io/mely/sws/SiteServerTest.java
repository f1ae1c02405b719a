// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient.Response;
import io.mely.sws.files.Fallback;
import io.mely.sws.files.TypeRule;
import io.mely.sws.http.ErrorPage;
import io.mely.sws.http.HeaderRule;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a site may have that one folder of plain files has not, on real sockets. */
class SiteServerTest extends SwsServerHarness {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    private Response fetch(String target) throws IOException {
        return connect().get(target).response();
    }

    // Who asks.

    // Another host is none of ours, whatever way it is named; who names none is no browser.
    @Test
    void hosts_othersAre421() throws IOException {
        start(builder -> builder.set(SwsSettings.HOSTS, List.of("example.org", "*.example.net", "[::1]")));
        for (String host :
                List.of("example.org", "EXAMPLE.org.:80", "a.example.net", "a.b.example.net:1", "[::1]:8080")) {
            assertThat(statusFor("GET /a.html HTTP/1.1\r\nHost: " + host))
                    .as(host)
                    .isEqualTo(200);
        }
        for (String host : List.of("evil.example", "example.org.evil", "example.net", "127.0.0.1", "xexample.org")) {
            assertThat(statusFor("GET /a.html HTTP/1.1\r\nHost: " + host))
                    .as(host)
                    .isEqualTo(421);
        }
        assertThat(statusFor("GET http://evil/a.html HTTP/1.1\r\nHost: example.org"))
                .isEqualTo(421);
        assertThat(statusFor("OPTIONS * HTTP/1.1\r\nHost: evil")).isEqualTo(421);
        assertThat(statusFor("GET /a.html HTTP/1.0")).isEqualTo(200);
    }

    private int statusFor(String head) throws IOException {
        return connect().send(head + "\r\n\r\n").response().status();
    }

    // Whether a path leads to nothing may depend on Accept: caches are told with every answer.
    @Test
    void fallbacks_everyAnswerVaries() throws IOException {
        start(builder -> builder.set(SwsSettings.FALLBACKS, List.of(new Fallback("/", "/a.html"))));
        RawClient client = connect();
        Response none = client.send("GET /route HTTP/1.1\r\n" + HOST + "Accept: application/json\r\n\r\n")
                .response();
        assertThat(none.status()).isEqualTo(404);
        assertThat(none.field("Vary")).isEqualTo("Accept");
        Response page = client.get("/route").response();
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.field("Vary")).isEqualTo("Accept");
    }

    // A list of more ranges than are allowed is passed over.
    @Test
    void rangesMax_moreAreIgnored() throws IOException {
        start(builder -> builder.set(SwsSettings.RANGES_MAX, 2));
        RawClient client = connect();
        String get = "GET /large.bin HTTP/1.1\r\n" + HOST + "Range: bytes=0-0,1000-1000";
        assertThat(client.send(get + "\r\n\r\n").response().status()).isEqualTo(206);
        assertThat(client.send(get + ",2000-2000\r\n\r\n").response().status()).isEqualTo(200);
    }

    // A handler that fails answers 500 and closes, and the server goes on.
    @Test
    void handlerThatThrows_is500() throws IOException {
        application = mely -> request -> {
            throw new IllegalStateException("a bug, for this test");
        };
        start();
        try (RawClient client = dial()) {
            Response response = client.get("/a.html").response();
            assertThat(response.status()).isEqualTo(500);
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(client.isEnded()).isTrue();
        }
        await(() -> server.requestStats().open() == 0);
        assertThat(server.requestStats().failures()).isEqualTo(1);
        assertThat(server.requestStats().exchanges()).isZero();
        server.close(PATIENCE);
        assertThat(server.memoryBytes()).isZero();
        server = null; // its books have a failure, as they should
    }

    // What is said.

    // Types, charsets and encodings by extension and by path; the last rule that matches counts, for parts and for 304
    // too.
    @Test
    void types_areAsConfigured() throws IOException {
        for (String name : List.of("old.htm", "drawing.SVGZ", "u.framework.js.gz", "feed.xml", "plain")) {
            Files.writeString(root.resolve(name), "x".repeat(2_000));
        }
        Files.createDirectories(root.resolve(".well-known"));
        Files.writeString(root.resolve(".well-known/apple-app-site-association"), "{}");
        List<TypeRule> rules = Stream.of(
                        ".htm text/html; charset=windows-1251",
                        ".svgz image/svg+xml encoding=gzip",
                        "/u.*.js.gz application/x-wrong",
                        "/u.*.js.gz text/javascript encoding=gzip",
                        ".xml application/xml",
                        "/.well-known/apple-* application/json")
                .map(TypeRule::parse)
                .toList();
        start(builder -> builder.set(SwsSettings.GZIP, true)
                .set(SwsSettings.TYPES, rules)
                .set(SwsSettings.NOSNIFF, false));
        assertType("/old.htm", "text/html; charset=windows-1251", null);
        assertType("/drawing.SVGZ", "image/svg+xml", "gzip");
        assertType("/u.framework.js.gz", "text/javascript", "gzip");
        assertType("/feed.xml", "application/xml", null);
        assertType("/.well-known/apple-app-site-association", "application/json", null);
        assertType("/plain", "application/octet-stream", null);
        Response part = connect()
                .send("GET /drawing.SVGZ HTTP/1.1\r\n" + HOST + "Range: bytes=1-2\r\n\r\n")
                .response();
        assertThat(part.field("Content-Type")).isEqualTo("image/svg+xml");
        assertThat(part.field("Content-Encoding")).isEqualTo("gzip");
        assertThat(part.field("X-Content-Type-Options")).isNull();
    }

    private void assertType(String path, String type, String encoding) throws IOException {
        Response response = fetch(path);
        assertThat(response.status()).as(path).isEqualTo(200);
        assertThat(response.field("Content-Type")).as(path).isEqualTo(type);
        assertThat(response.field("Content-Encoding")).as(path).isEqualTo(encoding);
        assertThat(response.field("X-Content-Type-Options")).isNull();
    }

    // Whatever the answer is made of, it has the fields; a rule for files wins over them.
    @Test
    void headersAlways_areInEveryAnswer() throws IOException {
        Files.createDirectories(root.resolve("empty"));
        List<HeaderRule> always = Stream.of("** X-All: yes", "/a* X-A: yes")
                .map(HeaderRule::parse)
                .toList();
        start(builder -> builder.set(SwsSettings.LISTING, true)
                .set(SwsSettings.HEADERS, List.of(HeaderRule.parse("/b.txt X-All: files")))
                .set(SwsSettings.HEADERS_ALWAYS, always));
        RawClient client = connect();
        String end = " HTTP/1.1\r\n" + HOST;
        Map<String, Integer> requests = new LinkedHashMap<>();
        requests.put("GET /a.html" + end, 200);
        requests.put("GET /a.html" + end + "If-None-Match: *\r\n", 304);
        requests.put("GET /a.html" + end + "If-Match: \"x\"\r\n", 412);
        requests.put("GET /a.html" + end + "Range: bytes=0-1\r\n", 206);
        requests.put("GET /a.html" + end + "Range: bytes=9999-\r\n", 416);
        requests.put("GET /anothing" + end, 404);
        requests.put("OPTIONS /a.html" + end + "Origin: http://x\r\nAccess-Control-Request-Method: GET\r\n", 204);
        requests.put("DELETE /a.html" + end, 405);
        requests.put("GET /dir" + end, 301);
        requests.put("GET /dir?q=1" + end, 301);
        requests.put("GET /empty/" + end, 200);
        requests.put("GET /%00" + end, 400);
        for (Map.Entry<String, Integer> each : requests.entrySet()) {
            Response response = client.send(each.getKey() + "\r\n").response();
            assertThat(response.status()).as(each.getKey()).isEqualTo(each.getValue());
            assertThat(response.field("X-All")).as(each.getKey()).isEqualTo("yes");
            assertThat(response.field("X-A"))
                    .as(each.getKey())
                    .isEqualTo(each.getKey().contains(" /a") ? "yes" : null);
        }
        assertThat(client.get("/b.txt").response().field("X-All")).isEqualTo("files");
        assertThat(client.send("nonsense\r\n\r\n").response().field("X-All")).isEqualTo("yes");
    }

    // An error page is a file: of any size, seen when it changes, and the built-in one in its place when it is missing.
    @Test
    void errorPage_isAFileOfTheTree() throws IOException {
        start(builder -> builder.set(
                        SwsSettings.ERROR_PAGES,
                        List.of(ErrorPage.parse("404 404.html"), ErrorPage.parse("405 404.html")))
                .set(SwsSettings.CACHE_REVALIDATION, Duration.ZERO));
        RawClient client = connect();
        assertThat(client.get("/none").response().text()).contains("404 Not Found");
        for (int size : new int[] {10, 12_289, 300_000}) {
            String page = "x".repeat(size);
            Files.writeString(root.resolve("404.html"), page);
            assertThat(client.get("/none").response().text()).isEqualTo(page);
            client.send(("GET /none HTTP/1.1\r\n" + HOST + "\r\n").repeat(3)).get("/a.html");
            for (int i = 0; i < 3; i++) {
                Response response = client.response();
                assertThat(response.status()).isEqualTo(404);
                assertThat(response.text()).isEqualTo(page);
            }
            assertThat(client.response().text()).isEqualTo("hello");
            Response head =
                    client.send("HEAD /none HTTP/1.1\r\n" + HOST + "\r\n").response(true);
            assertThat(head.field("Content-Length")).isEqualTo(String.valueOf(size));
            assertThat(client.send("DELETE / HTTP/1.1\r\n" + HOST + "\r\n")
                            .response()
                            .text())
                    .isEqualTo(page);
        }
        Files.delete(root.resolve("404.html"));
        assertThat(client.get("/none").response().text()).contains("404 Not Found");
    }

    // Which file.

    // A path that leads to no file is tried with each end, in order, before a folder of that name; what is there as it
    // stands comes first.
    @Test
    void trySuffixes_findAFile() throws IOException {
        Files.writeString(root.resolve("about.html"), "about");
        Files.createDirectories(root.resolve("about"));
        Files.writeString(root.resolve("notes.txt"), "notes");
        Files.writeString(root.resolve("plain"), "plain");
        Files.writeString(root.resolve("plain.html"), "other");
        start(builder -> builder.set(SwsSettings.TRY_SUFFIXES, List.of(".html", ".txt")));
        Response about = fetch("/about");
        assertThat(about.text()).isEqualTo("about");
        assertThat(about.field("Content-Type")).isEqualTo("text/html; charset=utf-8");
        assertThat(fetch("/notes").text()).isEqualTo("notes");
        assertThat(fetch("/plain").text()).isEqualTo("plain");
        assertThat(fetch("/dir").status()).isEqualTo(301);
        assertThat(fetch("/none").status()).isEqualTo(404);
        assertThat(fetch("/about/").status()).isEqualTo(404);
    }

    // Two files of one size and one date, as reproducible builds make them: who has the first gets the second, whole.
    @Test
    void entityTag_tellsContentsApart() throws IOException {
        for (int size : new int[] {100, 200_000}) {
            Path file = Files.writeString(root.resolve("built" + size), "1".repeat(size));
            Path next = Files.writeString(temp.resolve("next" + size), "2".repeat(size));
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_000));
            Files.setLastModifiedTime(next, FileTime.fromMillis(1_000));
        }
        start(builder -> builder.set(SwsSettings.CACHE_REVALIDATION, Duration.ZERO));
        for (int size : new int[] {100, 200_000}) {
            RawClient client = connect();
            String tag = client.get("/built" + size).response().field("ETag");
            assertThat(tag).startsWith("\"");
            Files.move(temp.resolve("next" + size), root.resolve("built" + size), StandardCopyOption.REPLACE_EXISTING);
            String get = "GET /built" + size + " HTTP/1.1\r\n" + HOST;
            Response changed =
                    client.send(get + "If-None-Match: " + tag + "\r\n\r\n").response();
            assertThat(changed.status()).isEqualTo(200);
            Response rest = client.send(get + "Range: bytes=50-\r\nIf-Range: " + tag + "\r\n\r\n")
                    .response();
            assertThat(rest.status()).isEqualTo(200);
            assertThat(rest.text()).isEqualTo("2".repeat(size));
        }
    }

    // What the server writes and reads, and what a JVM leaves behind, is nobody's, by its name or by a link; nor is it
    // listed.
    @Test
    void withheldFiles_areNotThere() throws IOException {
        Path log = root.resolve("access.log");
        Files.writeString(root.resolve("access.log.1"), "older");
        Files.writeString(root.resolve("access.log.txt"), "another");
        Path config = Files.writeString(root.resolve("my.conf"), "x");
        Files.createSymbolicLink(root.resolve("link"), config);
        start(builder -> builder.set(SwsSettings.LISTING, true)
                .set(SwsSettings.ACCESS_LOG, log.toString())
                .withheld(List.of(config)));
        for (String path : List.of("/access.log", "/access.log.1", "/my.conf", "/link")) {
            assertThat(fetch(path).status()).as(path).isEqualTo(404);
        }
        assertThat(fetch("/access.log.txt").text()).isEqualTo("another");
        assertThat(fetch("/").text())
                .contains("access.log.txt", "a.html")
                .doesNotContain("access.log\"", "access.log.1", "my.conf", "link");
    }

    // A link that leads outside answers the same whatever there is at its end.
    @Test
    void linkToTheOutside_tellsNothing() throws IOException {
        Files.createSymbolicLink(root.resolve("folder"), temp);
        Files.createSymbolicLink(root.resolve("file"), temp.resolve("secret.txt"));
        Files.createSymbolicLink(root.resolve("nothing"), temp.resolve("nothing"));
        start(builder -> builder.set(SwsSettings.LISTING, true));
        byte[] expected = fetch("/nothing").body();
        for (String path : List.of("/folder", "/folder/", "/folder/secret.txt", "/folder/none", "/file")) {
            Response response = fetch(path);
            assertThat(response.status()).as(path).isEqualTo(404);
            assertThat(response.body()).isEqualTo(expected);
        }
    }

    // A file that is appended to all the time is sent as it was when it was opened.
    @Test
    void appendedFile_isAlwaysSent() throws Exception {
        Path file = Files.writeString(root.resolve("app.log"), "line\n");
        start();
        AtomicBoolean isDone = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.APPEND)) {
                while (!isDone.get()) {
                    out.write("line\n".getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        writer.start();
        try (RawClient client = dial()) {
            for (int i = 0; i < 200; i++) {
                Response response = client.fetch("/app.log");
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.text()).startsWith("line\n");
            }
        } finally {
            isDone.set(true);
            writer.join();
        }
    }
}
