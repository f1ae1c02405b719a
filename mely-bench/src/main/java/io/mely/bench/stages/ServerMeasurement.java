// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.StageGraph;
import io.mely.bench.paper.CheckFailedException;
import io.mely.bench.record.Recorder;
import io.mely.bench.report.BarPlot;
import io.mely.bench.report.Order;
import io.mely.bench.report.Stat;
import io.mely.bench.stages.OpenLoad.Phase;
import io.mely.bench.stages.OpenLoad.Request;
import io.mely.policy.Partition;
import io.mely.runtime.Hooks;
import io.mely.spi.NanoClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * A server of the thesis, its stages without their network, run by each contender: as fast as a fixed number of clients ask, and then at a part of what the colored policy answers.
 *
 * <p><b>Source.</b> spec: stages §9.5, §10.5, §11.
 */
abstract class ServerMeasurement extends Measurement {
    static final String COLORED = "colored";
    private static final String PARTITIONS = "cohort-partitions";
    private static final double MS = 1e6;

    @Option(
            names = "--contender",
            split = ",",
            description = "Only these: policies of stages, and peers (default: all).")
    private List<String> names = List.of();

    @Option(names = "--cores", description = "Of each contender (default: as many as there are CPUs).")
    private int cores = Runtime.getRuntime().availableProcessors();

    @Option(names = "--clients", description = "That ask at the same time (default: ${DEFAULT-VALUE}).")
    private int clients = 64;

    @Option(
            names = "--load",
            description =
                    "Part of what the colored policy answers that is sent to each contender at random instants (default: ${DEFAULT-VALUE}).")
    private double load = 0.7;

    @Option(names = "--warm-seconds", description = "Before what is measured, each time (default: ${DEFAULT-VALUE}).")
    private double warmSeconds = 3;

    @Option(names = "--seconds", description = "Measured, each time (default: ${DEFAULT-VALUE}).")
    private double seconds = 8;

    @Option(names = "--quick", description = "One round of two seconds: to see that it works, not to quote.")
    private boolean isQuick;

    @Option(
            names = "--profile",
            paramLabel = "FILE",
            description =
                    "Writes what is asked of the colored policy at that load, for simulate --profile FILE on other numbers of cores.")
    private @Nullable Path profile;

    private final Map<String, Double> referencePerS = new HashMap<>(); // of this round

    private final List<Run> runs = new ArrayList<>();
    private @Nullable StageGraph trial;

    /** A contender in a round. */
    private record Run(
            String contender,
            int round,
            double perS,
            double perSMax,
            double meanMs,
            double p90Ms,
            double p99Ms,
            double refused,
            double donePerS,
            double cpuPercent,
            double openP50Ms,
            double openP99Ms,
            double openRefused) {
        Map<String, Object> json() {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("contender", contender);
            all.put("round", round);
            all.put("answers/s", perS);
            all.put("max/s", perSMax);
            all.put("mean ms", meanMs);
            all.put("p90 ms", p90Ms);
            all.put("p99 ms", p99Ms);
            all.put("refused", refused);
            all.put("done/s", donePerS);
            all.put("CPU %", cpuPercent);
            all.put("open p50 ms", openP50Ms);
            all.put("open p99 ms", openP99Ms);
            all.put("open refused", openRefused);
            return all;
        }
    }

    /** Who may run it. */
    abstract Contenders contenders(int cores);

    /** Whose answers a second are the load of a contender, and whom it is compared with. */
    String reference(String name) {
        return COLORED;
    }

    final int cores() {
        return cores;
    }

    final boolean isQuick() {
        return isQuick;
    }

    final int clients() {
        return clients;
    }

    /** Those that run if nothing is said. */
    abstract List<String> chosen(Contenders all);

    /** How many requests the clients have that ask as fast as they are answered; 0: they ask for some time. */
    int set() {
        return 0;
    }

    /** The application on stages that are not started yet. */
    abstract Service service(Contender contender) throws IOException;

