// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient.Response;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
