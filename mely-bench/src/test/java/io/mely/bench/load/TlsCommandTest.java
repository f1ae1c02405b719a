// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: each load is answered over TLS, and each run is in the raw data. */
class TlsCommandTest {
    private static List<String> briefly(Path json, String... more) {
        List<String> args = new ArrayList<>(List.of("--server", "nginx-tls", "--rounds", "1", "--warm-rounds", "0"));
        args.addAll(List.of("--seconds", "1", "--json", json.toString()));
        args.addAll(List.of(more));
        return args;
    }

    private static void needs(String... programs) {
        for (String program : programs) {
            assumeTrue(CompareCommandTest.has(program), program);
        }
    }

    @Test
    void execute_loadsNginx(@TempDir Path dir) throws Exception {
        needs("nginx", "wrk", "openssl");
        Path json = dir.resolve("runs.json");
        assertThat(TlsCommand.execute(
                        briefly(json, "--load", "KEPT,HANDSHAKE,RESUMED,LARGE").toArray(String[]::new)))
                .isZero();
        for (TlsLoad load : List.of(TlsLoad.KEPT, TlsLoad.HANDSHAKE, TlsLoad.RESUMED, TlsLoad.LARGE)) {
            assertThat(json).content().contains("\"load\": \"" + load + "\"");
        }
    }

    /** With TLS and without, each by a server of its own. */
    @Test
    void execute_loadsNginxByHttp2(@TempDir Path dir) throws Exception {
        needs("nginx", "h2load", "openssl");
        Path json = dir.resolve("runs.json");
        assertThat(TlsCommand.execute(briefly(json, "--load", "HTTP2,H2C").toArray(String[]::new)))
                .isZero();
        List<String> runs = Files.readAllLines(json).stream()
                .filter(line -> line.contains("\"load\": "))
                .toList();
        assertThat(runs).hasSize(2);
        assertThat(runs)
                .filteredOn(run -> run.contains("HTTP2"))
                .singleElement()
                .asString()
                .contains("nginx-tls");
        assertThat(runs)
                .filteredOn(run -> run.contains("H2C"))
                .singleElement()
                .asString()
                .contains("nginx-h2c");
    }

    @Test
    void execute_leavesHttp2OutWithoutH2load(@TempDir Path dir) throws Exception {
        needs("nginx", "wrk", "openssl");
        Path json = dir.resolve("runs.json");
        assertThat(TlsCommand.executeIn(
                        "/nowhere", briefly(json, "--load", "KEPT,HTTP2").toArray(String[]::new)))
                .isZero();
        assertThat(json).content().contains("KEPT").doesNotContain("HTTP2");
    }

    @Test
    void execute_cannotRunIfNothingIsLeft() {
        assertThat(TlsCommand.executeIn("/nowhere", "--load", "HTTP2,H2C")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--key=dsa", "--rounds=0", "--seconds=0", "--cpus=0", "--load=ALL"})
    void execute_wrongOption_isRefused(String option) {
        assertThat(TlsCommand.execute(option)).isEqualTo(2);
    }
}
