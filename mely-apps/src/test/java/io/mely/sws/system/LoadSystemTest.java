// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadSystemTest {
    /**
     * The unluckiest client gets at least this part of what the first tenth gets. A client stays on its core, and a core whose CPU
     * other processes use runs slower, so counts form one cluster per core (seen: medians 89 and 386 on a machine with a load of
     * 7, 230 and 270 on a quieter one). The first tenth belongs to the slower cluster, and within a cluster the server alone decides:
     * measured 0.76 to 0.96. A server that forgets a client or always prefers others leaves it near zero.
     */
    private static final double EVENNESS_IN_CLUSTER_MIN = 0.4;

    /** The same against the middle client, over all cores: measured 0.19 to 0.87; bounds the share that a slow core may have. */
    private static final double EVENNESS_MIN = 0.05;

    /** What the server may open at its first request and keep. */
    private static final int SPARE_DESCRIPTORS = 2;

    @TempDir
    static Path root;

    private static List<HttpExchange.Target> targets;

    @BeforeAll
    static void write() throws Exception {
        targets = SiteFiles.thousand(root).stream().map(HttpExchange.Target::of).toList();
    }

    // 1,000 files of 1 KB, some clients and many, kept connections and the papers' 150 requests each: every response is
    // whole
    // and correct, no connection is lost, all clients are served evenly, and the server's descriptors are back
    // afterwards.
    @ParameterizedTest
    @CsvSource({"250, 0, 60000", "2000, 0, 60000", "250, 150, 75000", "2000, 15, 60000"})
    void clients_areServedEvenly(int clients, int requestsPerConnection, int requests) throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root, "--stats").startReady()) {
            int idle = sws.descriptors();
            long start = System.nanoTime();
            LoadClient.Result result;
            try (LoadClient load = new LoadClient(sws.address(), targets, clients, requestsPerConnection, false)) {
                result = load.connect().run(requests).finish();
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    "sws load: %d clients, %d requests per connection: %.0f responses/s; per client min %d, first tenth %d, median %d%n",
                    clients,
                    requestsPerConnection,
                    requests / seconds,
                    result.min(),
                    result.firstTenth(),
                    result.median());
            assertThat(result.errors()).isEmpty();
            assertThat(result.ended()).isZero();
            assertThat(result.responses()).isGreaterThanOrEqualTo(requests);
            assertThat(result.min()).isPositive();
            assertThat((double) result.min()).isGreaterThanOrEqualTo(EVENNESS_IN_CLUSTER_MIN * result.firstTenth());
            assertThat((double) result.min()).isGreaterThanOrEqualTo(EVENNESS_MIN * result.median());
            Await.until(() -> "descriptors back to " + idle, () -> sws.descriptors() <= idle + SPARE_DESCRIPTORS);
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stderr()).contains("responses: " + String.format("%,d", result.responses()) + "  2xx: ");
        }
    }
}
