// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A running {@code sfs.jar} with the user "team", who may write. */
record SfsJar(Process process, int port) {
    static final Path JAR = Path.of(System.getProperty("mely.sfs.jar", "target/sfs.jar"));
    private static final Pattern READY = Pattern.compile("SFS listening on sftp://127\\.0\\.0\\.1:(\\d+) \\(.*\\)\n");
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /**
     * Starts it and waits for its ready line.
     *
     * @param temp for its output ("out" and "err") and its host keys
     */
    static SfsJar start(Path temp, Path root, Path keyFile, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                java(),
                "-ea",
                "-Xmx256m",
                "-jar",
                JAR.toAbsolutePath().toString(),
                root.toString(),
                "--port",
                "0",
                "--write",
                "--user",
                "team",
                "--authorized-keys",
                keyFile.toString(),
                "--host-keys",
                temp.resolve("host-keys").toString()));
        command.addAll(List.of(more));
        Path out = temp.resolve("out");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(temp.resolve("err").toFile())
                .start();
        long startNs = System.nanoTime();
        Matcher ready = READY.matcher(Files.readString(out));
        while (!ready.find()) {
            assertThat(process.isAlive() && System.nanoTime() - startNs < TIMEOUT.toNanos())
                    .as(Files.readString(temp.resolve("err")))
                    .isTrue();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            ready = READY.matcher(Files.readString(out));
        }
        return new SfsJar(process, Integer.parseInt(ready.group(1)));
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
