// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.Version;
import io.mely.bench.paper.Report.Sample;
import io.mely.bench.paper.Workload.Measured;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code paper}: contenders times workloads, interleaved, each run checked. */
@Command(
        name = "paper",
        mixinStandardHelpOptions = true,
        description = "Runs the paper's micro-benchmarks with Mely and its peers, interleaved, and checks every run.")
public final class PaperCommand implements Callable<Integer> {
    private static final int WORKLOAD_FAILED = 3;
    private static final List<String> PAPER = List.of("unbalanced", "spread", "penalty", "cache-efficient");
    private static final int[] FAN_IN_PRODUCERS = {1, 2, 4};
    private static final int[] FAN_IN_COLORS = {64, 1_024, 65_536};
    /** Of a round of ping-pong. */
    private static final int HOPS = 20_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(names = "--quick", description = "Three short rounds: to see that it works, not to compare.")
    private boolean isQuick;

    @Option(
            names = "--workload",
            split = ",",
            description =
                    "Only these, or groups of them: paper (the default: unbalanced, spread, penalty, cache-efficient),"
                            + " keyed (fan-in, ping-pong, chains, timers, priorities, idle-wake, skewed-server).")
    private List<String> workloads = List.of();

    @Option(names = "--engine", split = ",", description = "Only these contenders.")
    private List<String> engines = List.of();

    @Option(names = "--rounds", description = "Rounds of all contenders (default: 5; 3 with --quick).")
    private int rounds;

    @Option(names = "--workers", description = "Threads that run events (default: ${DEFAULT-VALUE}).")
    private int workers = 2;

    @Option(names = "--warm-ms", description = "Warm-up of a run (default: 300; 100 with --quick).")
    private int warmMs = -1;

    @Option(
            names = "--measure-ms",
            description = "Measured time of a run (default: 1000; 200 with --quick; the paper: 5000).")
    private int measureMs = -1;

    @Option(names = "--timeout-s", description = "After which an event is taken for lost (default: ${DEFAULT-VALUE}).")
    private int timeoutS = 60;

    @Option(names = "--pinned", description = "Mely pins its cores.")
    private boolean isPinned;

    @Option(names = "--keep-homes", description = "Stolen colors stay with the thief from round to round.")
    private boolean keepsHomes;

    @Option(names = "--colors", description = "Of unbalanced and spread (default: 50000, as in the paper).")
    private int colors = 50_000;

    @Option(names = "--penalty-colors", description = "A events of penalty (default: ${DEFAULT-VALUE}).")
    private int penaltyColors = 256;

    @Option(names = "--array-bytes", description = "Of an array of penalty (default: ${DEFAULT-VALUE}).")
    private int arrayBytes = 256 << 10;

    @Option(
            names = "--part-bytes",
            description = "Of an array of penalty, touched by one event (default: ${DEFAULT-VALUE}).")
    private int partBytes = 4 << 10;

    @Option(names = "--arrays", description = "Of cache-efficient, a loaded core (default: 100, as in the paper).")
    private int arrays = 100;

    @Option(names = "--sort-ints", description = "Length of an array of cache-efficient (default: ${DEFAULT-VALUE}).")
    private int sortInts = 4_096;

    @Option(names = "--json", description = "Writes every round.")
    private @Nullable Path json;

    @Option(names = "--html", description = "Writes a page with bars.")
    private @Nullable Path html;

