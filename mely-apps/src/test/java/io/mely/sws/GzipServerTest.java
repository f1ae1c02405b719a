// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient.Response;
import io.mely.sws.http.Coding;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that are compressed on the fly. */
class GzipServerTest extends SwsServerHarness {
    private static final String GZIP = "Accept-Encoding: gzip\r\n";
    private static final String TEXT = "body { color: green; margin: 0 }\n".repeat(200);

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    @BeforeEach
    void makeFiles() throws IOException {
        write("s.css", TEXT.getBytes(StandardCharsets.US_ASCII));
        write("big.js", TEXT.repeat(40).getBytes(StandardCharsets.US_ASCII));
        write("short.css", "short".getBytes(StandardCharsets.US_ASCII));
        byte[] noise = new byte[5_000];
        new Random(1).nextBytes(noise);
        write("noise.txt", noise);
        write("image.png", TEXT.getBytes(StandardCharsets.US_ASCII));
    }

    private void write(String name, byte[] content) throws IOException {
        Files.write(root.resolve(name), content);
    }

    private void startGzip() throws IOException {
        start(builder -> builder.set(SwsSettings.GZIP, true));
    }

    private static Response ask(RawClient client, String method, String path, String fields) throws IOException {
        return client.send(method + " " + path + " HTTP/1.1\r\n" + HOST + fields + "\r\n")
                .response(method.equals("HEAD"));
    }

