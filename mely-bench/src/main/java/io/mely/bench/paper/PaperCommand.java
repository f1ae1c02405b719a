// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.Commands;
import io.mely.bench.paper.Report.Sample;
import io.mely.bench.paper.Workload.Measured;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Order;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code paper}: contenders times workloads, interleaved, each run checked. */
@Command(
        name = "paper",
        mixinStandardHelpOptions = true,
        description = "Runs the paper's micro-benchmarks with Mely and its peers, interleaved, and checks every run.")
public final class PaperCommand implements Callable<Integer> {
    static final int WORKLOAD_FAILED = 3;
    private static final int CHECK_FAILED = 4;

    private static final List<String> PAPER = List.of("unbalanced", "spread", "penalty", "cache-efficient");
    /** Options that are no child's, or another. */
    private static final Set<String> OURS =
            Set.of("--forks", "--workload", "--engine", "--rounds", "--json", "--html", "--check", "--bound");

    /** The compilers need 2 to 4 s for a contender. */
    private static final String QUICK_NOTE =
            "--quick shows that all of it works. Nothing was compiled yet, so that its figures and ratios say nothing.";

    private static final String COLD_NOTE =
            "the figures cover the seconds of the JVM's life from \"JVM from s\" to \"JVM to s\", with all its warm-up;"
                    + " ns/ev, A-B ms: of that part of them";

    private static final int WARM_ROUNDS = 4;

    /** Of the JVM's life. */
    private static final int COLD_WARM_MS = 3_000;

