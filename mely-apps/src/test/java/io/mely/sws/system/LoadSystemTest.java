// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadSystemTest {
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
    // whole and correct, no connection is lost, and the server's descriptors are back afterwards. How evenly clients
    // are
    // served is printed here, and a matter of FairnessTest, where no other process takes the CPUs.
    @ParameterizedTest
    @CsvSource({"250, 0, 20000", "2000, 0, 20000", "250, 150, 75000", "1000, 150, 150000"})
    void clients_areAllServed(int clients, int requestsPerConnection, int requests) throws Exception {
        try (SwsProcess sws = SwsProcess.serving(root, "--stats").startReady()) {
            int idle = sws.descriptors();
            long start = System.nanoTime();
            LoadClient.Result result;
            try (LoadClient load = new LoadClient(sws.address(), targets, clients, requestsPerConnection, false)) {
                result = load.connect().run(requests).finish();
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    "sws load: %d clients, %d requests per connection: %.0f responses/s; per client min %d, median %d%n",
                    clients, requestsPerConnection, requests / seconds, result.min(), result.median());
            assertThat(result.errors()).isEmpty();
            assertThat(result.ended()).isZero();
            assertThat(result.responses()).isGreaterThanOrEqualTo(requests);
            Await.until(() -> "descriptors back to " + idle, () -> sws.descriptors() <= idle + SPARE_DESCRIPTORS);
            sws.signal("TERM");
            sws.awaitExit();
            assertThat(sws.exitCode()).isZero();
            assertThat(sws.stderr())
                    .contains("responses: " + String.format(Locale.ROOT, "%,d", result.responses()) + "  2xx: ");
        }
    }
}
