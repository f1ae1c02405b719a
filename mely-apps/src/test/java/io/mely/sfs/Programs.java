// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Programs of this machine. */
final class Programs {
    private static final int TIMEOUT_S = 290;

    private Programs() {}

    static boolean isThere(String program) {
        for (String folder : Pattern.compile(File.pathSeparator).split(String.valueOf(System.getenv("PATH")))) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a Python module can be imported. */
    static boolean isPythonThere(String module) throws IOException, InterruptedException {
        return isThere("python3") && run(Path.of("."), "", "python3", "-c", "import " + module).code == 0;
    }

    static boolean hasCurlSftp() throws IOException, InterruptedException {
        return isThere("curl")
                && run(Path.of("."), "", "curl", "--version").output.contains(" sftp");
    }

    record Result(int code, String output) {
        Result isFine() {
            assertThat(code).as(output).isZero();
            return this;
        }
    }

    /** Runs a program to its end; what it says on both its outputs is the output. */
    static Result run(Path folder, String input, String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("program", ".out");
        try {
            ProcessBuilder builder = new ProcessBuilder(List.of(command))
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().put("LC_ALL", "C.UTF-8");
            Process process = builder.start();
            try (var in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException ended) {
                // it has not read all; its code says why
            }
            boolean isEnded = process.waitFor(TIMEOUT_S, TimeUnit.SECONDS);
            if (!isEnded) {
                process.destroyForcibly().waitFor();
            }
            String text = Files.readString(output, StandardCharsets.ISO_8859_1);
            assertThat(isEnded).as("%s did not end: %s", List.of(command), text).isTrue();
            return new Result(process.exitValue(), text);
        } finally {
            Files.delete(output);
        }
    }
}
