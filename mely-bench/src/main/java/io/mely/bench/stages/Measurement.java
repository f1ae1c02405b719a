// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.bench.Commands;
import io.mely.bench.paper.CheckFailedException;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Json;
import io.mely.bench.report.Stat;
import io.mely.bench.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the commands of this package share: rounds, and where the results go. */
abstract class Measurement implements Callable<Integer> {
    private static final int CHECK_FAILED = 3;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(names = "--rounds", description = "Of all contenders (default: ${DEFAULT-VALUE}).")
    int rounds = 5;

    @Option(names = "--warm-rounds", description = "Before them, that do not count (default: ${DEFAULT-VALUE}).")
    int warmRounds = 1;

    @Option(names = "--tries", description = "Rounds at most, counted or not (default: ${DEFAULT-VALUE}).")
    private int tries = 20;

    @Option(names = "--json", description = "Writes every run.")
    private @Nullable Path json;

    @Option(names = "--svg", description = "Writes a picture.")
    private @Nullable Path svg;

    static int execute(Measurement measurement, String... args) {
        return Commands.execute(measurement, args);
    }

    @Override
    public final Integer call() throws IOException {
        check();
        check(rounds >= 1 && tries >= 1 && warmRounds >= 0, "rounds and tries must be >= 1, warm-rounds >= 0");
        Map<String, String> environment = Environment.describe();
        try {
            prepare();
            environment.putAll(subject());
            int counted = 0;
            for (int round = -warmRounds; counted < rounds && round < tries; round++) {
                say(round < 0 ? "warm-up" : "round " + (round + 1) + ", " + counted + " of " + rounds + " count");
                counted += round(round) && round >= 0 ? 1 : 0;
            }
            environment.put("rounds", counted + " count, of " + rounds + " asked for");
            finish();
        } catch (CheckFailedException e) {
            say(String.valueOf(e.getMessage()));
            return CHECK_FAILED;
        }
        PrintWriter out = spec.commandLine().getOut();
        environment.forEach((name, value) -> out.printf("%s: %s%n", name, value));
        out.printf("%n%s%n%s%n", TextTable.of(titles(), rows()), note());
        out.flush();
        if (json != null) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("environment", environment);
            all.put("runs", runs());
            Files.writeString(json, Json.write(all));
        }
        if (svg != null) {
            Files.writeString(svg, picture());
        }
        return 0;
    }

    /** Checks the options of the command. */
    abstract void check();

    /** What takes time before the first round. */
    void prepare() throws IOException {}

    /** What is measured with, when it is prepared, by name. */
    Map<String, String> subject() {
        return Map.of();
    }

    /** What is done after the last round. */
    void finish() throws IOException {}

    /** Runs all contenders once, as a warm-up if the number is below 0. False if the machine was too busy with other things for the round to count. */
    abstract boolean round(int round) throws IOException;

    abstract List<String> titles();

    abstract List<List<String>> rows();

    abstract String note();

    abstract List<Map<String, Object>> runs();

    abstract String picture();

    final void check(boolean isRight, String message) {
        if (!isRight) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    final void say(String line) {
        spec.commandLine().getErr().println(line);
        spec.commandLine().getErr().flush();
    }

    /** Milliseconds of a percentile; NaN of nothing. */
    static double ms(LongStream timesNs, double percent) {
        long[] sorted = timesNs.sorted().toArray();
        return sorted.length == 0
                ? Double.NaN
                : sorted[Math.min(sorted.length - 1, (int) (percent / 100 * sorted.length))] / 1e6;
    }

    static String median(double[] values, String format) {
        double median = Stat.of(values).median();
        return Double.isNaN(median) ? "-" : String.format(Locale.ROOT, format, median);
    }

    static String medianAndSpread(double[] values, String format) {
        Stat stat = Stat.of(values);
        return median(values, format)
                + (Arrays.stream(values).allMatch(Double::isNaN)
                        ? ""
                        : " (" + stat.spread(value -> String.format(Locale.ROOT, format, value)) + ")");
    }
}