    private static byte[] unpack(byte[] packed) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            return in.readAllBytes();
        }
    }

    /** The first answers may be of the file as it is; all are right. */
    private static Response awaitPacked(RawClient client, String path, byte[] content) {
        Response[] packed = new Response[1];
        await(() -> {
            try {
                Response response = ask(client, "GET", path, GZIP);
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.field("Vary")).isEqualTo("Accept-Encoding");
                if (response.field("Content-Encoding") == null) {
                    assertThat(response.body()).isEqualTo(content);
                    return false;
                }
                packed[0] = response;
                return true;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        return packed[0];
    }

    // Packed once, in memory and from large files: what comes out is the file, with its type, and a tag of its own.
    @ParameterizedTest
    @CsvSource({"/s.css, text/css; charset=utf-8", "/big.js, text/javascript; charset=utf-8"})
    void accepted_isPacked(String path, String type) throws IOException {
        startGzip();
        byte[] content = Files.readAllBytes(root.resolve(path.substring(1)));
        RawClient client = connect();
        Response packed = awaitPacked(client, path, content);
        assertThat(packed.field("Content-Encoding")).isEqualTo("gzip");
        assertThat(packed.field("Content-Type")).isEqualTo(type);
        assertThat(packed.body()).hasSizeLessThan(content.length / 5);
        assertThat(unpack(packed.body())).isEqualTo(content);

        Response plain = ask(client, "GET", path, "");
        assertThat(plain.body()).isEqualTo(content);
        assertThat(plain.field("Content-Encoding")).isNull();
        assertThat(plain.field("Vary")).isEqualTo("Accept-Encoding");
        assertThat(plain.field("ETag")).isNotEqualTo(packed.field("ETag"));
        assertThat(plain.field("Last-Modified")).isEqualTo(packed.field("Last-Modified"));

        Response head = ask(client, "HEAD", path, GZIP);
        assertThat(head.field("Content-Length")).isEqualTo(String.valueOf(packed.body().length));
        assertThat(head.field("ETag")).isEqualTo(packed.field("ETag"));
    }

    // Conditions and ranges are about what is sent.
    @Test
    void packed_conditionsAndRanges() throws IOException {
        startGzip();
        RawClient client = connect();
        Response packed = awaitPacked(client, "/s.css", TEXT.getBytes(StandardCharsets.US_ASCII));
        String tag = packed.field("ETag");
        String plainTag = ask(client, "GET", "/s.css", "").field("ETag");
        Response unchanged = ask(client, "GET", "/s.css", GZIP + "If-None-Match: " + tag + "\r\n");
        assertThat(unchanged.status()).isEqualTo(304);
        assertThat(unchanged.field("ETag")).isEqualTo(tag);
        assertThat(unchanged.field("Vary")).isEqualTo("Accept-Encoding");
        assertThat(ask(client, "GET", "/s.css", GZIP + "If-None-Match: " + plainTag + "\r\n")
                        .status())
                .isEqualTo(200);
        assertThat(ask(client, "GET", "/s.css", GZIP + "If-Match: " + plainTag + "\r\n")
                        .status())
                .isEqualTo(412);
        Response part = ask(client, "GET", "/s.css", GZIP + "Range: bytes=10-29\r\nIf-Range: " + tag + "\r\n");
        assertThat(part.status()).isEqualTo(206);
        assertThat(part.field("Content-Encoding")).isEqualTo("gzip");
        assertThat(part.field("Content-Range")).isEqualTo("bytes 10-29/" + packed.body().length);
        assertThat(part.body()).isEqualTo(Arrays.copyOfRange(packed.body(), 10, 30));
        for (String ifRange : List.of("", "If-Range: " + plainTag + "\r\n")) {
            Response plain = ask(client, "GET", "/s.css", GZIP + "Range: bytes=10-29\r\n" + ifRange);
            assertThat(plain.status()).isEqualTo(206);
            assertThat(plain.field("Content-Encoding")).isNull();
            assertThat(plain.field("Vary")).isEqualTo("Accept-Encoding");
            assertThat(plain.text()).isEqualTo(TEXT.substring(10, 30));
        }
        Response whole = ask(client, "GET", "/s.css", GZIP + "Range: bytes=10-29\r\nIf-Range: \"another\"\r\n");
        assertThat(whole.status()).isEqualTo(200);
        assertThat(whole.body()).isEqualTo(packed.body());
    }

    // Not accepted, too short, or of a type that does not shrink: as it is, and caches are told nothing they need not
    // know.
    @Test
    void others_areSentAsTheyAre() throws IOException {
        startGzip();
        RawClient client = connect();
        awaitPacked(client, "/s.css", TEXT.getBytes(StandardCharsets.US_ASCII));
        for (String fields : List.of("Accept-Encoding: gzip;q=0\r\n", "Accept-Encoding: br\r\n", "")) {
            assertThat(ask(client, "GET", "/s.css", fields).text()).isEqualTo(TEXT);
        }
        for (String path : List.of("/short.css", "/image.png", "/large.bin")) {
            Response response = ask(client, "GET", path, GZIP);
            assertThat(response.field("Content-Encoding")).isNull();
            assertThat(response.field("Vary")).isNull();
        }
    }

    // What does not shrink is tried once, and remembered.
    @Test
    void noise_isTriedOnce() throws IOException {
        startGzip();
        RawClient client = connect();
        await(() -> {
            try {
                Response response = ask(client, "GET", "/noise.txt", GZIP);
                assertThat(response.field("Content-Encoding")).isNull();
                return server.requestStats().cacheEntries() == 2;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(ask(client, "GET", "/noise.txt", GZIP).body()).hasSize(5_000);
    }

    // A change of the file is seen in its gzip as soon as in itself: whenever an answer comes, it is of the state that
    // has last been seen.
    @Test
    void changes_areSeen() throws IOException {
        startGzip();
        RawClient client = connect();
        String tag = "";
        for (int i = 0; i < 5; i++) {
            byte[] content = (i + TEXT).getBytes(StandardCharsets.US_ASCII);
            write("s.css", content);
            Files.setLastModifiedTime(
                    root.resolve("s.css"), FileTime.from(Instant.parse("2020-01-01T00:00:0" + i + "Z")));
            await(() -> {
                try {
                    return Arrays.equals(ask(client, "GET", "/s.css", "").body(), content);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            Response packed = awaitPacked(client, "/s.css", content);
            assertThat(unpack(packed.body())).isEqualTo(content);
            assertThat(packed.field("ETag")).isNotEqualTo(tag);
            tag = packed.field("ETag");
        }
    }

    // What somebody has compressed better lies beside the file, and is sent.
    @Test
    void neighbour_comesFirst() throws IOException {
        write("s.css.gz", "neighbour".getBytes(StandardCharsets.US_ASCII));
        start(builder ->
                builder.set(SwsSettings.GZIP, true).set(SwsSettings.PRECOMPRESSED, List.of(Coding.GZIP, Coding.BR)));
        RawClient client = connect();
        for (int i = 0; i < 5; i++) {
            assertThat(ask(client, "GET", "/s.css", GZIP).text()).isEqualTo("neighbour");
        }
        Response packed = awaitPacked(client, "/big.js", Files.readAllBytes(root.resolve("big.js")));
        assertThat(packed.field("Content-Encoding")).isEqualTo("gzip");
    }

    // Many files and little room: the budget holds, and whatever is sent is right.
    @Test
    void budget_holds() throws IOException {
        int files = 60;
        for (int i = 0; i < files; i++) {
            write("f" + i + ".css", (i + TEXT).getBytes(StandardCharsets.US_ASCII));
        }
        long budget = 100_000;
        start(builder -> builder.set(SwsSettings.GZIP, true).set(SwsSettings.CACHE_BUDGET, budget));
        RawClient client = connect();
        for (int i = 0; i < files; i++) {
            byte[] content = (i + TEXT).getBytes(StandardCharsets.US_ASCII);
            Response packed = awaitPacked(client, "/f" + i + ".css", content);
            assertThat(unpack(packed.body())).isEqualTo(content);
            assertThat(server.requestStats().cacheBytes()).isLessThan(2 * budget);
        }
        assertThat(server.requestStats().cacheEntries()).isLessThan(2 * files);
    }
}
