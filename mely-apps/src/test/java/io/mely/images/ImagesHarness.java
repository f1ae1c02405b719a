// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.mely.Deployment;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.PictureLimits;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** An image server on a real socket, and a client. */
abstract class ImagesHarness {
    static final PictureLimits LIMITS = new PictureLimits(4_000_000, 4_000);
    static final int FILE_MAX = 2 << 20;
    static final Recipe RECIPE = new Recipe(
            List.of(
                    new Version("large", 300, 0),
                    new Version("medium", 120, 0),
                    new Version("small", 40, 0),
                    new Version("blurred", 120, 4)),
            List.of(PictureFormat.values()),
            90);

    @TempDir
    Path temp;

    final HttpClient client = HttpClient.newHttpClient();
    ImagesServer server;

    @AfterEach
    void close() {
        if (server != null) {
            server.close(Duration.ofSeconds(30));
        }
    }

    Path root() {
        return temp.resolve("results");
    }

    void start() throws IOException {
        start(SwsConfig.STAGES, 1 << 30, true);
    }

    void start(Deployment stages, long storeBytesMax, boolean isListed) throws IOException {
        SwsConfig.Builder http = SwsConfig.builder(root())
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .set(SwsSettings.CORES, 2)
                .stages(stages);
        server = ImagesServer.start(
                new ImagesServer.Config(root(), RECIPE, LIMITS, 2 * FILE_MAX, FILE_MAX, 10, storeBytesMax, 2, isListed),
                http);
    }

    HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.localAddress().getPort() + target));
    }

    HttpResponse<byte[]> get(String target, String... fields) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(target);
        if (fields.length > 0) {
            request.headers(fields);
        }
        return client.send(request.build(), BodyHandlers.ofByteArray());
    }

    HttpResponse<String> post(String type, byte[] body) throws IOException, InterruptedException {
        return client.send(
                request("/images")
                        .header("Content-Type", type)
                        .POST(BodyPublishers.ofByteArray(body))
                        .build(),
                BodyHandlers.ofString());
    }

    /** Posts a file of a form for each name. */
    HttpResponse<String> postForm(List<String> names, List<byte[]> files) throws IOException, InterruptedException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int i = 0; i < names.size(); i++) {
            body.writeBytes(("--boundary\r\nContent-Disposition: form-data; name=\"images\"; filename=\"" + names.get(i)
                            + "\"\r\nContent-Type: application/octet-stream\r\n\r\n")
                    .getBytes(StandardCharsets.UTF_8));
            body.writeBytes(files.get(i));
            body.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        body.writeBytes("--boundary--\r\n".getBytes(StandardCharsets.US_ASCII));
        return post("multipart/form-data; boundary=boundary", body.toByteArray());
    }

    static Config json(String text) {
        return ConfigFactory.parseString(text);
    }

    /** What became of each file of an answer. */
    static List<? extends Config> outcomes(HttpResponse<String> answer) {
        return json(answer.body()).getConfigList("images");
    }

    /** Posts a picture that is taken. */
    String id(byte[] file) throws IOException, InterruptedException {
        HttpResponse<String> answer = post("image/png", file);
        assertThat(answer.statusCode()).as(answer.body()).isIn(201, 202);
        return outcomes(answer).get(0).getString("id");
    }

    interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    static void await(Condition condition) throws IOException, InterruptedException {
        long endNs = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime() - endNs).as("in time").isNegative();
            LockSupport.parkNanos(2_000_000);
        }
    }

    /** The status of a picture once it is finished or has failed. */
    Config end(String id) throws IOException, InterruptedException {
        AtomicReference<Config> status = new AtomicReference<>();
        await(() -> {
            HttpResponse<byte[]> answer = get("/images/" + id);
            assertThat(answer.statusCode()).isEqualTo(200);
            status.set(json(new String(answer.body(), StandardCharsets.UTF_8)));
            return !status.get().getString("state").equals("processing");
        });
        return status.get();
    }

    Config finished(String id) throws IOException, InterruptedException {
        Config status = end(id);
        assertThat(status.getString("state")).isEqualTo("finished");
        return status;
    }
}
