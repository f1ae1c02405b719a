// SPDX-License-Identifier: Apache-2.0
package io.mely;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the README shows is the file in docs/examples, and that file runs and prints what it says. */
class ReadmeExampleTest {
    private static final Path TOP = Path.of("").toAbsolutePath().getParent();
    private static final Path EXAMPLE = TOP.resolve("docs/examples/Hello.java");

    @Test
    void readme_showsTheExample() throws Exception {
        assertThat(Files.readString(TOP.resolve("README.md")))
                .contains("```java\n" + Files.readString(EXAMPLE) + "```");
    }

    @Test
    void example_printsWhatItSays() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        EXAMPLE.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output.lines().toList()).last().isEqualTo("[" + "100000, ".repeat(9) + "100000]");
        assertThat(process.exitValue()).isZero();
    }
}
