// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RudeClientsSystemTest {
    private static final int SMALL_BUFFER_BYTES = 4_096;

    /** What may be open at the second look and was not at the first: this test's own last client, a file in the cache. */
    private static final int SPARE_DESCRIPTORS = 2;

    @TempDir
    static Path root;

    private static SiteFiles.Page small;
    private static SiteFiles.Page large;

    @BeforeAll
    static void write() throws Exception {
        small = SiteFiles.write(root, "small.html", 1_024, 1);
        large = SiteFiles.write(root, "large.bin", 5_000_000, 2);
    }

    // Clients that vanish in mid-request and mid-response, by reset, by plain end and by half-close, round after round:
    // the server goes on, and its descriptors and direct memory return to the idle level.
    @Test
    void rudeClients_leaveNothingBehind() throws Exception {
        try (SwsProcess sws =
                SwsProcess.serving(root).jvm("-XX:NativeMemoryTracking=summary").startReady()) {
            checkServes(sws);
            Await.until(() -> "first clients gone", () -> isStable(sws));
            int idle = sws.descriptors();
            rudeRound(sws);
            long idleKib = sws.directKib();
            for (int round = 0; round < 10; round++) {
                rudeRound(sws);
            }
            checkServes(sws);
            Await.until(() -> "descriptors back to " + idle, () -> sws.descriptors() <= idle + SPARE_DESCRIPTORS);
            // Two of Netty's chunks of 4 MiB: arenas that a later round's luck touched first. The 300 large files that
            // were
            // cut or half-closed would be 1.5 GB.
            assertThat(sws.directKib()).isLessThanOrEqualTo(idleKib + 8 * 1_024);
            assertThat(sws.stderr()).isEmpty();
        }
    }

    /** Whether no client is connected: no descriptor comes or goes between two looks. */
    private static boolean isStable(SwsProcess sws) throws Exception {
        int first = sws.descriptors();
        checkServes(sws);
        return sws.descriptors() == first;
    }

    private static void rudeRound(SwsProcess sws) throws IOException {
        for (int i = 0; i < 10; i++) {
            RawClient inBody = new RawClient(sws.address(), SMALL_BUFFER_BYTES);
            inBody.get(large.path());
            inBody.readSome(10_000);
            inBody.reset();

            RawClient closing = new RawClient(sws.address(), SMALL_BUFFER_BYTES);
            closing.get(large.path());
            closing.readSome(10_000);
            closing.close();

            RawClient inHead = new RawClient(sws.address());
            inHead.send("GET " + small.path() + " HTTP/1.1\r\nHo");
            inHead.reset();

            RawClient silent = new RawClient(sws.address());
            silent.close();

            RawClient beforeBody = new RawClient(sws.address());
            beforeBody.get(small.path());
            beforeBody.reset();

            try (RawClient half = new RawClient(sws.address())) {
                half.get(large.path());
                half.shutdownOutput();
                assertThat(half.response().body()).isEqualTo(large.content());
                assertThat(half.isEnded()).isTrue();
            }
        }
    }

    private static void checkServes(SwsProcess sws) throws IOException {
        // A connection each: an idle one is asked to give way as long as descriptors are scarce.
        for (SiteFiles.Page each : List.of(small, large)) {
            try (RawClient client = new RawClient(sws.address())) {
                assertThat(client.fetch(each.path()).body()).isEqualTo(each.content());
            }
        }
    }

    // 200 clients and 64 descriptors: those that get in are served, the others wait or are sent away, and when all have
    // left
    // the server answers as before.
    @Test
    void scarceDescriptors_areSurvived() throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root)
                .prefix("sh", "-c", "ulimit -n 64; exec \"$@\"", "sh")
                .startReady()) {
            checkServes(sws);
            Await.until(() -> "first client gone", () -> isStable(sws));
            int idle = sws.descriptors();
            List<RawClient> clients = new ArrayList<>();
            int served = 0;
            try {
                for (int i = 0; i < 200; i++) {
                    RawClient client = new RawClient(sws.address());
                    clients.add(client);
                    client.get(small.path());
                }
                // The early ones are in: each has its answer, though later ones fill the queue.
                for (RawClient client : clients.subList(0, 8)) {
                    assertThat(client.response().body()).isEqualTo(small.content());
                    served++;
                }
                assertThat(sws.descriptors()).isLessThanOrEqualTo(64);
            } finally {
                for (RawClient client : clients) {
                    client.close();
                }
            }
            assertThat(served).isEqualTo(8);
            checkServes(sws);
            Await.until(() -> "descriptors back to " + idle, () -> sws.descriptors() <= idle + SPARE_DESCRIPTORS);
            assertThat(sws.isAlive()).isTrue();
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            // Said, but not once per refused client.
            assertThat(sws.stderr().lines().count()).isLessThan(20);
        }
    }

    // The oldest connections are slow downloads, which do not go, each of a file of its own; the others have nothing to
    // do. Whoever comes is served all the same, again and again.
    @Test
    void scarceDescriptors_idleOnesGiveWay() throws Exception {
        List<RawClient> clients = new ArrayList<>();
        int downloads = 16;
        for (int i = 0; i < downloads; i++) {
            SiteFiles.write(root, "slow" + i + ".bin", 4_000_000, i);
        }
        try (SwsProcess sws = SwsProcess.serving(root)
                .prefix("sh", "-c", "ulimit -n 120; exec \"$@\"", "sh")
                .startReady()) {
            try {
                for (int i = 0; i < downloads; i++) {
                    RawClient slow = new RawClient(sws.address(), 1 << 12);
                    clients.add(slow);
                    slow.get("/slow" + i + ".bin");
                    slow.readHead();
                }
                for (int i = 0; i < 200; i++) {
                    RawClient client = new RawClient(sws.address());
                    clients.add(client);
                    assertThat(client.fetch(small.path()).body()).isEqualTo(small.content());
                }
                assertThat(sws.descriptors()).isLessThanOrEqualTo(120);
                assertThat(sws.stderr().lines().count()).isLessThan(20);
            } finally {
                for (RawClient client : clients) {
                    client.close();
                }
            }
        }
    }
}
