// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.paper.Trial;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Json;
import io.mely.bench.report.Order;
import io.mely.bench.report.Stat;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.MachineSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The present machine against its simulator: workloads run as {@code paper} runs them, round by round, and as the machine's file predicts them, with the
 * same parameters. The file may be found in the same minutes: between the runs there is room for a {@link Calibration}'s rounds.
 *
 * <p>The simulated machine is nobody else's, so of the real runs those count that were undisturbed: another program or the host had the workers' CPUs for
 * next to nothing of the time, and, where colors stay where they went, none was rescued from a worker that had lost its CPU. A run is short and is tried again.
 *
 * <p>What handlers compute is given to the simulator, not predicted by it: cycles where they only burn some, else what their code takes in the same rounds
 * with its data in the nearest caches, while the other CPU is busy as well. What the data cost is the model's.
 */
final class Validation {
    static final List<String> WORKLOADS =
            List.of("unbalanced", "spread", "spread-short", "penalty", "cache-efficient", "ping-pong", "chains");

    static final List<String> ENGINES = List.of("mely-off", "mely-base", "mely-timeleft", "mely-penalty", "mely");

    /** As {@code paper} runs: without a network, with books, a round registered at once, times not annotated, on a collected heap. */
    static final Map<String, Double> SETTINGS =
            Map.of("network", 0.0, "books", 1.0, "chunk", 1e9, "annotated", 0.0, "youngBytes", 64e6);

    private static final double WITHIN = 0.2;
    /** Medians nearer than that are a tie, and so are runs whose middle halves overlap. */
    private static final double TIE = 0.05;

    /** What the compilers take for an engine at a workload, at least. */
    static final int WARM_MS = 2_000;

    /** Of an undisturbed run. Guess; with 1 % the same rows vary more from hour to hour. */
    private static final double LOST_MAX = 0.005;

    /** Where colors stay where a rescue took them. No handler there runs for as long as a thief waits, so that rescues come from outside. */
    private static final Set<String> SETTLING = Set.of("ping-pong", "chains");

    /** What another thread does while bodies are measured: it keeps a CPU busy, and of the caches takes a few lines. */
    private static final String BESIDE = "ping-pong";

    private static final long WARM_US = 4_000;
    private static final long MEASURE_US = 20_000;

    /**
     * An engine at a workload.
     *
     * @param workload its name
     * @param engine its name
     * @param measured KEvents/s of each round, of those that had an undisturbed run
     * @param runs that it took
     * @param predicted KEvents/s
     */
    record Row(String workload, String engine, List<Double> measured, int runs, double predicted) {
        Row {
            measured = List.copyOf(measured);
        }

        /** NaN if nothing was measured. */
        double median() {
            return Stat.of(measured, x -> x).median();
        }

        double least() {
            return measured.stream().mapToDouble(x -> x).min().orElse(Double.NaN);
        }

        double most() {
            return measured.stream().mapToDouble(x -> x).max().orElse(Double.NaN);
        }

        /** Of the prediction. */
        double error() {
            return predicted / median() - 1;
        }

        boolean isWithin() {
            return Math.abs(error()) <= WITHIN;
        }

        /** Whether the rounds say that this is faster than another: the middle halves of both lie apart. */
        boolean beats(Row other) {
            return !measured.isEmpty()
                    && !other.measured.isEmpty()
                    && lowerQuartile() > other.upperQuartile()
                    && median() > (1 + TIE) * other.median();
        }

        private double lowerQuartile() {
            return measured.stream().sorted().toList().get((measured.size() - 1) / 4);
        }

        private double upperQuartile() {
            return measured.stream().sorted(Comparator.reverseOrder()).toList().get((measured.size() - 1) / 4);
        }
    }

    /**
     * The order of a workload's engines.
     *
     * @param decided pairs of which the rounds say which is faster
     * @param agreed those of them that the simulator orders alike
     * @param measured the engines, fastest first
     * @param predicted the same
     */
    record Ranking(int decided, int agreed, List<String> measured, List<String> predicted) {
        static Ranking of(List<Row> rows) {
            int decided = 0;
            int agreed = 0;
            for (Row fast : rows) {
                for (Row slow : rows) {
                    if (fast.beats(slow)) {
                        decided++;
                        agreed += fast.predicted() > slow.predicted() ? 1 : 0;
                    }
                }
            }
            return new Ranking(
                    decided,
                    agreed,
                    names(
                            rows.stream()
                                    .filter(row -> !row.measured().isEmpty())
                                    .toList(),
                            Comparator.comparingDouble(Row::median).reversed()),
                    names(rows, Comparator.comparingDouble(Row::predicted).reversed()));
        }

