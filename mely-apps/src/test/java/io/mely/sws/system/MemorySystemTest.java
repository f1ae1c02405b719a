// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose JVM allows less memory than its files and its clients want: the JVM's limits are never met, and everybody is answered. */
class MemorySystemTest {
    private static final int FILES = 300;
    private static final int FILE_BYTES = 60_000;

    /** More than there are buffers for. */
    private static final int SLOW_CLIENTS = 600;

    /** Of 24 KB, for which the server makes room for 48 KB each. */
    private static final int LONG_HEADS = 1_000;

    @TempDir
    Path root;

    @Test
    void littleNativeMemory_everybodyIsAnswered() throws Exception {
        for (int i = 0; i < FILES; i++) {
            Files.writeString(
                    root.resolve("f" + i), String.valueOf((char) ('a' + i % 26)).repeat(FILE_BYTES));
        }
        List<RawClient> slow = new ArrayList<>();
        try (SwsProcess sws = SwsProcess.serving(root, "--cores", "2")
                .jvm("-XX:MaxDirectMemorySize=8m")
                .startReady()) {
            try (RawClient client = new RawClient(sws.address())) {
                for (int round = 0; round < 2; round++) {
                    for (int i = 0; i < FILES; i++) {
                        RawClient.Response response = client.fetch("/f" + i);
                        assertThat(response.status()).as("f%s", i).isEqualTo(200);
                        assertThat(response.body())
                                .as("f%s", i)
                                .hasSize(FILE_BYTES)
                                .containsOnly('a' + i % 26);
                    }
                }
            }
            for (int i = 0; i < SLOW_CLIENTS; i++) {
                slow.add(new RawClient(sws.address()).send("GET /f0 HTTP/1.1\r\n"));
            }
            assertThat(slow.get(SLOW_CLIENTS - 1).response().status()).isEqualTo(503);
            for (RawClient each : slow) {
                each.close();
            }
            Await.until(() -> "served again", () -> isServed(sws));
            assertThat(sws.stderr()).contains("MaxDirectMemorySize").doesNotContain("OutOfMemory", "failed");
        }
    }

    // Long heads that never end would take half as much again as the heap has: some clients are told so, and nobody
    // else.
    @Test
    void littleHeap_longHeads_othersAreServedAfterwards() throws Exception {
        Files.writeString(root.resolve("f0"), "small");
        String head = "GET /f0 HTTP/1.1\r\n" + ("X: " + "x".repeat(3_000) + "\r\n").repeat(8);
        List<RawClient> slow = new ArrayList<>();
        try (SwsProcess sws = SwsProcess.serving(root, "--cores", "2")
                .jvm("-Xmx32m", "-XX:MaxDirectMemorySize=64m")
                .startReady()) {
            for (int i = 0; i < LONG_HEADS; i++) {
                slow.add(new RawClient(sws.address()).send(head));
            }
            assertThat(slow.get(LONG_HEADS - 1).response().status()).isEqualTo(503);
            for (RawClient each : slow) {
                each.close();
            }
            Await.until(() -> "served again", () -> isServed(sws));
            assertThat(sws.stderr()).contains("no memory is left").doesNotContain("OutOfMemory", "failed");
        }
    }

    private static boolean isServed(SwsProcess sws) {
        try (RawClient client = new RawClient(sws.address())) {
            return client.fetch("/f0").status() == 200;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
