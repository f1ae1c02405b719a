// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: each contender runs, its books are closed (else the exit code is 3), and what was measured is written. */
class StagesCommandsTest {
    @TempDir
    private Path dir;

    private Path json() {
        return dir.resolve("runs.json");
    }

    private Path svg() {
        return dir.resolve("plot.svg");
    }

    private long runsWith(String text) throws IOException {
        return Files.readString(json())
                .lines()
                .filter(line -> line.contains(text))
                .count();
    }

    @Test
    void admission_measuresEachControllerAtEachLoad() throws IOException {
        assertThat(AdmissionCommand.execute(
                        "--rounds=1",
                        "--warm-rounds=0",
                        "--tries=1",
                        "--stage-us=20",
                        "--target-ms=5",
                        "--warm-seconds=0.1",
                        "--seconds=0.2",
                        "--load=0.5,2",
                        "--json=" + json(),
                        "--svg=" + svg()))
                .isZero();
        for (String name : new String[] {"none", "bound", "bound-first", "direct", "pid", "mm1"}) {
            assertThat(runsWith("\"controller\": \"" + name + "\"")).isEqualTo(2);
        }
        assertThat(svg()).content().contains("<svg", "bound", "</svg>");
    }

    @Test
    void demand_measuresEachPhase_andEachNumberOfCores() throws IOException {
        assertThat(DemandCommand.execute(
                        "--rounds=1",
                        "--warm-rounds=0",
                        "--tries=1",
                        "--stage-us=20",
                        "--seconds=1.2",
                        "--high=0.8",
                        "--json=" + json(),
                        "--svg=" + svg()))
                .isZero();
        assertThat(runsWith("\"contender\": \"by demand\"")).isEqualTo(3);
        assertThat(runsWith("\"contender\": \"1 core\"")).isEqualTo(2);
        assertThat(runsWith("\"contender\": \"2 cores\"")).isEqualTo(2);
        assertThat(svg()).content().contains("<svg", "goal", "</svg>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--rounds 0",
                "--warm-rounds -1",
                "--tries 0",
                "--stage-us 0",
                "--controller nobody",
                "--load 0",
                "--target-ms 0",
                "--cores 0",
                "--warm-seconds -1",
                "--seconds 0"
            })
    void admission_refuses(String args) {
        assertThat(AdmissionCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--rounds 0", "--goal-ms 0", "--cores 0", "--low 0", "--high 0", "--seconds 1"})
    void demand_refuses(String args) {
        assertThat(DemandCommand.execute(args.split(" ", -1))).isEqualTo(2);
    }
}
