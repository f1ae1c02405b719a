// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.system;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A child JVM that runs the packaged jar, with the same Java as the test's. Its output goes to files, so it never blocks on a pipe.
 *
 * <p>It runs with assertions on, and with the usual handling of signals even where the test's own JVM has inherited an ignored
 * SIGINT, as background jobs of a shell do.
 */
final class SwsProcess implements AutoCloseable {
    static final Path JAR = Path.of(System.getProperty("mely.sws.jar", "target/sws.jar"));
    static final Path JAVA_BIN = Path.of(System.getProperty("java.home"), "bin");

    private static final Pattern READY = Pattern.compile("SWS listening on https?://(\\S+):(\\d+) \\(.*\\)\n");
    private static final boolean HAS_DEFAULT_SIGNAL = works("env", "--default-signal=INT", "true");

    private final Process process;
    private final Path folder;
    private final Path out;
    private final Path err;
    private int port = -1;

    private SwsProcess(Process process, Path folder, Path out, Path err) {
        this.process = process;
        this.folder = folder;
        this.out = out;
        this.err = err;
    }

    /** What to start; each call changes this. */
    static final class Launch {
        private final List<String> prefix = new ArrayList<>();
        private final List<String> jvm = new ArrayList<>(List.of("-ea"));
        private final List<String> args;
        private final Map<String, String> variables = new HashMap<>();

        private boolean isErrorStalled;

        private Launch(String... args) {
            this.args = List.of(args);
        }

        /** Puts a command in front, which must end in an exec. */
        Launch prefix(String... command) {
            prefix.addAll(List.of(command));
            return this;
        }

        /** Adds options of the JVM. */
        Launch jvm(String... options) {
            jvm.addAll(List.of(options));
            return this;
        }

        /** Sets an environment variable. */
        Launch variable(String name, String value) {
            variables.put(name, value);
            return this;
        }

        /** Its standard error is a full pipe that nobody empties. */
        Launch stalledError() {
            isErrorStalled = true;
            String fill = "dd if=/dev/zero of=/dev/fd/3 bs=4096 oflag=nonblock 3>&2 2>/dev/null; exec \"$@\"";
            return prefix("sh", "-c", fill, "sh");
        }

        /** Starts the process and returns at once. */
        SwsProcess start() throws IOException {
            List<String> command = new ArrayList<>(prefix);
            if (HAS_DEFAULT_SIGNAL) {
                command.addAll(List.of("env", "--default-signal=INT,TERM,HUP"));
            }
            command.add(JAVA_BIN.resolve("java").toString());
            command.addAll(jvm);
            command.addAll(List.of("-jar", JAR.toAbsolutePath().toString()));
            command.addAll(args);
            Path folder = Files.createTempDirectory("sws-test");
            Path out = folder.resolve("out");
            Path err = Files.createFile(folder.resolve("err"));
            ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile());
            if (!isErrorStalled) {
                builder.redirectError(err.toFile());
            }
            // What a developer or CI has set must not reach the child.
            builder.environment().keySet().removeIf(name -> name.startsWith("SWS_") || name.endsWith("JAVA_OPTIONS"));
            builder.environment().remove("JDK_JAVA_OPTIONS");
            builder.environment().putAll(variables);
            return new SwsProcess(builder.start(), folder, out, err);
        }

        /** Starts the process and waits until it is ready. */
        SwsProcess startReady() throws Exception {
            SwsProcess sws = start();
            try {
                sws.awaitReady();
                return sws;
            } catch (Throwable failed) {
                sws.close();
                throw failed;
            }
        }
    }

    /** Describes a process with these arguments. */
    static Launch launch(String... args) {
        return new Launch(args);
    }

    /** Describes a server of a folder on a port that the system chooses. */
    static Launch serving(Path root, String... more) {
        List<String> args = new ArrayList<>(List.of("--root", root.toString(), "--port", "0"));
        args.addAll(List.of(more));
        return new Launch(args.toArray(String[]::new));
    }

    /** Runs a process to its end. */
    static SwsProcess run(String... args) throws Exception {
        return launch(args).start().awaitExit();
    }

    private void awaitReady() throws Exception {
        Await.until(() -> "ready line; stdout: " + stdout() + " stderr: " + stderr(), () -> {
            Matcher ready = READY.matcher(stdout());
            if (ready.find()) {
                port = Integer.parseInt(ready.group(2));
                return true;
            }
            if (!process.isAlive()) {
                throw new AssertionError("ended with " + process.exitValue() + " instead of serving: " + stderr());
            }
            return false;
        });
    }

    /** Waits for its end. */
    SwsProcess awaitExit() throws Exception {
        if (!process.waitFor(Await.TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still running; stdout: " + stdout() + " stderr: " + stderr());
        }
        return this;
    }

    /** Its exit code, after its end. */
    int exitCode() {
        return process.exitValue();
    }

    /** Whether it runs. */
    boolean isAlive() {
        return process.isAlive();
    }

    /** The port it listens on. */
    int port() {
        return port;
    }

    /** Where it listens. */
    InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    /** All it has written to standard output. */
    String stdout() {
        return read(out);
    }

    /** All it has written to standard error. */
    String stderr() {
        return read(err);
    }

    /** Sends a signal, such as TERM. */
    void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("kill -" + name + " failed");
        }
    }

    /** Its number. */
    long pid() {
        return process.pid();
    }

    /** Number of descriptors it has open. */
    int descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc", String.valueOf(process.pid()), "fd"))) {
            return (int) open.count();
        }
    }

    /** Native memory of direct buffers in KiB, as the JVM counts it; needs {@code -XX:NativeMemoryTracking=summary}. */
    long directKib() throws Exception {
        Process jcmd = new ProcessBuilder(
                        JAVA_BIN.resolve("jcmd").toString(),
                        String.valueOf(process.pid()),
                        "VM.native_memory",
                        "summary")
                .redirectErrorStream(true)
                .start();
        String summary = new String(jcmd.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        Matcher other =
                Pattern.compile("Other \\(reserved=\\d+KB, committed=(\\d+)KB").matcher(summary);
        if (jcmd.waitFor() != 0 || !other.find()) {
            throw new AssertionError("no figures: " + summary);
        }
        return Long.parseLong(other.group(1));
    }

    /** Ends it at once, if it still runs. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
            Files.deleteIfExists(out);
            Files.deleteIfExists(err);
            Files.deleteIfExists(folder);
        } catch (IOException | InterruptedException leftover) {
            throw new AssertionError("cannot clean up " + folder, leftover);
        }
    }

    /** Whether a command exists and succeeds. */
    static boolean works(String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException absent) {
            return false;
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }
}
