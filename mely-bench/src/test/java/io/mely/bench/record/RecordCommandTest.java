// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.bench.Main;
import io.mely.bench.record.WorkloadProfile.StageLoad;
import io.mely.runtime.HandlerObserver;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// SWS runs as it does by itself, and leaves a profile of what was asked of it.
class RecordCommandTest {
    @TempDir
    Path folder;

    private String said = "";

    private int record(String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "record"));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void server_leavesAProfile() throws Exception {
        Path file = folder.resolve("profile.json");
        assertThat(record("--profile", file.toString(), "--", "--rehearse", "--cores", "2", folder.toString()))
                .as(() -> said)
                .isZero();
        assertThat(said).contains("profile of ", file.toString());
        WorkloadProfile profile = ProfileReader.read(file);
        assertThat(profile.cores()).isEqualTo(2);
        assertThat(profile.stages())
                .extracting(StageLoad::name)
                .contains("Accept", "ReadRequest", "ParseRequest", "WriteResponse");
    }

    @Test
    void serverThatDoesNotStart_leavesNone() throws Exception {
        Path file = folder.resolve("profile.json");
        assertThat(record("--profile", file.toString(), "--", "--port", "no")).isEqualTo(2);
        assertThat(said).contains("sws: ", "port");
        assertThat(record("--profile", file.toString(), "--", "--help")).isZero();
        assertThat(said).contains("sws.jar");
        assertThat(file).doesNotExist();
    }

    @Test
    void wrongOptions_areRefused() {
        assertThat(RecordCommand.execute()).isEqualTo(2);
        assertThat(RecordCommand.execute("--profile", "p", "--warm-seconds", "-1"))
                .isEqualTo(2);
    }

    @Test
    void fileThatCannotBeWritten_isSaid() throws IOException {
        Recorder recorder = new Recorder(() -> 1, Duration.ZERO);
        StringWriter out = new StringWriter();
        Path file = folder.resolve("missing").resolve("profile.json");
        recorder.create(HandlerObserver.OUTSIDE);
        assertThat(RecordCommand.write(recorder, file, new PrintWriter(out, true)))
                .isZero();
        recorder.create(0);
        assertThat(RecordCommand.write(recorder, file, new PrintWriter(out, true)))
                .isEqualTo(1);
        assertThat(out.toString()).startsWith("profile cannot be written: " + file);
        assertThat(Files.exists(file)).isFalse();
    }
}
