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

/** A sweep's file becomes a picture with a line for each engine; a file of something else is refused. */
class EfficiencyTest {
    private static int draw(Path csv) {
        CommandLine line = SimulateCommand.commandLine();
        line.setErr(new PrintWriter(new StringWriter()));
        return line.execute("--efficiency", csv.toString());
    }

    @Test
    void sweep_isDrawn(@TempDir Path folder) throws IOException {
        Path csv = folder.resolve("sweep.csv");
        Path machine = folder.resolve("machine.conf");
        Files.writeString(
                machine,
                Files.readString(Path.of("../config/machines/xeon-e5410x2.conf")) + "name = \"a Xeon, \\\"old\\\"\"\n");
        CommandLine line = SimulateCommand.commandLine();
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(new StringWriter()));
        assertThat(line.execute(
                        "--machine",
                        machine.toString(),
                        "--workload",
                        "sws",
                        "--set",
                        "clientsPerCore=4",
                        "--set",
                        "connected=1",
                        "--set",
                        "pollers=1,0",
                        "--engine",
                        "mely-off,mely",
                        "--cores",
                        "2,4",
                        "--warm-us",
                        "100",
                        "--measure-us",
                        "400",
                        "--csv",
                        csv.toString()))
                .isZero();
        assertThat(Files.readAllLines(csv)).element(1).asString().startsWith("\"a Xeon, \"\"old\"\"\",2,");
        assertThat(draw(csv)).isZero();
        assertThat(Files.readString(folder.resolve("sweep.svg")))
                .contains("xmlns=", "mely-off, one poller", "mely, one a core", "<polyline")
                .doesNotContain("NaN");
    }

    @Test
    void otherFile_isRefused(@TempDir Path folder) throws IOException {
        Path csv = folder.resolve("other.csv");
        Files.writeString(csv, "workload,engine,cores\nsws,mely,8\n");
        assertThat(draw(csv)).isEqualTo(2);
    }
}