    private static final String SPREAD_SHORT = "spread-short";
    private static final int[] FAN_IN_PRODUCERS = {1, 2, 4};
    private static final int[] FAN_IN_COLORS = {64, 1_024, 65_536};

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
                            + " keyed (fan-in, ping-pong, chains, timers, priorities, idle-wake, skewed-server),"
                            + " skewed (skewed-server and its other shapes),"
                            + " balanced (fan-in, ping-pong, chains, spread-short).")
    private List<String> workloads = List.of();

    @Option(
            names = "--engine",
            split = ",",
            description = "Only these contenders. Each runs with 4,096 keys at most if named so: mely-4096.")
    private List<String> engines = List.of();

    @Option(
            names = "--check",
            description =
                    "Asks whether stealing costs nothing where it cannot help: runs mely, mely-nosteal and mely-nosteal once"
                            + " more, by default in the group balanced, and exits with 4 if a median of on/off is below --bound.")
    private boolean isCheck;

    @Option(names = "--bound", description = "Of --check (default: ${DEFAULT-VALUE}).")
    private double bound = 0.97;

    @Option(
            names = "--rounds",
            description =
                    "Rounds of all contenders, after those to warm up (default: 5; 15 with --check, 3 with --quick).")
    private @Nullable Integer rounds;

    @Option(
            names = "--warm-rounds",
            description =
                    "Rounds before those, which are checked and not reported: they measure the compiler (default: 4; none with --quick).")
    private @Nullable Integer warmRounds;

    @Option(
            names = "--forks",
            description =
                    "Each run in a JVM of its own, after warm-up rounds of its own: slower, and what one contender leaves"
                            + " behind is no other's.")
    private boolean isForked;

    @Option(
            names = "--cold",
            description =
                    "Each run in a JVM of its own without any warm-up. Open loops are measured from the third second of its life"
                            + " to the tenth (or from --warm-ms, for --measure-ms), workloads in rounds for three seconds from"
                            + " their first event, each of which is a figure of its own.")
    private boolean isCold;

    @Option(names = "--child", hidden = true, description = "Of a JVM that --forks or --cold has started.")
    private boolean isChild;

    @Option(names = "--calibration", hidden = true, description = "What the parent of a child has measured.")
    private String calibration = "";

    @Option(names = "--workers", description = "Threads that run events (default: ${DEFAULT-VALUE}).")
    private int workers = 2;

    @Option(names = "--warm-ms", description = "Warm-up of a run (default: 300; 100 with --quick).")
    private @Nullable Integer warmMs;

    @Option(
            names = "--measure-ms",
            description = "Measured time of a run (default: 1000; 200 with --quick; the paper: 5000).")
    private @Nullable Integer measureMs;

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

    @Option(
            names = "--keep-arrays",
            description =
                    "A color of penalty has the same array in each round, instead of new ones that are collected.")
    private boolean isKept;

    @Option(names = "--arrays", description = "Of cache-efficient, a loaded core (default: 100, as in the paper).")
    private int arrays = 100;

    @Option(names = "--sort-ints", description = "Length of an array of cache-efficient (default: ${DEFAULT-VALUE}).")
    private int sortInts = 4_096;

    @Option(names = "--hops", description = "Of a round of ping-pong (default: ${DEFAULT-VALUE}).")
    private int hops = 20_000;

    @Option(names = "--chain-hops", description = "Of each of 1,000 chains in a round (default: ${DEFAULT-VALUE}).")
    private int chainHops = Chains.Options.usual().hops();

    @Option(
            names = "--load",
            description = "Of skewed-server: what arrives, as a share of what the workers can do beside its sender "
                    + "(default: ${DEFAULT-VALUE}).")
    private double load = SkewedServer.Options.usual(1).load();

    @Option(names = "--json", description = "Writes every round.")
    private @Nullable Path json;

    @Option(names = "--html", description = "Writes a page with bars.")
    private @Nullable Path html;

    private PaperCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code paper}
     * @return 0; 2 for wrong options; 3 if a contender failed a check of its work; 4 if {@code --check} found a median below the bound
     */
    public static int execute(String... args) {
        return Commands.execute(new PaperCommand(), args);
    }

    @Override
    public Integer call() throws IOException {
        Map<String, Supplier<Workload>> all = workloadsByName();
        Map<String, Supplier<Workload>> chosenWorkloads = chosen("--workload", expand(workloads, all), all);
        Map<String, Function<Setup, KeyedExecutor>> chosenEngines = chosenEngines();
        boolean isLoadSound = load > 0 && load < Double.POSITIVE_INFINITY;
        if (workers < 1
                || isBelow(1, rounds)
                || isBelow(0, warmRounds)
                || isBelow(0, warmMs)
                || isBelow(1, measureMs)
                || timeoutS < 1
                || hops < 2
                || chainHops < 1
                || arrayBytes % partBytes != 0
                || !isLoadSound) {
            throw new ParameterException(
                    spec.commandLine(),
                    "workers, rounds, measure-ms, timeout-s and chain-hops must be >= 1, warm-rounds and warm-ms >= 0, hops >= 2, array-bytes a multiple of part-bytes, load > 0");
        }
        int roundCount = rounds != null ? rounds : isQuick ? 3 : isCheck ? 15 : 5;
        int warmCount = warmRounds != null ? warmRounds : isQuick || isCold ? 0 : WARM_ROUNDS;
        if (isCold) {
            checkCold(warmCount, chosenWorkloads);
        }
        boolean isForking = (isForked || isCold) && !isChild;
        Report report = new Report(environment(roundCount, warmCount), workers, isCheck ? bound : Double.NaN);
        Fork fork = isForking ? new Fork(forkOptions(), TimeUnit.SECONDS.toNanos((warmCount + 2L) * timeoutS)) : null;
        PrintWriter progress = spec.commandLine().getErr();
        for (int round = fork != null ? 0 : -warmCount; round < roundCount; round++) {
            for (Map.Entry<String, Supplier<Workload>> workload : chosenWorkloads.entrySet()) {
                Workload probe = workload.getValue().get();
                // A fork measures its own; where all is cold nobody does, as that compiles the events' work.
                double bareNs = fork == null && !isCold ? probe.bareNsPerEvent() : Double.NaN;
                if (calibration.isEmpty()) {
                    probe.calibrate();
                } else {
                    probe.calibrateAs(calibration);
                }
                for (String engine : Order.of(List.copyOf(chosenEngines.keySet()), Math.max(0, round))) {
                    progress.printf("%s: %s by %s%n", roundName(round, roundCount), workload.getKey(), engine);
                    progress.flush();
                    try {
                        Sample sample = fork == null
                                ? sample(
                                        workload.getKey(),
                                        workload.getValue().get(),
                                        chosenEngines,
                                        engine,
                                        round,
                                        bareNs)
                                : fork.run(workload.getKey(), probe.metric(), engine, round, probe.calibration());
                        if (sample != null && round >= 0) {
                            report.add(sample);
                        }
                    } catch (CheckFailedException e) {
                        report.addFailure(workload.getKey(), engine, String.valueOf(e.getMessage()));
                    }
                }
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(report.text());
        if (isQuick && warmCount == 0) {
            out.println(QUICK_NOTE);
        }
        out.flush();
        if (json != null) {
            Files.writeString(json, report.json());
        }
        if (html != null) {
            Files.writeString(html, new ReportPage(report).html());
        }
        return report.hasFailures()
                ? WORKLOAD_FAILED
                : report.checks().stream().allMatch(Comparisons.Check::isMet) ? 0 : CHECK_FAILED;
    }

    private void checkCold(int warmCount, Map<String, Supplier<Workload>> chosenWorkloads) {
        if (warmCount > 0) {
            throw new ParameterException(spec.commandLine(), "--cold: a cold JVM has no warm-up rounds");
        }
        chosenWorkloads.forEach((name, workload) -> {
            if (!workload.get().canBeCold()) {
                throw new ParameterException(
                        spec.commandLine(), "--cold: only workloads in rounds and open loops: " + name);
            }
        });
    }

    private static boolean isBelow(int least, @Nullable Integer value) {
        return value != null && value < least;
    }

    /** Returns null if the contender cannot run it. */
    private @Nullable Sample sample(
            String name,
            Workload workload,
            Map<String, Function<Setup, KeyedExecutor>> chosenEngines,
            String engine,
            int round,
            double bareNs) {
        double loadBefore = Environment.load();
        Measured measured = run(workload, chosenEngines.get(engine));
        return measured == null
                ? null
                : new Sample(name, workload.metric(), engine, round, loadBefore, bareNs, Cycles.measureNs(), measured);
    }

    /** What was said here, but for what is said to each child. */
    private List<String> forkOptions() {
        List<String> options = new ArrayList<>();
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (!OURS.contains(option.longestName())) {
                option.originalStringValues().forEach(value -> options.add(option.longestName() + "=" + value));
            }
        }
        return options;
    }

    private static String roundName(int round, int roundCount) {
        return round < 0 ? "warm-up" : "round " + (round + 1) + " of " + roundCount;
    }

    private Map<String, Function<Setup, KeyedExecutor>> chosenEngines() {
        List<String> names = new ArrayList<>(engines);
        if (isCheck) {
            Stream.of(Comparisons.OFF, Comparisons.ON)
                    .filter(name -> !names.contains(name))
                    .forEach(names::add);
        }
        Map<String, Function<Setup, KeyedExecutor>> all =
                new LinkedHashMap<>(chosen("--engine", names, names.isEmpty() ? Engines.all() : Engines.byName()));
        if (isCheck) {
            all.put(Comparisons.OFF_AGAIN, Engines.offAgain());
        }
        return all;
    }

    /** Returns null if the contender cannot run it. */
    private @Nullable Measured run(Workload workload, @Nullable Function<Setup, KeyedExecutor> engine) {
        if (engine == null) {
            throw new IllegalStateException("no such contender");
        }
        int warm = warmMs != null ? warmMs : isCold ? COLD_WARM_MS : isQuick ? 100 : 300;
        int measure = measureMs != null ? measureMs : isCold ? workload.coldMeasureMs() : isQuick ? 200 : 1000;
        if (isCold) {
            workload.beCold();
        }
        return Trial.run(
                workload,
                engine,
                workers,
                isPinned,
                keepsHomes,
                TimeUnit.MILLISECONDS.toNanos(warm),
                TimeUnit.MILLISECONDS.toNanos(measure),
                TimeUnit.SECONDS.toNanos(timeoutS));
    }

    private Map<String, Supplier<Workload>> workloadsByName() {
        Unbalanced.Options unbalanced = Unbalanced.Options.paper().withColors(colors);
        Map<String, Supplier<Workload>> all = new LinkedHashMap<>();
        all.put("unbalanced", () -> new Unbalanced(unbalanced));
        all.put("spread", () -> new Unbalanced(unbalanced.withHomes(workers)));
        all.put(SPREAD_SHORT, () -> new Unbalanced(unbalanced.withHomes(workers).withoutLong()));
        all.put("penalty", () -> new Penalty(new Penalty.Options(penaltyColors, arrayBytes, partBytes, isKept)));
        all.put("cache-efficient", () -> new CacheEfficient(new CacheEfficient.Options(workers, arrays, sortInts)));
        for (int producers : FAN_IN_PRODUCERS) {
            for (int fanInColors : FAN_IN_COLORS) {
                all.put(
                        "fan-in-" + producers + "x" + fanInColors,
                        () -> new FanIn(FanIn.Options.usual(producers, fanInColors)));
            }
        }
        all.put("ping-pong", () -> new PingPong(hops));
        all.put("chains", () -> new Chains(Chains.Options.usual().withHops(chainHops)));
        all.put("timers", () -> new Timers(Timers.Options.usual()));
        all.put("priorities", () -> new Priorities(Priorities.Options.usual()));
        all.put("idle-wake", () -> new IdleWake(IdleWake.Options.usual()));
        SkewedServer.Options.shapes(workers).forEach((name, shape) -> {
            Capacity capacity = new Capacity();
            SkewedServer.Options options = name.equals(SkewedServer.NAME) ? shape.withLoad(load) : shape;
            all.put(name, () -> new SkewedServer(options, capacity));
        });
        return all;
    }

    /** Names, and names of groups: {@code paper}, {@code keyed}, {@code skewed}, {@code balanced}, {@code fan-in}. */
    private List<String> expand(List<String> names, Map<String, Supplier<Workload>> all) {
        Set<String> shapes = SkewedServer.Options.shapes(workers).keySet();
        List<String> expanded = new ArrayList<>();
        for (String name : names.isEmpty() ? List.of(isCheck ? "balanced" : "paper") : names) {
            switch (name) {
                case "paper" -> expanded.addAll(PAPER);
                case "keyed" ->
                    all.keySet().stream()
                            .filter(w -> !PAPER.contains(w) && !w.equals(SPREAD_SHORT))
                            .filter(w -> w.equals(SkewedServer.NAME) || !shapes.contains(w))
                            .forEach(expanded::add);
                case "skewed" -> expanded.addAll(shapes);
                case "balanced" -> {
                    expanded.addAll(expand(List.of("fan-in"), all));
                    expanded.addAll(List.of("ping-pong", "chains", SPREAD_SHORT));
                }
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

    private Map<String, String> environment(int roundCount, int warmCount) throws IOException {
        Map<String, String> environment = Environment.describe();
        environment.put("workers", workers + (isPinned ? ", Mely's pinned" : ", not pinned"));
        environment.put(
                "homes", keepsHomes ? "kept from round to round" : "as in the paper, the first core each round");
        environment.put(
                "rounds",
                roundCount + " after " + warmCount + (isForked || isCold ? ", each in a JVM of its own" : ""));
        if (isCold) {
            environment.put("cold", COLD_NOTE);
        }
        return environment;
    }
}
