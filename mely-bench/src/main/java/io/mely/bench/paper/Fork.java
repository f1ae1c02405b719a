// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import io.mely.bench.Children;
import io.mely.bench.Main;
import io.mely.bench.paper.Report.Sample;
import io.mely.bench.paper.Workload.Measured;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs of contenders in JVMs of their own, as JMH's forks: what one leaves behind in the heap, in the profiles of the compiler, or as a thread that never
 * ends, is no other's.
 */
final class Fork {
    /** Agrona's; the jar's manifest has it, which counts for {@code -jar} only. */
    private static final String OPENS = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";

    /** More than a trace with its causes has. */
    private static final int LAST_LINES = 60;

    private final List<String> options;
    private final long timeoutNs;

    /**
     * Makes none yet.
     *
     * @param options of the command, but for what is to be run and where that is written
     * @param timeoutNs of a run, warm-up rounds included
     */
    Fork(List<String> options, long timeoutNs) {
        this.options = List.copyOf(options);
        this.timeoutNs = timeoutNs;
    }

    /**
     * Runs a contender once, after its warm-up rounds.
     *
     * @param workload its name
     * @param metric of it
     * @param engine the contender's name
     * @param round of it
     * @param calibration what was measured for all contenders of the round; empty for nothing
     * @return what was measured; null if the contender cannot run it
     * @throws CheckFailedException if it did anything wrong
     */
    @Nullable
    Sample run(String workload, Metric metric, String engine, int round, String calibration) throws IOException {
        String contender = engine.equals(Comparisons.OFF_AGAIN) ? Comparisons.OFF : engine; // a child compares nothing
        Path dir = Files.createTempDirectory("mely-fork");
        Path json = dir.resolve("run.json");
        Path output = dir.resolve("output");
        try {
            List<String> command = command(workload, contender, json);
            if (!calibration.isEmpty()) {
                command.add("--calibration=" + calibration);
            }
            Process child = Children.endWithUs(new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start());
            int exitCode = exitCode(child);
            if (!Files.exists(json) || (exitCode != 0 && exitCode != PaperCommand.WORKLOAD_FAILED)) {
                throw new CheckFailedException("its JVM ended with exit code " + exitCode + ", and these last lines:\n"
                        + end(Files.readString(output)));
            }
            Config report = ConfigFactory.parseString(
                    Files.readString(json), ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
            if (exitCode == PaperCommand.WORKLOAD_FAILED) {
                throw new CheckFailedException(String.join("; ", report.getStringList("failures")));
            }
            List<? extends Config> runs = report.getConfigList("runs");
            return runs.isEmpty() ? null : sample(runs.get(0), workload, metric, engine, round);
        } finally {
            Files.deleteIfExists(json);
            Files.deleteIfExists(output);
            Files.delete(dir);
        }
    }

    private List<String> command(String workload, String engine, Path json) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of(
                OPENS,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "paper",
                "--workload=" + workload,
                "--engine=" + engine,
                "--rounds=1",
                "--child",
                "--json=" + json));
        command.addAll(options);
        return command;
    }

    private int exitCode(Process child) {
        try {
            if (child.waitFor(timeoutNs, TimeUnit.NANOSECONDS)) {
                return child.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        child.destroyForcibly();
        throw new CheckFailedException("its JVM did not end");
    }

    /** With all of a stack trace: why a JVM ended may not come again. */
    private static String end(String output) {
        List<String> lines = output.strip().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    }

    private static Sample sample(Config run, String workload, Metric metric, String engine, int round) {
        Map<String, Double> extras = new HashMap<>();
        run.getObject("extras").unwrapped().forEach((key, value) -> {
            if (value instanceof Number number) {
                extras.put(key, number.doubleValue());
            }
        });
        long rescues = run.getLong("rescues");
        Measured measured = new Measured(
                run.getLong("events"),
                run.getLong("elapsedNs"),
                run.getLong("cpuNs"),
                run.getLong("steals"),
                run.getLong("stealAttempts"),
                rescues,
                Math.max(0, rescues),
                run.getLong("stealTimeNs"),
                run.getLong("stolenTimeNs"),
                run.getLong("broughtHome"),
                run.getLong("awayCycles"),
                run.getDouble("lostCpus"),
                extras);
        return new Sample(
                workload,
                metric,
                engine,
                round,
                run.getDouble("load"),
                run.getIsNull("bareNsPerEvent") ? Double.NaN : run.getDouble("bareNsPerEvent"),
                run.getDouble("nsPerCycle"),
                measured);
    }
}
