// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Commands;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Order;
import io.mely.bench.report.Stat;
import io.mely.bench.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code start}: how long SWS takes from the fork to its ready line, and to the end of its first answer, with an archive of its classes and without. */
@Command(
        name = "start",
        mixinStandardHelpOptions = true,
        description = "Starts SWS many times, and prints the time from the fork to the ready line and to the first"
                + " answer.")
public final class StartCommand implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final int BYTES = 1_024;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(
            names = "--way",
            split = ",",
            description = "Of ${COMPLETION-CANDIDATES}: without more options; with -XX:SharedArchiveFile; with"
                    + " -XX:AOTCache, from Java 25 on (default: PLAIN, ARCHIVE).")
    private List<Way> ways = List.of(Way.PLAIN, Way.ARCHIVE);

    @Option(names = "--rounds", description = "Each has a start of each way (default: ${DEFAULT-VALUE}).")
    private int rounds = 10;

    @Option(names = "--warm-rounds", description = "Before those, not counted (default: ${DEFAULT-VALUE}).")
    private int warmRounds = 1;

    @Option(
            names = "--within-ms",
            description = "Starts are counted whose first answer is there by then (default: ${DEFAULT-VALUE}).")
    private long withinMs = 400;

    private StartCommand() {}

    /** How SWS is started, as its guide says. */
    enum Way {
        PLAIN("", ""),
        ARCHIVE("-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile="),
        AOT("-XX:AOTCacheOutput=", "-XX:AOTCache=");

        private final String makes;
        private final String takes;

        Way(String makes, String takes) {
            this.makes = makes;
            this.takes = takes;
        }

        boolean needsFile() {
            return !makes.isEmpty();
        }

        private Path file(Path dir) {
            return dir.resolve("sws." + name());
        }

        /** Options of Java with which a rehearsal leaves the file behind that a start takes. */
        List<String> making(Path dir) {
            return List.of("-Xlog:disable", makes + file(dir));
        }

        List<String> taking(Path dir) {
            return needsFile() ? List.of(takes + file(dir)) : List.of();
        }
    }

    private record Run(Way way, int round, Start start) {}

    private final List<Run> runs = new ArrayList<>();

    /**
     * Runs the command.
     *
     * @param args without the word {@code start}
     * @return 0; 1 if it could not run, which includes a wrong answer; 2 for wrong options
     */
    public static int execute(String... args) {
        return Commands.execute(new StartCommand(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || warmRounds < 0 || withinMs < 1) {
            throw new ParameterException(
                    spec.commandLine(), "rounds and within-ms must be >= 1, and warm-rounds must be >= 0");
        }
        Map<String, String> environment = Environment.describe();
        environment.put("java of SWS", options.java());
        environment.put("rounds", rounds + " after " + warmRounds);
        PrintWriter progress = spec.commandLine().getErr();
        try (Site site = Site.create()) {
            byte[] body = Files.readAllBytes(site.write(CompareCommand.FILE, BYTES, 1));
            Server.Setting setting = options.setting(site, BYTES, "", 1, List.of(), Map.of());
            for (Way way : ways) {
                if (way.needsFile()) {
                    progress.println("a rehearsal for " + way);
                    progress.flush();
                    rehearse(setting, way);
                }
            }
            for (int turn = 0; turn < warmRounds + rounds; turn++) {
                for (Way way : Order.of(ways, turn)) {
                    progress.printf("%d of %d: %s%n", turn + 1, warmRounds + rounds, way);
                    progress.flush();
                    List<String> command = java(setting, way.taking(site.dir()));
                    command.addAll(List.of("--root", site.root().toString(), "--port", "0"));
                    Start start = Start.of(command, body);
                    if (turn >= warmRounds) {
                        runs.add(new Run(way, turn - warmRounds, start));
                    }
                }
            }
        } catch (IOException e) {
            progress.println("start: " + e.getMessage());
            return CANNOT_RUN;
        }
        write(environment);
        return 0;
    }

    private static List<String> java(Server.Setting setting, List<String> more) {
        List<String> command = new ArrayList<>(List.of(setting.java()));
        command.addAll(setting.javaOptions());
        command.addAll(more);
        command.addAll(List.of("-jar", setting.swsJar().toString()));
        return command;
    }

    private static void rehearse(Server.Setting setting, Way way) throws IOException, InterruptedException {
        List<String> command = java(setting, way.making(setting.dir()));
        command.addAll(List.of("--rehearse", setting.root().toString()));
        String unused = TlsCommand.output(command, setting.dir());
        if (!Files.exists(way.file(setting.dir()))) {
            throw new IOException("the rehearsal left no archive: " + String.join(" ", command));
        }
    }

    // ------------------------------------------------------------------ report

    private List<Run> of(Way way) {
        return runs.stream().filter(run -> run.way() == way).toList();
    }

    private String median(Way way, ToLongFunction<Start> ns) {
        Stat stat = Stat.of(of(way), run -> ns.applyAsLong(run.start()) / 1e6);
        return String.format(Locale.ROOT, "%.0f (%.0f-%.0f)", stat.median(), stat.least(), stat.most());
    }

    private long within(Way way) {
        return of(way).stream()
                .filter(run -> run.start().answerNs() <= withinMs * 1_000_000)
                .count();
    }

    private void write(Map<String, String> environment) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        environment.forEach((name, value) -> out.printf("%s: %s%n", name, value));
        List<List<String>> rows = ways.stream()
                .map(way -> List.of(
                        way.toString(),
                        median(way, Start::readyNs),
                        median(way, Start::answerNs),
                        within(way) + " of " + of(way).size()))
                .toList();
        out.printf(
                "%n%s%nMedian (least-most), from the fork. The first answer is a whole file of 1 KB.%n",
                TextTable.of(List.of("way", "ready ms", "first answer ms", "within " + withinMs + " ms"), rows));
        out.flush();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("environment", environment);
        all.put(
                "runs",
                runs.stream()
                        .map(run -> Map.<String, Object>of(
                                "way",
                                run.way().toString(),
                                "round",
                                run.round(),
                                "readyMs",
                                run.start().readyNs() / 1e6,
                                "answerMs",
                                run.start().answerNs() / 1e6))
                        .toList());
        options.write(all);
    }
}
