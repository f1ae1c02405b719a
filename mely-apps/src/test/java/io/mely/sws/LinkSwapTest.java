// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient.Response;
import io.mely.sws.http.Coding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The race that a check before an open loses: links that lead inside and outside in turns, as fast as the machine can swap them, while files in
 * memory, files sent from the disk, neighbours, gzips made on the fly and lists of folders are asked for through them.
 */
@Timeout(120)
class LinkSwapTest extends SwsServerHarness {
    private static final String INSIDE = "inside ".repeat(300);
    private static final String OUTSIDE = "secret ".repeat(300);
    private static final int LARGE_TIMES = 60;
    private static final List<String> PATHS = List.of(
            "/near/x.txt", "/near/large.txt", "/near/n.txt", "/file.txt", "/far/deep/x.txt", "/near/", "/far/deep/");
    private static final List<String> FIELDS = List.of(
            "",
            "Accept-Encoding: br\r\n",
            "Accept-Encoding: gzip\r\n",
            "Range: bytes=0-99\r\n",
            "Accept: application/json\r\n");

    /** Each path with all fields, in the ordinary run. */
    private static final int ROUNDS = 60;

    @Override
    SwsConfig.Transport transport() {
        return SwsConfig.Transport.AUTO;
    }

    @Test
    void links_swapped_neverShowTheOutside() throws Exception {
        int[] rounds = {0};
        check(() -> rounds[0]++ < ROUNDS);
    }

    @Test
    @Tag("slow")
    void links_swappedForAMinute_neverShowTheOutside() throws Exception {
        long endNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        check(() -> System.nanoTime() - endNs < 0);
    }

    private static void fill(Path folder, String text) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("x.txt"), text);
        Files.writeString(folder.resolve("large.txt"), text.repeat(LARGE_TIMES));
        Files.writeString(folder.resolve("n.txt"), text);
        Files.writeString(folder.resolve("n.txt.br"), text);
        Files.writeString(folder.resolve(text.substring(0, 6) + ".name"), "");
    }

    private void check(BooleanSupplier goesOn) throws Exception {
        fill(root.resolve("in"), INSIDE);
        fill(root.resolve("upper/deep"), INSIDE);
        Path outside = temp.resolve("out");
        fill(outside, OUTSIDE);
        fill(outside.resolve("deep"), OUTSIDE);
        Path[][] links = {
            {root.resolve("near"), Path.of("in"), outside},
            {root.resolve("file.txt"), Path.of("in/x.txt"), outside.resolve("x.txt")},
            {root.resolve("far"), Path.of("upper"), outside},
        };
        for (Path[] link : links) {
            swap(link[0], link[1]);
        }
        start(builder -> builder.set(SwsSettings.LISTING, true)
                .set(SwsSettings.GZIP, true)
                .set(SwsSettings.PRECOMPRESSED, List.of(Coding.BR))
                .set(SwsSettings.CACHE_REVALIDATION, Duration.ZERO));
        AtomicBoolean isStopped = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread swapper = new Thread(() -> {
            try {
                for (int i = 0; !isStopped.get(); i++) {
                    for (Path[] link : links) {
                        swap(link[0], link[1 + i % 2]);
                    }
                }
            } catch (IOException e) {
                failure.set(e);
            }
        });
        swapper.start();
        int served = 0;
        int missing = 0;
        try {
            RawClient client = connect();
            while (goesOn.getAsBoolean()) {
                for (String path : PATHS) {
                    for (String fields : FIELDS) {
                        int status = ask(client, path, fields);
                        served += status < 300 ? 1 : 0;
                        missing += status == 404 ? 1 : 0;
                    }
                }
            }
        } finally {
            isStopped.set(true);
            swapper.join();
        }
        assertThat(failure.get()).isNull();
        // Both sides of the race were met, or nothing was tested.
        assertThat(served).isPositive();
        assertThat(missing).isPositive();
    }

    private static int ask(RawClient client, String path, String fields) throws IOException {
        Response response = client.send("GET " + path + " HTTP/1.1\r\n" + HOST + fields + "\r\n")
                .response();
        assertThat(response.status()).as(path).isIn(200, 206, 404, 503);
        String body = "gzip".equals(response.field("Content-Encoding"))
                ? new String(unpack(response.body()), StandardCharsets.US_ASCII)
                : response.text();
        assertThat(body).as(path + " " + fields).doesNotContain("secret");
        return response.status();
    }

    private static byte[] unpack(byte[] packed) throws IOException {
        try (var in = new java.util.zip.GZIPInputStream(new java.io.ByteArrayInputStream(packed))) {
            return in.readAllBytes();
        }
    }

    private static void swap(Path link, Path target) throws IOException {
        Path next = link.resolveSibling(link.getFileName() + ".next");
        Files.deleteIfExists(next);
        Files.createSymbolicLink(next, target);
        Files.move(next, link, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
