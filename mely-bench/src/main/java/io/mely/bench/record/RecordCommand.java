// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import io.mely.bench.Commands;
import io.mely.runtime.Hooks;
import io.mely.spi.NanoClock;
import io.mely.sws.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code record}: SWS under a {@link Recorder}, which writes the profile when the server is stopped. */
@Command(
        name = "record",
        mixinStandardHelpOptions = true,
        description =
                "Serves with SWS in this JVM, and when it is stopped (SIGTERM, Ctrl-C) writes what its clients asked of"
                        + " it, for simulate --profile.")
public final class RecordCommand implements Callable<Integer> {
    /** What SWS answers after a stop that was asked for, and when it cannot do its work. */
    private static final int OK = 0;

    private static final int FAILED = 1;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(names = "--profile", required = true, paramLabel = "FILE", description = "Is written, over what is there.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private Path file;

    @Option(
            names = "--warm-seconds",
            paramLabel = "N",
            description = "Leaves the first seconds after the start out (default: ${DEFAULT-VALUE}).")
    private long warmSeconds;

    @Parameters(paramLabel = "-- ARGS", description = "For SWS, see its --help.")
    private List<String> serverArgs = List.of();

    /**
     * Runs the command. Ends the JVM once the server is stopped.
     *
     * @param args its options
     * @return its exit code if no server was started; 2 for wrong options
     */
    public static int execute(String... args) {
        return Commands.execute(new RecordCommand(), args);
    }

    @Override
    public Integer call() {
        if (warmSeconds < 0) {
            throw new ParameterException(spec.commandLine(), "--warm-seconds must be >= 0: " + warmSeconds);
        }
        Recorder recorder = new Recorder(NanoClock.SYSTEM, Duration.ofSeconds(warmSeconds));
        Main.runOn(
                runtime -> Hooks.NONE.withObservers(recorder).on(runtime),
                code -> code == OK ? write(recorder, file, spec.commandLine().getErr()) : code,
                serverArgs.toArray(String[]::new));
        throw new AssertionError("SWS ends the JVM");
    }

    /**
     * Writes what was recorded, if a server has run.
     *
     * @return an exit code
     */
    public static int write(Recorder recorder, Path file, PrintWriter out) {
        if (!recorder.hasCores()) { // SWS was asked for its --help
            return OK;
        }
        WorkloadProfile profile = recorder.profile();
        try {
            profile.write(file);
        } catch (IOException failed) {
            out.println("profile cannot be written: " + file + ": " + failed);
            return FAILED;
        }
        out.println(String.format(
                Locale.ROOT, "profile of %.1f s, %,d events: %s", profile.seconds(), profile.runs(), file));
        return OK;
    }
}