    private PaperCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code paper}
     * @return 0; 2 for wrong options; 3 if a contender failed a check
     */
    public static int execute(String... args) {
        return new CommandLine(new PaperCommand()).execute(args);
    }

    @Override
    public Integer call() throws IOException {
        Map<String, Supplier<Workload>> all = workloadsByName();
        Map<String, Supplier<Workload>> chosenWorkloads = chosen("--workload", expand(workloads, all), all);
        Map<String, Function<Setup, KeyedExecutor>> chosenEngines = chosen("--engine", engines, Engines.all());
        if (workers < 1 || rounds < 0 || arrayBytes % partBytes != 0) {
            throw new ParameterException(
                    spec.commandLine(), "workers must be >= 1, rounds >= 0, array-bytes a multiple of part-bytes");
        }
        int roundCount = rounds > 0 ? rounds : isQuick ? 3 : 5;
        Report report = new Report(environment(roundCount), workers);
        PrintWriter progress = spec.commandLine().getErr();
        for (int round = 0; round < roundCount; round++) {
            for (Map.Entry<String, Supplier<Workload>> workload : chosenWorkloads.entrySet()) {
                double bareNs = workload.getValue().get().bareNsPerEvent();
                for (String engine : Order.of(List.copyOf(chosenEngines.keySet()), round)) {
                    progress.printf("round %d of %d: %s by %s%n", round + 1, roundCount, workload.getKey(), engine);
                    progress.flush();
                    try {
                        double loadBefore = load();
                        Workload work = workload.getValue().get();
                        Measured measured = run(work, chosenEngines.get(engine));
                        if (measured != null) {
                            report.add(new Sample(
                                    workload.getKey(),
                                    work.metric(),
                                    engine,
                                    round,
                                    loadBefore,
                                    bareNs,
                                    Cycles.measureNs(),
                                    measured));
                        }
                    } catch (CheckFailedException e) {
                        report.addFailure(workload.getKey(), engine, String.valueOf(e.getMessage()));
                    }
                }
            }
        }
        spec.commandLine().getOut().print(report.text());
        spec.commandLine().getOut().flush();
        if (json != null) {
            Files.writeString(json, report.json());
        }
        if (html != null) {
            Files.writeString(html, report.html());
        }
        return report.hasFailures() ? WORKLOAD_FAILED : 0;
    }

    /** Returns null if the contender cannot run it. */
    private @Nullable Measured run(Workload workload, @Nullable Function<Setup, KeyedExecutor> engine) {
        if (engine == null) {
            throw new IllegalStateException("no such contender");
        }
        int warm = warmMs >= 0 ? warmMs : isQuick ? 100 : 300;
        int measure = measureMs >= 0 ? measureMs : isQuick ? 200 : 1000;
        // A table, so that to find a home costs a contender the same in every workload.
        int[] homes = IntStream.range(0, workload.keys())
                .map(key -> workload.home(key) % workers)
                .toArray();
        Setup setup = new Setup(workers, isPinned, homes.length, key -> homes[key], workload.kinds());
        if (keepsHomes) {
            workload.keepHomes();
        }
        try (KeyedExecutor executor = engine.apply(setup)) {
            if (!workload.suits(executor)) {
                return null;
            }
            // Neither what the last contender left nor what this one keeps is moved while the clock runs.
            System.gc();
            return workload.run(
                    executor,
                    TimeUnit.MILLISECONDS.toNanos(warm),
                    TimeUnit.MILLISECONDS.toNanos(measure),
                    TimeUnit.SECONDS.toNanos(timeoutS));
        }
    }

    private Map<String, Supplier<Workload>> workloadsByName() {
        Unbalanced.Options unbalanced = Unbalanced.Options.paper().withColors(colors);
        Map<String, Supplier<Workload>> all = new LinkedHashMap<>();
        all.put("unbalanced", () -> new Unbalanced(unbalanced));
        all.put("spread", () -> new Unbalanced(unbalanced.withHomes(workers)));
        all.put("penalty", () -> new Penalty(new Penalty.Options(penaltyColors, arrayBytes, partBytes)));
        all.put("cache-efficient", () -> new CacheEfficient(new CacheEfficient.Options(workers, arrays, sortInts)));
        for (int producers : FAN_IN_PRODUCERS) {
            for (int fanInColors : FAN_IN_COLORS) {
                all.put(
                        "fan-in-" + producers + "x" + fanInColors,
                        () -> new FanIn(FanIn.Options.usual(producers, fanInColors)));
            }
        }
        all.put("ping-pong", () -> new PingPong(HOPS));
        all.put("chains", () -> new Chains(Chains.Options.usual()));
        all.put("timers", () -> new Timers(Timers.Options.usual()));
        all.put("priorities", () -> new Priorities(Priorities.Options.usual()));
        all.put("idle-wake", () -> new IdleWake(IdleWake.Options.usual()));
        all.put("skewed-server", () -> new SkewedServer(SkewedServer.Options.usual(workers)));
        return all;
    }

    /** Names, and names of groups: {@code paper}, {@code keyed}, {@code fan-in}. */
    private List<String> expand(List<String> names, Map<String, Supplier<Workload>> all) {
        List<String> expanded = new ArrayList<>();
        for (String name : names.isEmpty() ? List.of("paper") : names) {
            switch (name) {
                case "paper" -> expanded.addAll(PAPER);
                case "keyed" ->
                    all.keySet().stream().filter(w -> !PAPER.contains(w)).forEach(expanded::add);
                case "fan-in" ->
                    all.keySet().stream().filter(w -> w.startsWith("fan-in-")).forEach(expanded::add);
                default -> expanded.add(name);
            }
        }
        return expanded;
    }

    private <T> Map<String, T> chosen(String option, List<String> names, Map<String, T> all) {
        if (names.isEmpty()) {
            return all;
        }
        Map<String, T> chosen = new LinkedHashMap<>();
        for (String name : names) {
            T value = all.get(name);
            if (value == null) {
                throw new ParameterException(
                        spec.commandLine(), option + ": no " + name + " here; there are " + all.keySet());
            }
            chosen.put(name, value);
        }
        return chosen;
    }

    /** As the build found it; ends in "-dirty" if the checkout had changes. */
    private static String commit() throws IOException {
        try (InputStream in = PaperCommand.class.getResourceAsStream("commit.txt")) {
            return in == null ? "unknown" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    private static String cpuModel() throws IOException {
        Path info = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(info)) {
            return System.getProperty("os.arch");
        }
        return Files.readAllLines(info).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(System.getProperty("os.arch"));
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private Map<String, String> environment(int roundCount) throws IOException {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("mely", Version.version());
        environment.put("commit", commit());
        environment.put("started", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        environment.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        environment.put(
                "flags", String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
        environment.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        environment.put("cpu model", cpuModel());
        environment.put("cpus", Integer.toString(Runtime.getRuntime().availableProcessors()));
        environment.put("load at start", Double.toString(load()));
        environment.put("workers", workers + (isPinned ? ", Mely's pinned" : ", not pinned"));
        environment.put(
                "homes", keepsHomes ? "kept from round to round" : "as in the paper, the first core each round");
        environment.put("rounds", Integer.toString(roundCount));
        return environment;
    }
}
