// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient.Response;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of files on real sockets, whatever the transport: from memory, gathered, and from the file. */
abstract class RangeContract extends SwsServerHarness {
    private static String ranged(String method, String name, String range, String fields) {
        return method + " /" + name + " HTTP/1.1\r\n" + HOST + "Range: bytes=" + range + "\r\n" + fields + "\r\n";
    }

    private static Response get(RawClient client, String name, String range, String fields) throws IOException {
        return client.send(ranged("GET", name, range, fields)).response();
    }

    /** One part of a multipart body. */
    private record Part(String contentRange, byte[] bytes) {}

    private static List<Part> parts(Response response) {
        String type = response.field("Content-Type");
        assertThat(type).startsWith("multipart/byteranges; boundary=");
        assertThat(response.field("Content-Range")).isNull();
        String delimiter = "\r\n--" + type.substring(type.indexOf('=') + 1);
        String text = "\r\n" + new String(response.body(), StandardCharsets.ISO_8859_1);
        assertThat(text).startsWith(delimiter).endsWith(delimiter + "--\r\n");
        List<Part> parts = new ArrayList<>();
        String[] pieces = text.split(delimiter, -1);
        for (String piece : Arrays.asList(pieces).subList(1, pieces.length - 1)) {
            int headEnd = piece.indexOf("\r\n\r\n");
            String head = piece.substring(0, headEnd);
            assertThat(head).startsWith("\r\nContent-Type: ");
            String contentRange = head.substring(head.indexOf("Content-Range: ") + 15);
            parts.add(new Part(contentRange, piece.substring(headEnd + 4).getBytes(StandardCharsets.ISO_8859_1)));
        }
        return parts;
    }

