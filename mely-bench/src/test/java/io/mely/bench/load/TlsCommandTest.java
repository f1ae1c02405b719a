// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: each load is answered over TLS, and each run is in the raw data. */
class TlsCommandTest {
    @Test
    void execute_loadsNginx(@TempDir Path dir) throws Exception {
        for (String program : new String[] {"nginx", "wrk", "openssl"}) {
            assumeTrue(CompareCommandTest.has(program));
        }
        Path json = dir.resolve("runs.json");
        assertThat(TlsCommand.execute(
                        "--server",
                        "nginx-tls",
                        "--rounds",
                        "1",
                        "--warm-rounds",
                        "0",
                        "--seconds",
                        "1",
                        "--json",
                        json.toString()))
                .isZero();
        String runs = Files.readString(json);
        for (TlsCommand.Load load : TlsCommand.Load.values()) {
            assertThat(runs).contains("\"load\": \"" + load + "\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--key=dsa", "--rounds=0", "--seconds=0", "--cpus=0", "--load=ALL"})
    void execute_wrongOption_isRefused(String option) {
        assertThat(TlsCommand.execute(option)).isEqualTo(2);
    }
}
