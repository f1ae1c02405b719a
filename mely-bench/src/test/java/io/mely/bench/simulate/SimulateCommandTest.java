// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command runs every combination asked for, writes the same bytes for the same seed, and refuses what it does not know. */
class SimulateCommandTest {
    private static final String[] SHORT = {
        "--machine",
        "../config/machines/xeon-e5410x2.conf",
        "--warm-us",
        "50",
        "--measure-us",
        "100",
        "--set",
        "colors=100"
    };

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... more) {
        CommandLine line = SimulateCommand.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        String[] all = java.util.Arrays.copyOf(SHORT, SHORT.length + more.length);
        System.arraycopy(more, 0, all, SHORT.length, more.length);
        return line.execute(all);
    }

    @Test
    void sweep_runsEveryCombination(@TempDir Path folder) throws IOException {
        Path csv = folder.resolve("all.csv");
        assertThat(run("--cores", "1,4", "--set", "shortCycles=100,1000", "--engine", "mely", "--csv", csv.toString()))
                .isZero();
        assertThat(Files.readAllLines(csv)).hasSize(1 + 4);
        assertThat(err.toString()).contains("4 of 4");
    }

    @Test
    void sameSeed_sameBytes(@TempDir Path folder) throws IOException {
        Path first = folder.resolve("first.json");
        Path second = folder.resolve("second.json");
        assertThat(run("--json", first.toString())).isZero();
        assertThat(run("--json", second.toString())).isZero();
        assertThat(Files.readString(first)).isEqualTo(Files.readString(second)).contains("\"kEventsPerS\"");
    }

    @Test
    void parameterThatNobodyAsksFor_isRefused() {
        assertThat(run("--set", "clors=7")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--set clors: no such parameter; there are")
                .contains("colors, ");
    }

    @Test
    void timeline_showsEveryCore(@TempDir Path folder) throws IOException {
        Path page = folder.resolve("page.html");
        assertThat(run("--timeline", page.toString())).isZero();
        assertThat(Files.readString(page)).contains("core 7").contains("<rect").contains("looks for work in vain");
    }

    @Test
    void timeline_canBeAPicture(@TempDir Path folder) throws IOException {
        Path picture = folder.resolve("picture.svg");
        assertThat(run("--timeline", picture.toString())).isZero();
        assertThat(Files.readString(picture))
                .startsWith("<svg")
                .contains("core 7")
                .contains("looks for work in vain");
    }

    // As at home: what validates the simulator runs on any machine.
    @Test
    void workloadsOfPaper_run(@TempDir Path folder) throws IOException {
        Path csv = folder.resolve("all.csv");
        assertThat(run(
                        "--workload",
                        "spread,spread-short,ping-pong,chains,penalty,cache-efficient",
                        "--set",
                        "books=1",
                        "--set",
                        "youngBytes=1000000",
                        "--set",
                        "hops=20",
                        "--set",
                        "chains=20",
                        "--set",
                        "parts=4",
                        "--set",
                        "perCore=10",
                        "--set",
                        "network=0",
                        "--csv",
                        csv.toString()))
                .isZero();
        assertThat(Files.readAllLines(csv)).hasSize(1 + 6);
    }

    @Test
    void comparison_hasBothRuns() {
        assertThat(run("--engine", "mely-off,mely", "--compare")).isZero();
        assertThat(out.toString()).contains("mely-off/8").contains("mely/8").contains("ratio");
    }

    @Test
    void wrongNames_areRefused() {
        assertThat(run("--engine", "melly")).isEqualTo(2);
        assertThat(err.toString()).contains("melly");
        assertThat(run("--workload", "nothing")).isEqualTo(2);
        assertThat(run("--cores", "9")).isEqualTo(2);
        assertThat(run("--machine", "none.conf")).isEqualTo(2);
        assertThat(run("--validate", "--tries", "0")).isEqualTo(2);
    }
}