    private static void checkParts(Response response, byte[] content, int[][] expected) {
        assertThat(response.status()).isEqualTo(206);
        List<Part> parts = parts(response);
        assertThat(parts).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            int first = expected[i][0];
            int end = expected[i][1];
            assertThat(parts.get(i).contentRange())
                    .isEqualTo("bytes " + first + "-" + (end - 1) + "/" + content.length);
            assertThat(parts.get(i).bytes()).isEqualTo(Arrays.copyOfRange(content, first, end));
        }
    }

    /** Property: one range is exactly those bytes, whether they are copied, gathered or sent from the file. */
    @Test
    void range_isThatPart() throws IOException {
        start();
        RawClient client = connect();
        for (String name : List.of("a.html", "c.txt", "large.bin")) {
            byte[] content = Files.readAllBytes(root.resolve(name));
            int n = content.length;
            int[][] parts = {{0, 1}, {1, 3}, {2, n}, {0, n}, {n - 1, n}};
            for (int[] part : parts) {
                Response response = get(client, name, part[0] + "-" + (part[1] - 1), "");
                assertThat(response.status()).isEqualTo(206);
                assertThat(response.field("Content-Range"))
                        .isEqualTo("bytes " + part[0] + "-" + (part[1] - 1) + "/" + n);
                assertThat(response.body()).isEqualTo(Arrays.copyOfRange(content, part[0], part[1]));
            }
            assertThat(get(client, name, "-2", "").body()).isEqualTo(Arrays.copyOfRange(content, n - 2, n));
            Response beyond = get(client, name, n + "-", "");
            assertThat(beyond.status()).isEqualTo(416);
            assertThat(beyond.field("Content-Range")).isEqualTo("bytes */" + n);
            Response head = client.send(ranged("HEAD", name, "0-0", "")).response(true);
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.field("Accept-Ranges")).isEqualTo("bytes");
            String tag = head.field("ETag");
            assertThat(get(client, name, "0-0", "If-Range: " + tag + "\r\n").status())
                    .isEqualTo(206);
            assertThat(get(client, name, "0-0", "If-Range: W/" + tag + "\r\n").status())
                    .isEqualTo(200);
            assertThat(get(client, name, "0-0", "If-None-Match: *\r\n").status())
                    .isEqualTo(304);
        }
    }

    /** Property: each part is exactly those bytes, in the order asked for; a list never makes the response longer than the file. */
    @Test
    void ranges_areThoseParts() throws IOException {
        start();
        RawClient client = connect();
        for (String name : List.of("b.txt", "c.txt", "large.bin")) {
            byte[] content = Files.readAllBytes(root.resolve(name));
            int n = content.length;
            checkParts(get(client, name, "0-9,500-509", ""), content, new int[][] {{0, 10}, {500, 510}});
            checkParts(get(client, name, "-1,1000-1000,0-0", ""), content, new int[][] {{n - 1, n}, {1000, 1001}, {0, 1}
            });
            checkParts(get(client, name, "0-9,99999999-,500-509", ""), content, new int[][] {{0, 10}, {500, 510}});
            Response near = get(client, name, "0-0,2-2", "");
            assertThat(near.field("Content-Range")).isEqualTo("bytes 0-2/" + n);
            assertThat(near.body()).isEqualTo(Arrays.copyOf(content, 3));
            for (String whole : List.of("0-1499,1650-", "0-9,x", "0-9" + ",0-9".repeat(256))) {
                Response response = get(client, name, whole, "");
                assertThat(response.status()).as(whole).isEqualTo(200);
                assertThat(response.body()).isEqualTo(content);
            }
            assertThat(get(client, name, n + "-," + (n + 9) + "-", "").status()).isEqualTo(416);
            assertThat(client.send(ranged("HEAD", name, "0-9,500-509", ""))
                            .response(true)
                            .status())
                    .isEqualTo(200);
        }
        assertThat(server.requestStats().openFiles()).isEqualTo(1);
    }

    /** Two parts of 3 MB each: sent in slices, with others served in between. */
    @Test
    void ranges_large_slowReader_getsThemAll() throws IOException {
        start(builder -> builder.set(SwsSettings.SLICE, 64 << 10));
        int third = LARGE / 3;
        RawClient client = connect(1 << 12)
                .send(ranged("GET", "large.bin", "0-" + (third - 1) + "," + 2 * third + "-" + (3 * third - 1), ""))
                .get("/a.html");
        RawClient other = connect();
        for (int i = 0; i < 20; i++) {
            assertThat(other.get("/a.html").response().text()).isEqualTo("hello");
        }
        checkParts(client.response(), LARGE_CONTENT, new int[][] {{0, third}, {2 * third, 3 * third}});
        assertThat(client.response().text()).isEqualTo("hello");
    }

    /** Small parts go out together, as many as there is room for, with what is sent from the file before, between and behind them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ranges_many_smallAndLarge(boolean isSlow) throws IOException {
        start();
        RawClient client = connect(isSlow ? 1 << 12 : 0);
        for (int[] sizes :
                new int[][] {{64}, {4_096}, {4_097}, {64, 200_000}, {200_000, 64, 4_096}, {4_000, 64, 100_000}}) {
            int[][] expected = new int[36][];
            StringBuilder ranges = new StringBuilder();
            for (int i = 0; i < expected.length; i++) {
                int first = i * 220_000;
                expected[i] = new int[] {first, first + sizes[i % sizes.length]};
                ranges.append(i == 0 ? "" : ",").append(first).append('-').append(expected[i][1] - 1);
            }
            client.send(ranged("GET", "large.bin", ranges.toString(), "")).get("/a.html");
            checkParts(client.response(), LARGE_CONTENT, expected);
            assertThat(client.response().text()).isEqualTo("hello");
        }
    }

    @Test
    void ranges_pipelined_answersComeInOrder() throws IOException {
        start();
        RawClient client = connect();
        StringBuilder requests = new StringBuilder();
        int rounds = 20;
        for (int i = 0; i < rounds; i++) {
            requests.append(ranged("GET", "large.bin", "7-7", ""))
                    .append(ranged("GET", "b.txt", "0-9,500-509", ""))
                    .append(ranged("GET", "large.bin", "5000-5009,0-9,100000-100009", ""))
                    .append(ranged("GET", "c.txt", "0-9,5000-14999", ""))
                    .append(ranged("GET", "a.html", "9-", ""));
        }
        client.send(requests.toString());
        byte[] b = Files.readAllBytes(root.resolve("b.txt"));
        byte[] c = Files.readAllBytes(root.resolve("c.txt"));
        for (int i = 0; i < rounds; i++) {
            assertThat(client.response().body()).isEqualTo(Arrays.copyOfRange(LARGE_CONTENT, 7, 8));
            checkParts(client.response(), b, new int[][] {{0, 10}, {500, 510}});
            checkParts(client.response(), LARGE_CONTENT, new int[][] {{5000, 5010}, {0, 10}, {100_000, 100_010}});
            checkParts(client.response(), c, new int[][] {{0, 10}, {5000, 15_000}});
            assertThat(client.response().status()).isEqualTo(416);
        }
    }

    /** What was announced can't come any more: the connection ends, and nothing else does. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"1000000-150000000", "0-9,1000000-150000000", "0-99999999,120000000-150000000"})
    void truncatedWhileSent_endsTheConnection(String range) throws IOException {
        sparse("shrinking.bin", 200L << 20);
        start();
        RawClient client = connect(1 << 14).send(ranged("GET", "shrinking.bin", range, ""));
        assertThat(client.in().readNBytes(600)).hasSize(600);
        try (RandomAccessFile file =
                new RandomAccessFile(root.resolve("shrinking.bin").toFile(), "rw")) {
            file.setLength(1 << 20);
        }
        long read = 600;
        byte[] buffer = new byte[1 << 16];
        try {
            for (int n = client.in().read(buffer); n >= 0; n = client.in().read(buffer)) {
                read += n;
            }
        } catch (java.net.SocketException reset) {
            // also an end
        }
        assertThat(read).isLessThan(100L << 20);
        assertThat(connect().get("/a.html").response().text()).isEqualTo("hello");
    }

    @Test
    void clientsThatVanish_leaveNothing() throws IOException {
        start();
        for (int i = 0; i < 20; i++) {
            RawClient client = connect(1 << 12).send(ranged("GET", "large.bin", "0-2999999,4000000-7999999", ""));
            assertThat(client.in().read()).isEqualTo('H');
            client.reset();
        }
        await(() -> server.requestStats().open() == 0);
        assertThat(connect().get("/a.html").response().text()).isEqualTo("hello");
    }

    /** By date: an old one is exact, one of the future is not when the file was changed, and never said to be later than now. */
    @Test
    void ifRange_byDate() throws IOException {
        Files.setLastModifiedTime(root.resolve("c.txt"), FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
        Files.setLastModifiedTime(
                root.resolve("b.txt"), FileTime.from(Instant.now().plus(Duration.ofDays(1))));
        start();
        RawClient client = connect();
        String date = "If-Range: Wed, 01 Jan 2020 00:00:00 GMT\r\n";
        assertThat(get(client, "c.txt", "0-0", date).status()).isEqualTo(206);
        assertThat(get(client, "c.txt", "0-0,1000-1000", date).status()).isEqualTo(206);
        assertThat(get(client, "c.txt", "0-0", date.replace("2020", "2021")).status())
                .isEqualTo(200);
        Response future = client.get("/b.txt").response();
        Instant modified = instant(future.field("Last-Modified"));
        assertThat(modified).isBefore(instant(future.field("Date")));
        String said = "If-Range: " + future.field("Last-Modified") + "\r\n";
        assertThat(get(client, "b.txt", "0-0", said).status()).isEqualTo(200);
    }

    private static Instant instant(String date) {
        return java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from);
    }
}
