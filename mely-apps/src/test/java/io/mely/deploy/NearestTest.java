// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {
    private static final List<String> FLAGS = List.of(
            "--root", "--port", "--bind", "--cores", "--stealing", "--max-clients", "--config", "--stats", "--help");

    @ParameterizedTest
    @CsvSource({
        "--prot, --port",
        "--Port, --port",
        "-p, --port",
        "-h, --help",
        "--core, --cores",
        "--steal, --stealing",
        "--max_clients, --max-clients",
        "--stat, --stats",
        "--cnofig, --config",
        "--hlep, --help",
        "--bnid, --bind"
    })
    void to_findsWhatWasMeant(String given, String meant) {
        assertThat(Nearest.to(given, FLAGS)).isEqualTo(meant);
    }

    @Test
    void edits_countsInsertionDeletionReplacementAndSwap() {
        assertThat(Nearest.edits("port", "port")).isZero();
        assertThat(Nearest.edits("prt", "port")).isEqualTo(1);
        assertThat(Nearest.edits("poort", "port")).isEqualTo(1);
        assertThat(Nearest.edits("pork", "port")).isEqualTo(1);
        assertThat(Nearest.edits("prot", "port")).isEqualTo(1);
        assertThat(Nearest.edits("", "port")).isEqualTo(4);
    }

    // A very long word is answered too, in bounded time.
    @Test
    void to_survivesLongWords() {
        assertThat(Nearest.to("-" + "x".repeat(1_000_000), FLAGS)).isIn(FLAGS);
    }
}