        private static List<String> names(List<Row> rows, Comparator<Row> order) {
            return rows.stream().sorted(order).map(Row::engine).toList();
        }

        boolean isSame() {
            return agreed == decided;
        }
    }

    private final int cpus;
    private final int rounds;
    private final int triesMax;
    private final int realMs;
    private final PrintWriter progress;
    private final Map<String, Measured> all = new LinkedHashMap<>();
    private final List<Row> rows = new ArrayList<>();

    /** The real runs of a workload, by engine. */
    private static final class Measured {
        final Map<String, Double> parameters;
        final List<String> engines;
        final Map<String, List<Double>> undisturbed = new LinkedHashMap<>();
        final Map<String, Integer> runs = new LinkedHashMap<>();
        final Map<String, List<Double>> bodiesNs = new LinkedHashMap<>();

        Measured(String workload, List<String> engines) {
            parameters = parameters(workload);
            this.engines = engines;
        }

        List<Double> of(String engine) {
            return undisturbed.computeIfAbsent(engine, key -> new ArrayList<>());
        }

        void add(List<Map<String, Double>> tries) {
            for (Map<String, Double> bodies : tries) {
                bodies.forEach((parameter, ns) -> bodiesNs.computeIfAbsent(parameter, key -> new ArrayList<>())
                        .add(ns));
            }
        }
    }

    /**
     * Of this machine.
     *
     * @param cpus of it
     * @param rounds of all engines at all workloads
     * @param triesMax runs for one that is undisturbed, in each round
     * @param realMs of a real run, and before it to warm up
     * @param progress says what runs
     */
    Validation(int cpus, int rounds, int triesMax, int realMs, PrintWriter progress) {
        this.cpus = cpus;
        this.rounds = rounds;
        this.triesMax = triesMax;
        this.realMs = realMs;
        this.progress = progress;
    }

