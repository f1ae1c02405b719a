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
     * The unluckiest client gets at least this part of what the middle one gets, if the machine is the test's own. Measured on two CPUs, which the
     * clients share with the server: 0.67 to 0.93.
     */
    private static final double EVENNESS_MIN = 0.5;

    /** Others who use more of the CPUs than this slow one core more than another, and its clients with it. */
    private static final double OTHERS_MAX = 0.05;

    /**
     * With others around, the same against the first tenth, which belongs to the slower core: between clients of one core the server alone
     * decides. Measured 0.76 to 0.96 at a load of 7.
     */
    private static final double EVENNESS_IN_CORE_MIN = 0.4;

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
    @CsvSource({"250, 0, 60000", "2000, 0, 60000", "250, 150, 75000", "2000, 150, 300000"})
    void clients_areServedEvenly(int clients, int requestsPerConnection, int requests) throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root, "--stats").startReady()) {
            int idle = sws.descriptors();
            CpuMeter cpus = CpuMeter.start(sws.pid());
            long start = System.nanoTime();
            LoadClient.Result result;
            try (LoadClient load = new LoadClient(sws.address(), targets, clients, requestsPerConnection, false)) {
                result = load.connect().run(requests).finish();
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            double others = cpus.others();
            System.out.printf(
                    "sws load: %d clients, %d requests per connection: %.0f responses/s; per client min %d, first tenth %d, median %d; others used %.0f %% of the CPUs%n",
                    clients,
                    requestsPerConnection,
                    requests / seconds,
                    result.min(),
                    result.firstTenth(),
                    result.median(),
                    100 * others);
            assertThat(result.errors()).isEmpty();
            assertThat(result.ended()).isZero();
            assertThat(result.responses()).isGreaterThanOrEqualTo(requests);
            assertThat(result.min()).isPositive();
            assertThat((double) result.min()).isGreaterThanOrEqualTo(EVENNESS_IN_CORE_MIN * result.firstTenth());
            if (others <= OTHERS_MAX) {
                assertThat((double) result.min()).isGreaterThanOrEqualTo(EVENNESS_MIN * result.median());
            }
            Await.until(() -> "descriptors back to " + idle, () -> sws.descriptors() <= idle + SPARE_DESCRIPTORS);
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stderr()).contains("responses: " + String.format("%,d", result.responses()) + "  2xx: ");
        }
    }
}
