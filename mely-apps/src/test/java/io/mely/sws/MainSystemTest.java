// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainSystemTest {

    @TempDir
    Path dir;

    // The packaged jar starts by itself, says its version, and writes nothing to stderr.
    @Test
    void jar_saysItsVersionAndNothingElse() throws Exception {
        Path out = dir.resolve("out");
        Path err = dir.resolve("err");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(java, "-jar", System.getProperty("mely.sws.jar"), "--version")
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        assertThat(Files.readString(out, UTF_8)).isEqualToIgnoringNewLines("sws " + Version.version());
        assertThat(Files.readString(err, UTF_8)).isEmpty();
    }
}
