// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.drew.imaging.ImageMetadataReader;
import com.drew.metadata.exif.ExifDirectoryBase;
import com.typesafe.config.Config;
import io.mely.images.picture.BoxBlur;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.Scaler;
import io.mely.images.picture.TestPictures;
import io.mely.sws.RawClient;
import io.mely.sws.SwsConfig;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

// Over HTTP, as programs and browsers ask.
@Timeout(300)
class ImagesServerTest extends ImagesHarness {
    private static final BufferedImage PHOTO = TestPictures.photo(800, 600, 1);

    private static BufferedImage expected(Version version) {
        BufferedImage scaled = Scaler.scale(PHOTO, version.side());
        return version.blur() == 0 ? scaled : BoxBlur.blur(scaled, version.blur());
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static String error(HttpResponse<String> answer) {
        return json(answer.body()).getString("error");
    }

    @ParameterizedTest
    @EnumSource(PictureFormat.class)
    void picture_becomesAllVersionsInAllFormats(PictureFormat sent) throws Exception {
        start();
        HttpResponse<String> answer = post(sent.mediaType(), TestPictures.file(PHOTO, sent));
        assertThat(answer.statusCode()).isEqualTo(202);
        Config outcome = outcomes(answer).get(0);
        Config status = finished(outcome.getString("id"));
        assertThat(outcome.getString("address")).isEqualTo("/images/" + status.getString("id"));
        assertThat(status.getInt("width")).isEqualTo(800);
        List<? extends Config> files = status.getConfigList("ready");
        assertThat(files).hasSize(RECIPE.files()).hasSize(status.getInt("files"));
        for (Config file : files) {
            HttpResponse<byte[]> got = get(file.getString("address"));
            assertThat(got.statusCode()).isEqualTo(200);
            assertThat(got.body()).hasSize(file.getInt("bytes"));
            BufferedImage image = ImageIO.read(new ByteArrayInputStream(got.body()));
            assertThat(image.getWidth()).isEqualTo(file.getInt("width"));
            assertThat(image.getHeight()).isEqualTo(file.getInt("height"));
            Version version = RECIPE.versions().stream()
                    .filter(each -> each.name().equals(file.getString("version")))
                    .findFirst()
                    .orElseThrow();
            assertThat(Math.max(image.getWidth(), image.getHeight())).isEqualTo(version.side());
            assertThat(TestPictures.psnr(image, expected(version)))
                    .as(file.getString("address"))
                    .isGreaterThan(30);
        }
    }

    @Test
    void files_areCachedForEver() throws Exception {
        start();
        String id = id(TestPictures.file(PHOTO, PictureFormat.PNG));
        finished(id);
        for (PictureFormat format : PictureFormat.values()) {
            String address = "/images/" + id + "/small." + format.extension();
            HttpResponse<byte[]> file = get(address);
            assertThat(file.headers().firstValue("content-type")).hasValue(format.mediaType());
            assertThat(file.headers().firstValue("cache-control"))
                    .hasValueSatisfying(value -> assertThat(value).contains("immutable"));
            assertThat(file.headers().firstValue("x-content-type-options")).hasValue("nosniff");
            String tag = file.headers().firstValue("etag").orElseThrow();
            assertThat(get(address, "If-None-Match", tag).statusCode()).isEqualTo(304);
            assertThat(get(address, "Range", "bytes=0-9").body()).hasSize(10);
        }
        assertThat(get("/images/" + id).headers().firstValue("cache-control")).hasValue("no-store");
    }

    @Test
    void orientation_isHonoured_andMetadataIsGone() throws Exception {
        start();
        byte[] file = TestPictures.withExif(TestPictures.file(PHOTO, PictureFormat.JPEG), 6);
        assertThat(ImageMetadataReader.readMetadata(new ByteArrayInputStream(file))
                        .getDirectoriesOfType(ExifDirectoryBase.class))
                .isNotEmpty();
        Config status = finished(id(file));
        assertThat(status.getInt("width")).isEqualTo(600);
        assertThat(status.getInt("height")).isEqualTo(800);
        for (Config each : status.getConfigList("ready")) {
            assertThat(each.getInt("width")).isLessThan(each.getInt("height"));
            byte[] made = get(each.getString("address")).body();
            assertThat(ImageMetadataReader.readMetadata(new ByteArrayInputStream(made))
                            .getDirectoriesOfType(ExifDirectoryBase.class))
                    .isEmpty();
            assertThat(new String(made, StandardCharsets.ISO_8859_1)).doesNotContain("SecretCam");
        }
        BufferedImage upright = ImageIO.read(new ByteArrayInputStream(
                get("/images/" + status.getString("id") + "/large.png").body()));
        BufferedImage lying = Scaler.scale(PHOTO, 300);
        int corner = lying.getRGB(5, lying.getHeight() - 6);
        assertThat(upright.getRGB(5, 5) >> 16 & 0xff)
                .isCloseTo(corner >> 16 & 0xff, org.assertj.core.data.Offset.offset(12));
    }

    @Test
    void form_withSeveralFiles_saysWhatBecameOfEach() throws Exception {
        start();
        HttpResponse<String> answer = postForm(
                List.of("a \u00e4.png", "notes.txt", "bomb.png", "b.jpg"),
                List.of(
                        TestPictures.file(TestPictures.photo(100, 90, 1), PictureFormat.PNG),
                        "just text".getBytes(StandardCharsets.US_ASCII),
                        TestPictures.bomb(),
                        TestPictures.file(TestPictures.photo(100, 90, 2), PictureFormat.JPEG)));
        assertThat(answer.statusCode()).isEqualTo(202);
        List<? extends Config> outcomes = outcomes(answer);
        assertThat(outcomes).extracting(each -> each.getInt("status")).containsExactly(202, 415, 413, 202);
        assertThat(outcomes.get(0).getString("name")).isEqualTo("a \u00e4.png");
        assertThat(outcomes.get(1).getString("error")).isEqualTo("no JPEG, PNG or WebP");
        finished(outcomes.get(0).getString("id"));
        finished(outcomes.get(3).getString("id"));
    }

    @Test
    void form_withoutAGoodFile_isRefusedAsTheFirst() throws Exception {
        start();
        assertThat(postForm(List.of("x", "y"), List.of(TestPictures.bomb(), new byte[9]))
                        .statusCode())
                .isEqualTo(413);
        assertThat(post("multipart/form-data", new byte[9]).statusCode()).isEqualTo(400);
        assertThat(post("multipart/form-data; boundary=x", "--x\r\n".getBytes(StandardCharsets.US_ASCII))
                        .statusCode())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource({
        "image/png, empty, 400",
        "image/png, text, 415",
        "image/jpeg, bomb, 413",
        "image/png, cut, 422",
        "image/gif, text, 415",
        "text/plain, text, 415",
        "image/png, huge, 413",
        "image/png, file, 413"
    })
    void refusals_haveTheRightStatus(String type, String what, int status) throws Exception {
        start();
        byte[] good = TestPictures.file(PHOTO, PictureFormat.PNG);
        byte[] body = switch (what) {
            case "empty" -> new byte[0];
            case "text" -> "text".getBytes(StandardCharsets.US_ASCII);
            case "bomb" -> TestPictures.bomb();
            case "cut" -> Arrays.copyOf(good, good.length / 2);
            case "huge" -> new byte[2 * FILE_MAX + 1];
            default -> new byte[FILE_MAX + 1];
        };
        if (what.equals("huge")) {
            try (RawClient raw = new RawClient(server.localAddress())) {
                raw.send("POST /images HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: " + body.length
                        + "\r\n\r\n");
                assertThat(raw.response().status()).isEqualTo(status);
            }
        } else {
            assertThat(post(type, body).statusCode()).isEqualTo(status);
        }
        assertThat(post("image/png", good).statusCode()).as("others go on").isEqualTo(202);
    }

    @Test
    void refusals_byTheHead() throws Exception {
        start();
        try (RawClient raw = new RawClient(server.localAddress())) {
            raw.send("POST /images HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\n\r\n");
            assertThat(raw.response().status()).isEqualTo(411);
            raw.send(
                    "POST /images HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx");
            assertThat(raw.response().status()).isEqualTo(415);
            raw.send("PUT /images HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx");
            RawClient.Response response = raw.response();
            assertThat(response.status()).isEqualTo(405);
            assertThat(response.fields()).containsEntry("allow", "GET, HEAD, POST");
            raw.send("DELETE /images/x HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(raw.response().fields()).containsEntry("allow", "GET, HEAD");
            raw.send("POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx");
            assertThat(raw.response().status()).isEqualTo(405);
        }
    }

    @Test
    void chunkedUpload_isTaken() throws Exception {
        start();
        byte[] file = TestPictures.file(TestPictures.photo(50, 40, 1), PictureFormat.PNG);
        HttpResponse<String> answer = client.send(
                request("/images")
                        .header("Content-Type", "image/png")
                        .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(file)))
                        .build(),
                BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(202);
        finished(outcomes(answer).get(0).getString("id"));
    }

    @Test
    void sameFile_hasTheSameAddress_andIsNotMadeAgain() throws Exception {
        start();
        byte[] file = TestPictures.file(PHOTO, PictureFormat.JPEG);
        String id = id(file);
        finished(id);
        HttpResponse<String> again = post("image/jpeg", file);
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.headers().firstValue("location")).hasValue("/images/" + id);
        assertThat(outcomes(again).get(0).getString("id")).isEqualTo(id);
        assertThat(server.pictures()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/images/0123456789abcdef0123456789abcdef",
                "/images/0123456789abcdef0123456789abcdef/small.jpg",
                "/images/..%2f.images/lock",
                "/.images/lock",
                "/images/",
                "/images/x",
                "/index.html",
                "/images/0123456789ABCDEF0123456789abcdef"
            })
    void whatIsNotThere_is404(String target) throws Exception {
        start();
        assertThat(get(target).statusCode()).isEqualTo(404);
    }

    @Test
    void unknownFileOfAPicture_is404() throws Exception {
        start();
        String id = id(TestPictures.file(PHOTO, PictureFormat.PNG));
        finished(id);
        assertThat(get("/images/" + id + "/other.jpg").statusCode()).isEqualTo(404);
        assertThat(get("/images/" + id + "/../../.images/lock").statusCode()).isEqualTo(404);
    }

    @Test
    void page_listAndStatistics_areThere() throws Exception {
        start();
        HttpResponse<byte[]> page = get("/");
        assertThat(page.headers().firstValue("content-security-policy")).isPresent();
        assertThat(text(page)).contains("<title>").doesNotContain("<style").doesNotContain("style=");
        assertThat(get("/images.js").statusCode()).isEqualTo(200);
        assertThat(get("/images.css").headers().firstValue("content-type")).hasValue("text/css; charset=utf-8");
        byte[] file = TestPictures.file(PHOTO, PictureFormat.PNG);
        String id = id(file);
        finished(id);
        assertThat(json(text(get("/images"))).getStringList("images")).containsExactly(id);
        await(() -> figures().getInt("files") == RECIPE.files()); // they are counted beside the work
        assertThat(figures().getInt("pictures")).isEqualTo(1);
        assertThat(figures().getInt("pictureBytes")).isEqualTo(file.length);
    }

    private Config figures() throws IOException, InterruptedException {
        return json(text(get("/statistics")));
    }

    @Test
    void list_isOnlyThereIfWanted() throws Exception {
        start(SwsConfig.STAGES, 1 << 30, false);
        assertThat(get("/images").statusCode()).isEqualTo(404);
    }

    @Test
    void restart_keepsFinishedPictures() throws Exception {
        start();
        byte[] file = TestPictures.file(PHOTO, PictureFormat.PNG);
        String id = id(file);
        Config before = finished(id);
        assertThat(server.close(Duration.ofSeconds(30))).isTrue();
        start();
        assertThat(finished(id)).isEqualTo(before);
        assertThat(get("/images/" + id + "/small.webp").statusCode()).isEqualTo(200);
    }

    @Test
    void oldPictures_giveWay() throws Exception {
        start(SwsConfig.STAGES, 200_000, true);
        String first = id(TestPictures.file(TestPictures.photo(400, 300, 1), PictureFormat.PNG));
        finished(first);
        for (int i = 2; i < 6; i++) {
            finished(id(TestPictures.file(TestPictures.photo(400, 300, i), PictureFormat.PNG)));
        }
        assertThat(get("/images/" + first).statusCode()).isEqualTo(404);
        assertThat(get("/images/" + first + "/small.jpg").statusCode()).isEqualTo(404);
        assertThat(json(text(get("/images"))).getStringList("images")).doesNotContain(first);
        await(() -> folders() == server.pictures()); // the last is finished before those before it are gone
    }

    private long folders() throws IOException {
        try (Stream<Path> folders = Files.list(root().resolve("images"))) {
            return folders.count();
        }
    }

    // Work behind the answer comes to its end.
    @Test
    void close_finishesWhatIsInWork() throws Exception {
        start();
        String id = id(TestPictures.file(PHOTO, PictureFormat.PNG));
        assertThat(server.close(Duration.ofSeconds(60))).isTrue();
        assertThat(files(id)).hasSize(RECIPE.files() + 1);
        assertOnlyTheLockIsLeft();
    }

    // All of it or nothing: what is given up leaves no trace.
    @Test
    void close_atOnce_leavesNoHalves() throws Exception {
        start();
        String id = id(TestPictures.file(TestPictures.photo(2_000, 1_500, 1), PictureFormat.JPEG));
        server.close(Duration.ZERO);
        List<String> left = files(id);
        assertThat(left).hasSize(left.isEmpty() ? 0 : RECIPE.files() + 1);
        assertOnlyTheLockIsLeft();
    }

    private List<String> files(String id) throws IOException {
        Path folder = root().resolve("images").resolve(id);
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private void assertOnlyTheLockIsLeft() throws IOException {
        try (Stream<Path> files = Files.list(root().resolve(".images"))) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactly("lock");
        }
    }

    // A disk that takes nothing: the picture has failed, which is said; the server goes on.
    @Test
    void failedWrites_areSaid() throws Exception {
        start();
        Path images = root().resolve("images");
        Files.delete(images);
        Files.writeString(images, "no folder");
        String id = id(TestPictures.file(PHOTO, PictureFormat.PNG));
        assertThat(end(id).getString("state")).isEqualTo("failed");
        Files.delete(images);
        Files.createDirectories(images);
        assertThat(id(TestPictures.file(PHOTO, PictureFormat.PNG))).isEqualTo(id);
        finished(id);
    }

    @Test
    void folderInUse_isRefused() throws Exception {
        start();
        ImagesServer first = server;
        assertThatExceptionOfType(IOException.class).isThrownBy(this::start);
        server = first;
    }
}
