// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.typesafe.config.ConfigFactory;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.TestPictures;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

// The packaged program in a JVM of its own with little memory: bombs do no harm, a stop loses nothing, a kill leaves no
// halves.
@Timeout(300)
class ImagesSystemTest {
    private static final Path JAR = Path.of(System.getProperty("mely.images.jar", "target/images.jar"));
    private static final Pattern READY =
            Pattern.compile("images listening on http://127\\.0\\.0\\.1:(\\d+)/ \\(.*\\)\n");
    private static final int BOMBS = 200;

    @TempDir
    Path temp;

    private final HttpClient client = HttpClient.newHttpClient();
    private Process process;
    private Path err;
    private int port;

    @BeforeEach
    void start() throws IOException {
        assumeThat(JAR).exists();
        Path out = temp.resolve("out");
        err = temp.resolve("err");
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-ea",
                        "-Xmx256m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-Djava.io.tmpdir=" + Files.createDirectories(temp.resolve("tmp")),
                        "-jar",
                        JAR.toString(),
                        temp.resolve("results").toString(),
                        "--port",
                        "0",
                        "--cores",
                        "2")
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        await(() -> {
            Matcher ready = READY.matcher(Files.readString(out));
            boolean isReady = ready.find();
            port = isReady ? Integer.parseInt(ready.group(1)) : 0;
            return isReady;
        });
    }

    @AfterEach
    void end() throws InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
        }
    }

    private interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    private void await(Condition condition) throws IOException {
        long endNs = System.nanoTime() + Duration.ofSeconds(120).toNanos();
        try {
            while (!condition.holds()) {
                assertThat(process.isAlive()).as(Files.readString(err)).isTrue();
                assertThat(System.nanoTime() - endNs).as("in time").isNegative();
                LockSupport.parkNanos(5_000_000);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target));
    }

    private CompletableFuture<HttpResponse<String>> post(byte[] picture) {
        return client.sendAsync(
                request("/images")
                        .header("Content-Type", "image/png")
                        .POST(BodyPublishers.ofByteArray(picture))
                        .build(),
                BodyHandlers.ofString());
    }

    private void awaitFinished(HttpResponse<String> answer) throws IOException {
        String address = ConfigFactory.parseString(answer.body())
                .getConfigList("images")
                .get(0)
                .getString("address");
        await(() -> client.send(request(address).build(), BodyHandlers.ofString())
                .body()
                .contains("\"finished\""));
    }

    /** Twelve megapixels in a few KB, and allowed. */
    private static byte[] large() {
        return TestPictures.png(4_000, 3_000, 1, 0, new byte[(4_000 / 8 + 1) * 3_000]);
    }

    /** Says more than it has: the decoder finds its end in the first rows. */
    private static byte[] hollow() {
        return TestPictures.png(3_000, 3_000, 8, 6, new byte[20]);
    }

    private static byte[] textBomb() {
        byte[] content = TestPictures.deflate(new byte[64 << 20]);
        byte[] text = ByteBuffer.allocate(content.length + 3)
                .put(new byte[] {'k', 0, 0})
                .put(content)
                .array();
        return TestPictures.png(
                1, 1, 1, 3, new byte[2], TestPictures.chunk("zTXt", text), TestPictures.chunk("PLTE", new byte[6]));
    }

    @Test
    void bombs_doNoHarm_andGoodPicturesGoOn() throws Exception {
        List<byte[]> bombs = List.of(TestPictures.bomb(), hollow(), large(), textBomb());
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        List<HttpResponse<String>> good = new ArrayList<>();
        for (int i = 0; i < BOMBS; i++) {
            answers.add(post(bombs.get(i % bombs.size())));
            if (i % 20 == 0) {
                good.add(taken(TestPictures.file(TestPictures.photo(600, 400, i), PictureFormat.JPEG)));
            }
        }
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            assertThat(answer.get(120, TimeUnit.SECONDS).statusCode()).isIn(201, 202, 413, 422, 503);
        }
        for (HttpResponse<String> each : good) {
            awaitFinished(each);
        }
        assertThat(Files.readString(err)).doesNotContain("OutOfMemory").doesNotContain("failed on core");
        assertThat(process.isAlive()).isTrue();
    }

    /** Who is told to come later does. */
    private HttpResponse<String> taken(byte[] picture) throws Exception {
        List<HttpResponse<String>> last = new ArrayList<>();
        await(() -> {
            last.clear();
            last.add(client.send(
                    request("/images")
                            .header("Content-Type", "image/jpeg")
                            .POST(BodyPublishers.ofByteArray(picture))
                            .build(),
                    BodyHandlers.ofString()));
            return last.get(0).statusCode() != 503;
        });
        assertThat(last.get(0).statusCode()).as(last.get(0).body()).isEqualTo(202);
        return last.get(0);
    }

    @Test
    void stop_finishesWhatIsInWork() throws Exception {
        HttpResponse<String> answer = taken(TestPictures.file(TestPictures.photo(1_500, 1_000, 1), PictureFormat.JPEG));
        process.destroy();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        String id = ConfigFactory.parseString(answer.body())
                .getConfigList("images")
                .get(0)
                .getString("id");
        Path folder = temp.resolve("results/images").resolve(id);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.count()).isEqualTo(13);
        }
        assertThat(Files.readString(folder.resolve("status.json"))).contains("\"finished\"");
    }

    // Each file that has its name is whole, whenever the process ends; and the next one cleans up.
    @Test
    void kill_leavesNoHalves() throws Exception {
        for (int i = 0; i < 4; i++) {
            taken(TestPictures.file(TestPictures.photo(1_200, 900, i), PictureFormat.JPEG));
        }
        Path images = temp.resolve("results/images");
        await(() -> {
            try (Stream<Path> files = Files.walk(images)) {
                return files.anyMatch(Files::isRegularFile);
            }
        });
        process.destroyForcibly().waitFor();
        assertThat(temp.resolve("tmp")).isEmptyDirectory();
        try (Stream<Path> files = Files.walk(images)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!file.endsWith("status.json")) {
                    assertThat(javax.imageio.ImageIO.read(file.toFile()))
                            .as(file.toString())
                            .isNotNull();
                }
            }
        }
        start();
        try (Stream<Path> folders = Files.list(images)) {
            assertThat(folders)
                    .allSatisfy(
                            folder -> assertThat(folder.resolve("status.json")).exists());
        }
        try (Stream<Path> parts = Files.list(temp.resolve("results/.images"))) {
            assertThat(parts.map(part -> part.getFileName().toString())).containsExactly("lock");
        }
    }
}
