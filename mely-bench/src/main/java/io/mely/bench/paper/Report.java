// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.paper.Workload.Measured;
import io.mely.bench.report.Json;
import io.mely.bench.report.Stat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** What was measured: every round, medians with spread, and the paper's figures beside them. */
final class Report {
    /** A figure of the paper: configuration, KEvents/s on its eight cores, and what else its table says. */
    private record PaperRow(String engine, String configuration, int kEventsPerS, String rest) {}

    private static final Map<String, List<PaperRow>> PAPER = Map.of(
            "unbalanced",
            List.of(
                    new PaperRow("libasync-smp", "LA", 1310, "0.93 % locking"),
                    new PaperRow("libasync-smp-ws", "LA-WS", 122, "39.73 % locking, 28329 cycles a steal, 484 stolen"),
                    new PaperRow("mely-off", "Mely", 1265, "0.89 % locking"),
                    new PaperRow("mely-base", "Mely, base WS", 1195, "1.42 % locking, 2261 cycles a steal, 445 stolen"),
                    new PaperRow("mely-timeleft", "Mely, time-aware WS", 2042, "49987 cycles stolen a steal")),
            "penalty",
            List.of(
                    new PaperRow("libasync-smp", "LA", 1103, "29 L2 misses an event"),
                    new PaperRow("libasync-smp-ws", "LA-WS", 190, "167 K L2 misses an event"),
                    new PaperRow("mely-base", "Mely, base WS", 1386, "42 K L2 misses an event"),
                    new PaperRow("mely-penalty", "Mely, penalty-aware WS", 2122, "2 K L2 misses an event")),
            "cache-efficient",
            List.of(
                    new PaperRow("libasync-smp", "LA", 1156, "0 L2 misses an event"),
                    new PaperRow("libasync-smp-ws", "LA-WS", 1497, "13 L2 misses an event"),
                    new PaperRow("mely-base", "Mely, base WS", 1426, "12 L2 misses an event"),
                    new PaperRow("mely-locality", "Mely, locality-aware WS", 1869, "2 L2 misses an event")));

    /** What others are compared with. */
    static final String REFERENCE = "mely";

    static final String MISSES =
            "Cache misses need hardware counters, which this program does not read: they are absent.";

    /**
     * A run.
     *
     * @param load average of the machine just before; -1 if unknown
     * @param bareNsPerEvent one thread without a scheduler, measured just before
     */
    record Sample(
            String workload,
            Metric metric,
            String engine,
            int round,
            double load,
            double bareNsPerEvent,
            double nsPerCycle,
            Measured measured) {
        double value() {
            return metric.value().applyAsDouble(measured);
        }

        double idealShare(int workers) {
            return measured.kEventsPerS() / (workers * 1e6 / bareNsPerEvent);
        }

        double cpuPercent() {
            return 100.0 * measured.cpuNs() / measured.elapsedNs();
        }

        double cpuNsPerEvent() {
            return (double) measured.cpuNs() / measured.events();
        }
    }

    private final Map<String, String> environment;
    private final int workers;
    private final List<Sample> samples = new ArrayList<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    /** Of stealing on beside off; NaN if that is not asked for. */
    private final double bound;

    Report(Map<String, String> environment, int workers, double bound) {
        this.environment = environment;
        this.workers = workers;
        this.bound = bound;
    }

    Comparisons comparisons() {
        return new Comparisons(samples);
    }

    /** Empty if they are not asked for. */
    List<Comparisons.Check> checks() {
        return Double.isNaN(bound) ? List.of() : comparisons().stealingOnBesideOff(bound);
    }

    Map<String, String> environment() {
        return environment;
    }

    Map<String, String> failures() {
        return failures;
    }

    int workers() {
        return workers;
    }

    void add(Sample sample) {
        samples.add(sample);
    }

    void addFailure(String workload, String engine, String message) {
        failures.putIfAbsent(workload + " by " + engine, message);
    }