    /**
     * Runs engines at workloads, here: round by round, each workload's in an order of its own.
     *
     * @param workloads their names
     * @param engines their names
     * @param between is run after each engine at each workload of each round, while nothing else runs
     */
    void measure(List<String> workloads, List<String> engines, Runnable between) {
        workloads.forEach(workload -> all.put(workload, new Measured(workload, engines)));
        all.forEach((workload, measured) -> {
            engines.forEach(engine -> trial(workload, measured.parameters, engine, WARM_MS));
            bodies(workload, WARM_MS);
        });
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<String, Measured> entry : all.entrySet()) {
                String workload = entry.getKey();
                progress.printf("%s: round %d of %d%n", workload, round + 1, rounds);
                progress.flush();
                for (String engine : Order.of(engines, round)) {
                    measure(workload, engine, entry.getValue());
                    between.run();
                }
                entry.getValue().add(bodies(workload, realMs));
            }
        }
    }

    /** Says of each engine at each workload that was measured what a machine's file says of it. */
    void predict(MachineSpec spec) {
        all.forEach((workload, measured) -> {
            Map<String, Double> simulated = new TreeMap<>(SETTINGS);
            simulated.putAll(measured.parameters);
            measured.bodiesNs.forEach((parameter, ns) ->
                    simulated.put(parameter, Stat.of(ns, x -> x).median() * spec.gigahertz()));
            for (String engine : measured.engines) {
                double predicted = experiment(spec, workload, engine, spec.cpus(), simulated)
                        .run()
                        .kEventsPerS();
                rows.add(new Row(
                        workload, engine, measured.of(engine), measured.runs.getOrDefault(engine, 0), predicted));
            }
        });
    }

    /** Runs it until a run is undisturbed, which counts, or a bound is reached. */
    private void measure(String workload, String engine, Measured measured) {
        for (int run = 0; run < triesMax; run++) {
            Trial.Result result = trial(workload, measured.parameters, engine, realMs);
            measured.runs.merge(engine, 1, Integer::sum);
            if (isUndisturbed(workload, result)) {
                measured.of(engine).add(result.kEventsPerS());
                return;
            }
        }
    }

    private Trial.Result trial(String workload, Map<String, Double> parameters, String engine, int warmMs) {
        return Trial.run(workload, parameters, engine, cpus, warmMs, realMs);
    }

    /** What the bodies of a workload take, in tries of as long as the other CPU is busy as well. */
    private List<Map<String, Double>> bodies(String workload, int warmMs) {
        if (Trial.bodiesNs(workload, parameters(workload)).isEmpty()) {
            return List.of();
        }
        List<Map<String, Double>> tries = new ArrayList<>();
        CompletableFuture<Trial.Result> beside =
                start(() -> Trial.run(BESIDE, parameters(BESIDE), "one-thread", 1, warmMs, realMs));
        do {
            tries.add(Trial.bodiesNs(workload, parameters(workload)));
        } while (!beside.isDone());
        beside.join();
        return tries;
    }

    /** Two runs of a thread each at once: a host may have less for a CPU when the other one is busy as well. */
    static List<Trial.Result> both(Supplier<Trial.Result> run, Supplier<Trial.Result> beside) {
        CompletableFuture<Trial.Result> result = start(beside);
        return List.of(run.get(), result.join());
    }

    private static CompletableFuture<Trial.Result> start(Supplier<Trial.Result> run) {
        CompletableFuture<Trial.Result> result = new CompletableFuture<>();
        new Thread(() -> result.completeAsync(run, Runnable::run), "validation").start();
        return result;
    }

    static boolean isUndisturbed(String workload, Trial.Result result) {
        return result.lost() <= LOST_MAX && (result.rescues() == 0 || !SETTLING.contains(workload));
    }

    /** Sizes that both sides take. */
    static Map<String, Double> parameters(String workload) {
        return switch (workload) {
            case "unbalanced", "spread", "spread-short" -> Map.of("colors", 10_000.0);
            // All arrays together fit no cache. They are kept: new ones would make the collector's threads, which take
            // the workers' CPUs, the measured.
            case "penalty" -> Map.of("colors", 256.0, "parts", 64.0, "partBytes", 4_096.0, "kept", 1.0);
            case "cache-efficient" -> Map.of("perCore", 100.0, "ints", 4_096.0);
            case "ping-pong" -> Map.of("hops", 20_000.0);
            case "chains" -> Map.of("chains", 1_000.0, "colors", 1_024.0, "hops", 100.0);
            default ->
                throw new IllegalArgumentException("workload must be one of " + WORKLOADS + ": workload=" + workload);
        };
    }

    private static Experiment experiment(
            MachineSpec spec, String workload, String engine, int cores, Map<String, Double> parameters) {
        return new Experiment(spec, cores, workload, engine, parameters, 1, WARM_US, MEASURE_US, 100, false);
    }

    List<Row> rows() {
        return List.copyOf(rows);
    }

    private static Map<String, List<Row>> byWorkload(List<Row> rows) {
        return rows.stream().collect(Collectors.groupingBy(Row::workload, LinkedHashMap::new, Collectors.toList()));
    }

    /** A table, and a line of ranking for each workload. */
    static String text(List<Row> rows) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%-16s %-14s %10s %21s %7s %10s %7s%n",
                "workload",
                "engine",
                "measured",
                "least to most",
                "runs",
                "predicted",
                "error"));
        for (Row row : rows) {
            text.append(String.format(
                    Locale.ROOT,
                    "%-16s %-14s %10.0f %10.0f %10.0f %7s %10.0f %+6.0f %%%s%n",
                    row.workload(),
                    row.engine(),
                    row.median(),
                    row.least(),
                    row.most(),
                    row.measured().size() + " of " + row.runs(),
                    row.predicted(),
                    100 * row.error(),
                    row.isWithin() ? "" : "  *"));
        }
        text.append(String.format(
                Locale.ROOT,
                "%nKEvents/s, of undisturbed runs. %d of %d within %.0f %%.%n",
                rows.stream().filter(Row::isWithin).count(),
                rows.size(),
                100 * WITHIN));
        byWorkload(rows).forEach((workload, all) -> {
            Ranking ranking = Ranking.of(all);
            text.append(String.format(
                    Locale.ROOT,
                    "%-16s %d of %d decided pairs alike%n    measured  %s%n    predicted %s%n",
                    workload,
                    ranking.agreed(),
                    ranking.decided(),
                    String.join(" > ", ranking.measured()),
                    String.join(" > ", ranking.predicted())));
        });
        return text.toString();
    }

    /** All of it, with where it was measured, and the machine's file. */
    static String json(List<Row> rows, String machine) throws IOException {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Row row : rows) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("workload", row.workload());
            one.put("engine", row.engine());
            one.put("measuredKEventsPerS", row.measured());
            one.put("runs", row.runs());
            one.put("predictedKEventsPerS", row.predicted());
            one.put("error", row.error());
            all.add(one);
        }
        List<Map<String, Object>> rankings = new ArrayList<>();
        byWorkload(rows).forEach((workload, ofIt) -> {
            Ranking ranking = Ranking.of(ofIt);
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("workload", workload);
            one.put("decidedPairs", ranking.decided());
            one.put("agreedPairs", ranking.agreed());
            one.put("measured", ranking.measured());
            one.put("predicted", ranking.predicted());
            rankings.add(one);
        });
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("environment", Environment.describe());
        page.put("machine", machine.lines().toList());
        page.put("rows", all);
        page.put("rankings", rankings);
        return Json.write(page);
    }
}
