// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: h2load's figures are taken only if it has said that every request was answered rightly, by the protocol that was asked for. */
class H2loadTest {
    /** Of version 1.52. */
    private static final String OUTPUT = """
            starting benchmark...
            spawning thread #0: 100 total client(s). Timing-based test with 0s of warm-up time and 3s of main duration for measurements.
            Warm-up started for thread #0.
            Warm-up phase is over for thread #0.
            Main benchmark duration is started for thread #0.
            TLS Protocol: TLSv1.3
            Cipher: TLS_AES_128_GCM_SHA256
            Server Temp Key: X25519 253 bits
            Application protocol: h2
            Main benchmark duration is over for thread #0. Stopping all clients.
            Stopped all clients for thread #0

            finished in 3.00s, 45678.33 req/s, 52.11MB/s
            requests: 137035 total, 138035 started, 137035 done, 137035 succeeded, 0 failed, 0 errored, 0 timeout
            status codes: 137035 2xx, 0 3xx, 0 4xx, 0 5xx
            traffic: 156.33MB (163923456) total, 8.90MB (9332160) headers (space savings 62.50%), 133.82MB (140323840) data
                                 min         max         mean         sd        +/- sd
            time for request:      412us     45.20ms     20.11ms      4.02ms    70.12%
            """;

    @Test
    void parse_takesRequestsAndRate() throws IOException {
        assertThat(H2load.parse(OUTPUT, "h2")).isEqualTo(new TlsLoad.Outcome(137_035, 45_678.33));
        assertThat(H2load.parse(OUTPUT.replace("protocol: h2", "protocol: h2c"), "h2c"))
                .isEqualTo(new TlsLoad.Outcome(137_035, 45_678.33));
    }

    /** It was in the middle of some responses when the time was over: their status has been counted. */
    @Test
    void parse_takesStatusesOfUnfinishedResponses() throws IOException {
        assertThat(H2load.parse(OUTPUT.replace("137035 2xx", "137040 2xx"), "h2")
                        .requests())
                .isEqualTo(137_035);
    }

    @ParameterizedTest
    @CsvSource({
        "0 failed, 1 failed",
        "0 errored, 3 errored",
        "0 timeout, 10 timeout",
        "0 3xx, 7 3xx",
        "0 4xx, 1 4xx",
        "0 5xx, 2 5xx",
        "137035 done, 137036 done",
        "137035 succeeded, 137034 succeeded"
    })
    void parse_refusesRequestsThatFailed(String right, String wrong) {
        assertThatThrownBy(() -> H2load.parse(OUTPUT.replace(right, wrong), "h2"))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("not all requests were answered 2xx: ")
                .hasMessageContaining(wrong);
    }

    @Test
    void parse_refusesARunWithoutAnswers() {
        String none = OUTPUT.replace("137035 done, 137035 succeeded", "0 done, 0 succeeded");
        assertThatThrownBy(() -> H2load.parse(none, "h2"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("0 succeeded");
    }

    @Test
    void parse_refusesAnotherProtocol() {
        assertThatThrownBy(() -> H2load.parse(OUTPUT.replace("protocol: h2", "protocol: http/1.1"), "h2"))
                .isInstanceOf(IOException.class)
                .hasMessage("h2load spoke http/1.1 with the server, not h2");
    }

    @Test
    void parse_refusesAClientThatDidNotConnect() {
        assertThatThrownBy(() -> H2load.parse(OUTPUT + "client could not connect to host\n", "h2"))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("h2load did not connect");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Application protocol", "finished in", "requests: ", "status codes"})
    void parse_refusesWhatItDoesNotKnow(String missing) {
        assertThatThrownBy(() -> H2load.parse(OUTPUT.replace(missing, "?"), "h2"))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("h2load does not say what it should");
    }

    @Test
    void isIn_looksInEachFolder(@TempDir Path dir) throws IOException {
        String path = "/nowhere" + File.pathSeparator + dir;
        assertThat(H2load.isIn(path)).isFalse();
        Path program = Files.createFile(dir.resolve("h2load"));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        assertThat(H2load.isIn(path)).isTrue();
        assertThat(H2load.isIn("/nowhere")).isFalse();
    }
}