    boolean hasFailures() {
        return !failures.isEmpty();
    }

    List<String> workloads() {
        return samples.stream().map(Sample::workload).distinct().toList();
    }

    List<Sample> of(String workload, String engine) {
        return samples.stream()
                .filter(s -> s.workload().equals(workload) && s.engine().equals(engine))
                .toList();
    }

    Metric metric(String workload) {
        return samples.stream()
                .filter(s -> s.workload().equals(workload))
                .map(Sample::metric)
                .findFirst()
                .orElse(Metric.K_EVENTS_PER_S);
    }

    List<String> enginesBestFirst(String workload) {
        Comparator<String> byValue = Comparator.comparingDouble(
                engine -> Stat.of(of(workload, engine), Sample::value).median());
        return samples.stream()
                .filter(s -> s.workload().equals(workload))
                .map(Sample::engine)
                .distinct()
                .sorted(metric(workload).isHigherBetter() ? byValue.reversed() : byValue)
                .toList();
    }

    /** How many times as good as Mely, round by round: what the machine did in a round fell on both. NaN without Mely. */
    Stat besideMely(String workload, String engine) {
        Metric metric = metric(workload);
        Map<Integer, Double> melys = new HashMap<>();
        of(workload, REFERENCE).forEach(s -> melys.put(s.round(), s.value()));
        return Stat.of(
                of(workload, engine).stream()
                        .filter(s -> melys.containsKey(s.round()))
                        .toList(),
                s -> metric.ratio(s.value(), melys.getOrDefault(s.round(), Double.NaN)));
    }

    private static double perSteal(Sample sample, double total) {
        return sample.measured().steals() > 0 && total >= 0
                ? total / sample.measured().steals()
                : Double.NaN;
    }

    private record Column(String title, Function<List<Sample>, String> value) {}

    /** What a workload's table says beside the contender's name. */
    private List<Column> columns(String workload) {
        List<Sample> all =
                samples.stream().filter(s -> s.workload().equals(workload)).toList();
        List<Column> columns = new ArrayList<>();
        columns.add(new Column(metric(workload).unit(), runs -> number(Stat.of(runs, Sample::value))));
        columns.add(new Column(
                "least-most", runs -> Stat.of(runs, Sample::value).spread(v -> number(v, v < 100 ? 1 : 0))));
        columns.add(new Column("x mely", runs -> number(ratio(workload, runs).median(), 2)));
        columns.add(new Column("least-most ", runs -> ratio(workload, runs).spread(v -> number(v, 2))));
        boolean isBare = all.stream().anyMatch(s -> !Double.isNaN(s.bareNsPerEvent()));
        if (isBare) {
            columns.add(new Column(
                    "of ideal",
                    runs -> number(Stat.of(runs, s -> s.idealShare(workers)).median(), 2)));
        }
        // A time of waiting says nothing about the CPU an event takes.
        columns.add(
                metric(workload).equals(Metric.P99_US)
                        ? new Column(
                                "CPU %",
                                runs -> number(Stat.of(runs, Sample::cpuPercent).median(), 0))
                        : new Column(
                                "CPU ns/ev",
                                runs -> number(
                                        Stat.of(runs, Sample::cpuNsPerEvent).median(), 0)));
        all.stream()
                .flatMap(s -> s.measured().extras().keySet().stream())
                .distinct()
                .filter(name -> !name.equals(metric(workload).unit()))
                .sorted(Comparator.comparing(Report::rank))
                .forEach(name -> columns.add(new Column(
                        name, runs -> number(Stat.of(runs, s -> s.measured().extra(name))))));
        if (all.stream().anyMatch(s -> s.measured().steals() > 0)) {
            addStealColumns(columns, isBare);
        }
        return columns;
    }

    private Stat ratio(String workload, List<Sample> runs) {
        return runs.isEmpty()
                ? new Stat(Double.NaN, Double.NaN, Double.NaN)
                : besideMely(workload, runs.get(0).engine());
    }