    @Override
    void check() {
        if (isQuick) {
            rounds = 1;
            warmRounds = 0;
            seconds = 2;
            warmSeconds = 1;
        }
        check(
                cores >= 1 && clients >= 1 && seconds > 0 && warmSeconds >= 0 && load > 0 && load < 1,
                "cores and clients must be >= 1, seconds > 0, warm-seconds >= 0, load between 0 and 1");
        Contenders all = contenders(cores);
        names.forEach(name -> check(
                all.has(name) || name.equals(PARTITIONS),
                "--contender: no " + name + "; there are " + all.names() + " and " + PARTITIONS));
    }

    private List<String> names() {
        return names.isEmpty() ? chosen(contenders(cores)) : names;
    }

    @Override
    boolean round(int round) throws IOException {
        Contenders all = contenders(cores);
        referencePerS.clear();
        referencePerS.put(COLORED, run(COLORED, round, Double.NaN, all).perS());
        for (String name : Order.of(names(), Math.max(0, round))) {
            say("  " + name);
            String reference = reference(name);
            if (!referencePerS.containsKey(reference)) {
                referencePerS.put(
                        reference, run(reference, round, Double.NaN, all).perS());
            }
            Run run = run(name, round, load * referencePerS(reference), all);
            if (round >= 0) {
                runs.add(run);
            }
        }
        return true;
    }

    @Override
    void finish() throws IOException {
        if (profile == null) {
            return;
        }
        say("recording");
        Recorder recorder = new Recorder(NanoClock.SYSTEM, Duration.ofNanos((long) (warmSeconds * 1e9)));
        try (Contender contender = contenders(cores).recorded(Hooks.NONE.withObservers(recorder));
                Service service = service(contender)) {
            contender.start();
            double[] unused = openRun(contender, service, 0, load * referencePerS(COLORED));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CheckFailedException("interrupted");
        }
        recorder.profile().write(profile);
    }

    private double referencePerS(String name) {
        return Objects.requireNonNull(referencePerS.get(name), name);
    }

    private Run run(String name, int round, double openPerS, Contenders all) throws IOException {
        try (Contender contender = make(name, all);
                Service service = contender instanceof Whole whole ? whole.service() : service(contender)) {
            contender.start();
            ClosedLoop.Outcome closed = set() > 0
                    ? new ClosedLoop(contender, service, clients, set()).runAll()
                    : new ClosedLoop(contender, service, clients, seconds).run(warmSeconds);
            if (trial == null && name.equals(COLORED)) {
                trial = contender.graph();
            }
            double[] open = Double.isNaN(openPerS)
                    ? new double[] {Double.NaN, Double.NaN, Double.NaN}
                    : openRun(contender, service, round, openPerS);
            return new Run(
                    name,
                    round,
                    closed.perS(),
                    closed.perSMax(),
                    closed.responsesNs().getMean() / MS,
                    closed.responsesNs().getValueAtPercentile(90) / MS,
                    closed.responsesNs().getValueAtPercentile(99) / MS,
                    closed.refused(),
                    closed.donePerS(),
                    100 * closed.cpuShare(),
                    open[0],
                    open[1],
                    open[2]);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CheckFailedException("interrupted");
        }
    }

    private Contender make(String name, Contenders all) {
        if (!name.equals(PARTITIONS)) {
            return all.make(name);
        }
        if (trial == null) {
            throw new IllegalStateException("no trial run");
        }
        return all.partitioned(Partition.of(trial, cores));
    }

    private double[] openRun(Contender contender, Service service, int round, double perS) throws InterruptedException {
        OpenLoad sent = new OpenLoad(round, List.of(new Phase(perS, warmSeconds + seconds)));
        sent.send(
                request -> {
                    contender.begin(() -> {
                        boolean isTaken = service.ask(request.number, contender.color(request.number), isAnswered -> {
                            if (isAnswered) {
                                request.answer();
                            } else {
                                request.giveUp();
                            }
                        });
                        if (!isTaken) {
                            request.giveUp();
                        }
                    });
                    return true;
                },
                phase -> {});
        sent.awaitAll();
        long fromNs = (long) (warmSeconds * 1e9);
        long[] times = sent.requests().stream()
                .filter(request -> request.plannedNs >= fromNs && request.isAnswered())
                .mapToLong(Request::responseNs)
                .toArray();
        double refused = sent.requests().stream().filter(Request::isRefused).count();
        return new double[] {ms(Arrays.stream(times), 50), ms(Arrays.stream(times), 99), refused};
    }

