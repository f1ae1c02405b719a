// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient.Response;
import io.mely.sws.files.Fallback;
import io.mely.sws.http.Coding;
import io.mely.sws.http.HeaderRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What users of other static servers have reported, where this one was wrong, too. */
class ReportedBehaviourTest extends SwsServerHarness {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    private static String get(String target, String... fields) {
        return "GET " + target + " HTTP/1.1\r\n" + HOST + String.join("\r\n", fields)
                + (fields.length == 0 ? "" : "\r\n") + "\r\n";
    }

    // Builds that are to come out the same each time give all files one date: by that nobody can tell whether a file
    // has changed.
    @Test
    void filesOfReproducibleBuilds_haveNoDate() throws IOException {
        for (String date : List.of("1970-01-01T00:00:00Z", "1970-01-01T00:00:01Z", "1980-02-01T00:00:00Z")) {
            for (String name : List.of("c.txt", "large.bin")) {
                Files.setLastModifiedTime(root.resolve(name), FileTime.from(Instant.parse(date)));
            }
            start();
            RawClient client = connect();
            for (String target : List.of("/c.txt", "/large.bin")) {
                Response whole = client.fetch(target);
                assertThat(whole.field("Last-Modified")).as(date).isNull();
                String since = "Sat, 01 Jan 2000 00:00:00 GMT";
                assertThat(client.send(get(target, "If-Modified-Since: " + since))
                                .response()
                                .status())
                        .isEqualTo(200);
                assertThat(client.send(get(target, "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT"))
                                .response()
                                .status())
                        .isEqualTo(200);
                assertThat(client.send(get(target, "Range: bytes=0-1", "If-Range: Thu, 01 Jan 1970 00:00:00 GMT"))
                                .response()
                                .status())
                        .isEqualTo(200);
                String tag = whole.field("ETag");
                Response unchanged =
                        client.send(get(target, "If-None-Match: " + tag)).response();
                assertThat(unchanged.status()).isEqualTo(304);
                assertThat(unchanged.field("Last-Modified")).isNull();
                assertThat(client.send(get(target, "Range: bytes=0-1", "If-Range: " + tag))
                                .response()
                                .status())
                        .isEqualTo(206);
            }
            client.close();
            server.close();
        }
        Files.setLastModifiedTime(root.resolve("c.txt"), FileTime.from(Instant.parse("1981-01-01T00:00:00Z")));
        start();
        assertThat(connect().fetch("/c.txt").field("Last-Modified")).isEqualTo("Thu, 01 Jan 1981 00:00:00 GMT");
    }

    // Proxies that slice, and libraries that bound what they download, ask for the first part of every file.
    @Test
    void emptyFile_rangeIsIgnored() throws IOException {
        Files.createFile(root.resolve("empty.txt"));
        start();
        RawClient client = connect();
        for (String range : List.of("0-", "0-1023", "-5", "0-0,5-6")) {
            Response answer =
                    client.send(get("/empty.txt", "Range: bytes=" + range)).response();
            assertThat(answer.status()).as(range).isEqualTo(200);
            assertThat(answer.field("Content-Length")).isEqualTo("0");
        }
    }

    // Caches that look at one line only would mix variants up.
    @Test
    void vary_isOneLine_whoeverSetsIt() throws IOException {
        Path packed = Files.writeString(root.resolve("b.txt.gz"), "packed");
        assertThat(packed).exists();
        HeaderRule vary = HeaderRule.parse("** Vary: Accept-Language, accept-encoding");
        start(builder -> builder.set(SwsSettings.PRECOMPRESSED, List.of(Coding.GZIP))
                .set(SwsSettings.LISTING, true)
                .set(SwsSettings.FALLBACKS, List.of(Fallback.parse("/app/ /a.html")))
                .set(SwsSettings.HEADERS_ALWAYS, List.of(vary)));
        Files.createDirectories(root.resolve("list"));
        RawClient client = connect();
        assertThat(client.fetch("/b.txt").field("Vary")).isEqualTo("Accept-Encoding, Accept-Language");
        assertThat(client.fetch("/c.txt").field("Vary")).isEqualTo("Accept-Language, accept-encoding");
        assertThat(client.fetch("/app/x").field("Vary")).isEqualTo("Accept, Accept-Language, accept-encoding");
        assertThat(client.fetch("/list/").field("Vary")).isEqualTo("Accept, Accept-Language, accept-encoding");
        assertThat(client.fetch("/none").field("Vary")).isEqualTo("Accept-Language, accept-encoding, Accept");
        assertThat(client.fetch("/dir").field("Vary")).isEqualTo("Accept-Language, accept-encoding");
    }
}
