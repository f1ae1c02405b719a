// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.sws.SwsConfig;
import io.mely.sws.SwsServer;
import io.mely.sws.SwsSettings;
import io.mely.sws.conformance.Runner.Result;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Property: SWS passes every case of the table, MUST, SHOULD and ADVICE. */
class ConformanceTest {
    private static final int TIMEOUT_MS = 10_000;

    @TempDir
    Path temp;

    @TestFactory
    Stream<DynamicTest> everyCase() throws Exception {
        SwsConfig config = SwsConfig.builder(TestSite.write(temp))
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .set(SwsSettings.CORES, 2)
                .set(SwsSettings.HEADER_TIMEOUT, Duration.ofMillis(500))
                .set(SwsSettings.BODY_TIMEOUT, Duration.ofMillis(500))
                .build();
        List<Result> results;
        try (SwsServer server = SwsServer.start(config)) {
            results = new Runner(server.localAddress(), TIMEOUT_MS).run(CaseTable.bundled());
        }
        return results.stream()
                .map(each -> DynamicTest.dynamicTest(
                        each.of().toString(),
                        () -> assertThat(each.failure())
                                .as(each.of().level() + " " + each.of().clause())
                                .isNull()));
    }
}