    // ------------------------------------------------------------------ what is printed

    private double[] figure(String name, ToDoubleFunction<Run> figure) {
        return runs.stream()
                .filter(run -> run.contender().equals(name))
                .mapToDouble(figure)
                .toArray();
    }

    /** What contenders are compared by: answers, or what is done behind them. */
    private double[] speeds(String name) {
        return figure(name, unit().isEmpty() ? Run::perS : Run::donePerS);
    }

    private double speed(String name) {
        return Stat.of(speeds(name)).median();
    }

    /** The standard deviation of the rounds; NaN of one. */
    private double deviation(String name) {
        double[] speeds = speeds(name);
        double mean = Arrays.stream(speeds).average().orElse(Double.NaN);
        double squares = Arrays.stream(speeds)
                .map(speed -> (speed - mean) * (speed - mean))
                .sum();
        return speeds.length < 2 ? Double.NaN : Math.sqrt(squares / (speeds.length - 1));
    }

    private double best(String reference) {
        return names().stream()
                .filter(name -> reference(name).equals(reference))
                .mapToDouble(this::speed)
                .max()
                .orElse(Double.NaN);
    }

    /** The thesis's "difference in mean": 100 (b - a) / ((a + b) / 2) to the best row a. */
    private double difference(String name) {
        double best = best(reference(name));
        double here = speed(name);
        return 100 * (here - best) / ((here + best) / 2);
    }

    /** Of {@link Service#done}, a second; empty if answers are all there is. */
    abstract String unit();

    /** The same in the thesis's table; empty if it has no such row. */
    abstract String printed(String name);

    @Override
    List<String> titles() {
        return List.of(
                "contender",
                "answers/s",
                unit().isEmpty() ? "done/s" : unit(),
                "difference %",
                "deviation",
                "the thesis's",
                "max/s",
                "mean ms",
                "p90 ms",
                "p99 ms",
                "CPU %",
                "refused",
                "at " + load + ": p50 ms",
                "p99 ms",
                "refused");
    }

    @Override
    List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        for (String name : names()) {
            rows.add(List.of(
                    name,
                    medianAndSpread(figure(name, Run::perS), "%,.0f"),
                    unit().isEmpty() ? "-" : medianAndSpread(figure(name, Run::donePerS), "%,.2f"),
                    median(new double[] {difference(name)}, "%.1f"),
                    median(new double[] {deviation(name)}, "%,.2f"),
                    printed(name),
                    median(figure(name, Run::perSMax), "%,.0f"),
                    median(figure(name, Run::meanMs), "%,.1f"),
                    median(figure(name, Run::p90Ms), "%,.1f"),
                    median(figure(name, Run::p99Ms), "%,.1f"),
                    median(figure(name, Run::cpuPercent), "%.0f"),
                    median(figure(name, Run::refused), "%,.0f"),
                    median(figure(name, Run::openP50Ms), "%,.2f"),
                    medianAndSpread(figure(name, Run::openP99Ms), "%,.2f"),
                    median(figure(name, Run::openRefused), "%,.0f")));
        }
        return rows;
    }

    @Override
    String note() {
        return "Medians of the rounds, and least-most. " + clients
                + " clients, each of which asks again when it is answered; then requests at random instants, " + load
                + " of what the colored policy answered in the same round. No network: requests enter at the first stage. Difference: 100 (b - a) / ((a + b) / 2) to the best row a, as the thesis has it; deviation: the standard deviation of the same figure.";
    }

    @Override
    List<Map<String, Object>> runs() {
        return runs.stream().map(Run::json).toList();
    }

    @Override
    String picture() {
        BarPlot plot = new BarPlot("Answers a second, and response times at " + load + " of the colored policy's");
        names().forEach(name -> plot.add("answers/s", name, Stat.of(figure(name, Run::perS))));
        if (!unit().isEmpty()) {
            names().forEach(name -> plot.add(unit(), name, Stat.of(speeds(name))));
        }
        names().forEach(name -> plot.add("p99, ms, at " + load, name, Stat.of(figure(name, Run::openP99Ms))));
        return plot.svg();
    }
}