    /** Latencies in order of their percentile, then the rest by name. */
    private static String rank(String name) {
        return name.startsWith("p") ? "0" + name.length() + name : name.startsWith("max") ? "1" + name : "2" + name;
    }

    private void addStealColumns(List<Column> columns, boolean isPapers) {
        columns.add(new Column(
                "steals/Kev",
                runs -> number(
                        Stat.of(
                                        runs,
                                        s -> s.measured().steals() < 0
                                                ? Double.NaN
                                                : 1e3
                                                        * s.measured().steals()
                                                        / s.measured().events())
                                .median(),
                        2)));
        columns.add(new Column(
                "rescues",
                runs -> percent(Stat.of(
                                runs, s -> perSteal(s, (double) s.measured().rescues()))
                        .median())));
        columns.add(new Column(
                "ns/steal",
                runs -> number(
                        Stat.of(runs, s -> perSteal(s, (double) s.measured().stealNs()))
                                .median(),
                        0)));
        if (!isPapers) {
            return;
        }
        columns.add(new Column(
                "in steals",
                runs -> percent(Stat.of(
                                runs,
                                s -> s.measured().stealNs() < 0
                                        ? Double.NaN
                                        : (double) s.measured().stealNs()
                                                / (s.measured().elapsedNs() * workers))
                        .median())));
        columns.add(new Column(
                "stolen ns",
                runs -> isTimed(runs)
                        ? number(
                                Stat.of(
                                                runs,
                                                s -> perSteal(
                                                        s, (double) s.measured().stolenNs()))
                                        .median(),
                                0)
                        : "-"));
        columns.add(new Column(
                "of cycles",
                runs -> number(
                        Stat.of(runs, s -> perSteal(s, (double) s.measured().awayCycles()))
                                .median(),
                        0)));
    }

    /** A runtime that does not look at time has no estimate of what it takes. */
    private static boolean isTimed(List<Sample> runs) {
        return runs.stream()
                .anyMatch(s -> s.engine().equals(REFERENCE) || s.engine().equals("mely-timeleft"));
    }

    String[] titles(String workload) {
        return Stream.concat(Stream.of("contender"), columns(workload).stream().map(Column::title))
                .toArray(String[]::new);
    }

    String[] row(String workload, String engine) {
        List<Sample> runs = of(workload, engine);
        return Stream.concat(
                        Stream.of(engine),
                        columns(workload).stream().map(c -> c.value().apply(runs)))
                .toArray(String[]::new);
    }

    static String number(Stat stat) {
        return number(stat.median(), stat.median() < 100 ? 1 : 0);
    }

    static String number(double value, int digits) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    private static String percent(double share) {
        return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.2f %%", share * 100);
    }

    /** For people at a terminal. */
    String text() {
        StringBuilder out = new StringBuilder();
        environment.forEach(
                (name, value) -> out.append(name).append(": ").append(value).append('\n'));
        for (String workload : workloads()) {
            out.append('\n').append(workload).append('\n');
            out.append(Comparisons.text(
                    Arrays.asList(titles(workload)),
                    enginesBestFirst(workload).stream()
                            .map(engine -> Arrays.asList(row(workload, engine)))
                            .toList()));
            out.append(paperText(workload));
        }
        List<List<String>> peers = comparisons().peerRows();
        if (!peers.isEmpty()) {
            out.append('\n').append(Comparisons.text(Comparisons.PEER_TITLES, peers));
        }
        if (!Double.isNaN(bound)) {
            out.append('\n').append(Comparisons.text(Comparisons.CHECK_TITLES, Comparisons.checkRows(checks())));
        }
        failures.forEach((run, message) -> out.append("\nFAILED: ")
                .append(run)
                .append(": ")
                .append(message)
                .append('\n'));
        out.append('\n').append(LEGEND).append('\n').append(MISSES).append('\n');
        return out.toString();
    }

