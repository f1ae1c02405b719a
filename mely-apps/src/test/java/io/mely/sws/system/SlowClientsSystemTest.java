// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of clients that send or read next to nothing, and one that is in earnest. */
class SlowClientsSystemTest {
    private static final int SMALL_BUFFER_BYTES = 4_096;

    /** Requests of the good client. */
    private static final int REQUESTS = 2_000;

    /** Bytes that all slow clients together send between two requests of the good one. */
    private static final int DRIPS = 4;

    @TempDir
    static Path root;

    private static SiteFiles.Page small;
    private static SiteFiles.Page large;

    @BeforeAll
    static void write() throws Exception {
        small = SiteFiles.write(root, "small.html", 1_024, 1);
        large = SiteFiles.write(root, "large.bin", 5_000_000, 2);
    }

    @Test
    void slowClients_2000_holdUpNobody() throws Exception {
        check(2_000);
    }

    @Test
    @Tag("slow")
    void slowClients_5000_holdUpNobody() throws Exception {
        check(5_000);
    }

    // A quarter each sends its head byte by byte, sends its body so, reads a long response hardly at all, and says
    // nothing. A good client gets all its answers among them; how long they take is printed, and measured by the
    // benchmarks. All slow ones are disconnected in the end, and their descriptors given back.
    private static void check(int slowClients) throws Exception {
        String[] times = {"SWS_HEADER_TIMEOUT", "SWS_BODY_TIMEOUT", "SWS_WRITE_TIMEOUT", "SWS_IDLE_TIMEOUT"};
        SwsProcess.Launch launch = SwsProcess.serving(root, "--stats");
        Arrays.stream(times).forEach(name -> launch.variable(name, "600 s"));
        try (SwsProcess sws = launch.startReady();
                RawClient good = new RawClient(sws.address())) {
            List<RawClient> slow = new ArrayList<>();
            try {
                for (int i = 0; i < slowClients; i++) {
                    slow.add(slowClient(sws, i));
                }
                long[] timesNs = new long[REQUESTS];
                run(good, slow, timesNs);
                Arrays.sort(timesNs);
                System.out.printf(
                        "sws slow clients: %d; a good one among them, us: median %d, p99 %d%n",
                        slowClients, at(timesNs, 0.5) / 1_000, at(timesNs, 0.99) / 1_000);
            } finally {
                for (RawClient each : slow) {
                    each.close();
                }
            }
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stderr()).contains("refused: 0  ", "failed: 0  ", "still open: 0");
        }
    }

    private static RawClient slowClient(SwsProcess sws, int number) throws IOException {
        int kind = number % 4;
        RawClient client = new RawClient(sws.address(), kind == 2 ? SMALL_BUFFER_BYTES : 0);
        switch (kind) {
            case 0 -> client.send("GET " + small.path() + " HTTP/1.1\r\nHost: test\r\nX-Slow: ");
            case 1 ->
                client.send("POST " + small.path() + " HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n");
            case 2 -> client.get(large.path());
            default -> {}
        }
        return client;
    }

    /** Sends a byte each of some slow clients, then times a request of the good one. */
    private static void run(RawClient good, List<RawClient> slow, long[] timesNs) throws IOException {
        int next = 0;
        for (int i = 0; i < REQUESTS; i++) {
            for (int j = 0; j < DRIPS; j++) {
                RawClient dripping = slow.get(next % slow.size());
                if (next % 4 < 2) {
                    dripping.send("x");
                }
                next++;
            }
            long startNs = System.nanoTime();
            RawClient.Response response = good.fetch(small.path());
            timesNs[i] = System.nanoTime() - startNs;
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).isEqualTo(small.content());
        }
    }

    private static long at(long[] sorted, double part) {
        return sorted[(int) (part * (sorted.length - 1))];
    }

    // Slow clients are disconnected in the end: the head, the body and the response have their time, and so has
    // silence.
    @Test
    void slowClients_areSentAway() throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root, "--stats")
                .variable("SWS_HEADER_TIMEOUT", "1 s")
                .variable("SWS_BODY_TIMEOUT", "1 s")
                .variable("SWS_WRITE_TIMEOUT", "1 s")
                .variable("SWS_IDLE_TIMEOUT", "1 s")
                .startReady()) {
            int idle = sws.descriptors();
            List<RawClient> slow = new ArrayList<>();
            try {
                for (int i = 0; i < 400; i++) {
                    slow.add(slowClient(sws, i));
                }
                for (int i = 0; i < slow.size(); i++) {
                    if (i % 4 < 2) {
                        assertThat(slow.get(i).response().status()).isEqualTo(408);
                    }
                    if (i % 4 != 2) {
                        assertThat(slow.get(i).isEnded()).isTrue();
                    }
                }
                Await.until(() -> "all are sent away", () -> sws.descriptors() <= idle + 2);
            } finally {
                for (RawClient each : slow) {
                    each.close();
                }
            }
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.stderr()).contains("connections: 400  refused: 0  lost: 0  timed out: 400");
        }
    }
}
