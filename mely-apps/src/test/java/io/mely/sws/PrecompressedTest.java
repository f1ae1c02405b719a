// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient.Response;
import io.mely.sws.http.Coding;
import io.mely.sws.http.HeaderRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that lie compressed beside others. */
class PrecompressedTest extends SwsServerHarness {
    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    @BeforeEach
    void makeNeighbours() throws IOException {
        write("s.css", "plain style", 0);
        write("s.css.br", "brotli", 0);
        write("s.css.gz", "gzipped", 5);
        write("old.css", "new", 9);
        write("old.css.br", "stale", 0);
        write("dir/index.html", "index", 0);
        write("dir/index.html.zst", "zstd", 0);
        write("big.txt", "p".repeat(200_000), 0);
        write("big.txt.gz", "z".repeat(100_000), 0);
    }

    private void write(String name, String content, int ageS) throws IOException {
        Files.writeString(root.resolve(name), content);
        Files.setLastModifiedTime(
                root.resolve(name),
                FileTime.from(Instant.parse("2020-01-01T00:00:00Z").plusSeconds(ageS)));
    }

    private void startWith(Coding... codings) throws IOException {
        start(builder -> builder.set(SwsSettings.PRECOMPRESSED, List.of(codings))
                .set(SwsSettings.HEADERS, List.of(new HeaderRule("/s.css", "Cache-Control", "no-cache"))));
    }

    private static Response get(RawClient client, String path, String fields) throws IOException {
        return client.send("GET " + path + " HTTP/1.1\r\n" + HOST + fields + "\r\n")
                .response();
    }

    /** Property: the client gets a coding that it accepts, with the type of the file, and caches know what it depends on. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "br, gzip, zstd | br | brotli",
                "gzip | gzip | gzipped",
                "GZIP | gzip | gzipped",
                "zstd | | plain style",
                "br;q=0, gzip;q=0.1 | gzip | gzipped",
                "identity | | plain style",
                "'' | | plain style",
            })
    void accepted_isSent(String accepted, String coding, String body) throws IOException {
        startWith(Coding.values());
        RawClient client = connect();
        for (int i = 0; i < 2; i++) {
            Response response = get(client, "/s.css", "Accept-Encoding: " + accepted + "\r\n");
            assertThat(response.text()).isEqualTo(body);
            assertThat(response.field("Content-Encoding")).isEqualTo(coding);
            assertThat(response.field("Content-Type")).startsWith("text/css");
            assertThat(response.field("Vary")).isEqualTo("Accept-Encoding");
            assertThat(response.field("Cache-Control")).isEqualTo("no-cache");
        }
    }

    @Test
    void notAsked_notThere_stale_orOff_isPlain() throws IOException {
        startWith(Coding.BR);
        RawClient client = connect();
        String all = "Accept-Encoding: br, gzip, zstd\r\n";
        assertThat(get(client, "/s.css", "").text()).isEqualTo("plain style");
        assertThat(get(client, "/s.css", "Accept-Encoding: gzip\r\n").text()).isEqualTo("plain style");
        Response stale = get(client, "/old.css", all);
        assertThat(stale.text()).isEqualTo("new");
        assertThat(stale.field("Vary")).isNull();
        assertThat(get(client, "/a.html", all).field("Vary")).isNull();
        assertThat(get(client, "/s.css.br", "").text()).isEqualTo("brotli");
        assertThat(get(client, "/s.css.br", "").field("Content-Encoding")).isNull();
        assertThat(get(client, "/missing", all).status()).isEqualTo(404);
    }

    @Test
    void conditionsAndRanges_areAboutTheCoding() throws IOException {
        startWith(Coding.values());
        RawClient client = connect();
        String br = "Accept-Encoding: br\r\n";
        String tag = get(client, "/s.css", br).field("ETag");
        String plainTag = get(client, "/s.css", "").field("ETag");
        assertThat(tag).isNotEqualTo(plainTag).endsWith("-br\"");
        Response same = get(client, "/s.css", br + "If-None-Match: " + tag + "\r\n");
        assertThat(same.status()).isEqualTo(304);
        assertThat(same.field("Vary")).isEqualTo("Accept-Encoding");
        assertThat(get(client, "/s.css", "If-None-Match: " + tag + "\r\n").status())
                .isEqualTo(200);
        Response plainPart = get(client, "/s.css", br + "Range: bytes=0-1\r\n");
        assertThat(plainPart.status()).isEqualTo(206);
        assertThat(plainPart.field("Content-Encoding")).isNull();
        assertThat(plainPart.field("ETag")).isEqualTo(plainTag);
        assertThat(plainPart.field("Vary")).isEqualTo("Accept-Encoding");
        Response part = get(client, "/s.css", br + "Range: bytes=0-1\r\nIf-Range: " + tag + "\r\n");
        assertThat(part.text()).isEqualTo("br");
        assertThat(part.field("Content-Encoding")).isEqualTo("br");
        String bigTag = get(client, "/big.txt", "Accept-Encoding: gzip\r\n").field("ETag");
        Response big =
                get(client, "/big.txt", "Accept-Encoding: gzip\r\nRange: bytes=-5\r\nIf-Range: " + bigTag + "\r\n");
        assertThat(big.text()).isEqualTo("zzzzz");
        assertThat(get(client, "/big.txt", "Accept-Encoding: gzip\r\n").body()).hasSize(100_000);
        assertThat(get(client, "/dir/", "Accept-Encoding: zstd\r\n").text()).isEqualTo("zstd");
        Response head =
                client.send("HEAD /s.css HTTP/1.1\r\n" + HOST + br + "\r\n").response(true);
        assertThat(head.field("Content-Length")).isEqualTo("6");
    }

    /** Property: neighbours that come, change and go are seen after the interval; meanwhile the answer is one that was true. */
    @Test
    void neighboursThatChange_areSeen() throws IOException {
        startWith(Coding.values());
        RawClient client = connect();
        assertThat(text(client)).isEqualTo("brotli");
        write("s.css.br", "brotli, again", 3);
        await(() -> text(client).equals("brotli, again"));
        Files.delete(root.resolve("s.css.br"));
        await(() -> text(client).equals("plain style"));
        write("s.css.br", "third", 4);
        await(() -> text(client).equals("third"));
        write("s.css", "a newer style", 7);
        await(() -> text(client).equals("a newer style"));
    }

    private static String text(RawClient client) {
        try {
            return get(client, "/s.css", "Accept-Encoding: br\r\n").text();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
