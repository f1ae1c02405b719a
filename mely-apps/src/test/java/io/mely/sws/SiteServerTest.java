// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient.Response;
import io.mely.sws.files.Fallback;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
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
        start(builder -> builder.site(SiteRules.DEFAULT.withHosts(List.of("example.org", "*.example.net", "[::1]"))));
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
        start(builder -> builder.fallbacks(List.of(new Fallback("/", "/a.html"))));
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
        start(builder -> builder.site(SiteRules.DEFAULT.withRangesMax(2)));
        RawClient client = connect();
        String get = "GET /large.bin HTTP/1.1\r\n" + HOST + "Range: bytes=0-0,1000-1000";
        assertThat(client.send(get + "\r\n\r\n").response().status()).isEqualTo(206);
        assertThat(client.send(get + ",2000-2000\r\n\r\n").response().status()).isEqualTo(200);
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
        start(builder -> builder.site(SiteRules.DEFAULT.withTrySuffixes(List.of(".html", ".txt"))));
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
        start(builder -> builder.cacheRevalidation(Duration.ZERO));
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
        start(builder ->
                builder.listing(true).accessLog(log.toString()).site(SiteRules.DEFAULT.withWithheld(List.of(config))));
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
        start(builder -> builder.listing(true));
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