    static final String LEGEND =
            "x mely: how many times as good as Mely in the same round, and the spread of that over the rounds; of ideal: beside a schedule that costs nothing on that many workers, measured in the same round; driver: time to send the rounds, of each event; homed: keys brought home between rounds, while the clock stands; faults: pages touched for the first time, as by a heap that grows (none with -Xms1g -Xmx1g -XX:+AlwaysPreTouch); JIT: time of compilations that ended in the run, of the run: where it is more than a few percent, the contender was not warm; busiest: share of the events that ran on the core that ran most; width: instructions that each CPU did in a cycle just before and after the run, given enough of them: fewer where another guest of the host uses the other half of a core; line ns: a cache line from one CPU to another, then: several times as long in some minutes of a shared host; cold ns: a load of what this process touched 4 ms ago, then: as long as from memory where other guests fill the last cache; rescues: share of steals from a core stuck or preempted in a handler, or back from who had rescued them; "
                    + "CPU: of the whole process, collector and sender included; in steals: of the workers' time; stolen ns: estimated time left in a stolen color; "
                    + "of cycles: work done away from the first core, a steal; "
                    + "JVM from s, JVM to s: the seconds of a cold JVM's life that the figures cover.";

    String paperText(String workload) {
        List<PaperRow> rows = PAPER.getOrDefault(workload, List.of());
        if (rows.isEmpty()) {
            return "";
        }
        StringBuilder out =
                new StringBuilder("  The paper's table (8 cores, 2.33 GHz), and ours beside its first row:\n");
        double ours0 = medianRate(workload, rows.get(0).engine());
        for (PaperRow row : rows) {
            out.append(String.format(
                    Locale.ROOT,
                    "    %-26s paper %5d KEvents/s (x %.2f; %s); ours %s (x %s)%n",
                    row.configuration(),
                    row.kEventsPerS(),
                    (double) row.kEventsPerS() / rows.get(0).kEventsPerS(),
                    row.rest(),
                    number(medianRate(workload, row.engine()), 0),
                    number(medianRate(workload, row.engine()) / ours0, 2)));
        }
        return out.toString();
    }

    private double medianRate(String workload, String engine) {
        return Stat.of(of(workload, engine), s -> s.measured().kEventsPerS()).median();
    }

    /** Every round, raw, and the comparisons. */
    String json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("environment", environment);
        json.put("workers", workers);
        json.put(
                "failures",
                failures.entrySet().stream()
                        .map(e -> e.getKey() + ": " + e.getValue())
                        .toList());
        json.put(
                "besideBestPeers",
                comparisons().besideBestPeers().stream()
                        .map(Comparisons.Ratio::json)
                        .toList());
        if (!Double.isNaN(bound)) {
            json.put("check", checks().stream().map(Comparisons.Check::json).toList());
        }
        json.put("runs", samples.stream().map(Report::json).toList());
        return Json.write(json);
    }

    private static Map<String, Object> json(Sample s) {
        Measured m = s.measured();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("workload", s.workload());
        json.put("unit", s.metric().unit());
        json.put("value", s.value());
        json.put("engine", s.engine());
        json.put("round", s.round());
        json.put("load", s.load());
        json.put("bareNsPerEvent", s.bareNsPerEvent());
        json.put("nsPerCycle", s.nsPerCycle());
        json.put("events", m.events());
        json.put("elapsedNs", m.elapsedNs());
        json.put("cpuNs", m.cpuNs());
        json.put("lostCpus", m.lost());
        json.put("steals", m.steals());
        json.put("stealAttempts", m.attempts());
        json.put("rescues", m.rescues());
        json.put("stealTimeNs", m.stealNs());
        json.put("stolenTimeNs", m.stolenNs());
        json.put("broughtHome", m.broughtHome());
        json.put("awayCycles", m.awayCycles());
        json.put("extras", new TreeMap<>(m.extras()));
        return json;
    }
}
