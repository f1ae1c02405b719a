// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.paper.Workload.Measured;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
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
    private static final String REFERENCE = "mely";

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

    Report(Map<String, String> environment, int workers) {
        this.environment = environment;
        this.workers = workers;
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

    private List<Sample> of(String workload, String engine) {
        return samples.stream()
                .filter(s -> s.workload().equals(workload) && s.engine().equals(engine))
                .toList();
    }

    private Metric metric(String workload) {
        return samples.stream()
                .filter(s -> s.workload().equals(workload))
                .map(Sample::metric)
                .findFirst()
                .orElse(Metric.K_EVENTS_PER_S);
    }

    private List<String> enginesBestFirst(String workload) {
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
    private Stat besideMely(String workload, String engine) {
        Metric metric = metric(workload);
        Map<Integer, Double> melys = new HashMap<>();
        of(workload, REFERENCE).forEach(s -> melys.put(s.round(), s.value()));
        return Stat.of(
                of(workload, engine).stream()
                        .filter(s -> melys.containsKey(s.round()))
                        .toList(),
                s -> metric.ratio(s.value(), melys.getOrDefault(s.round(), Double.NaN)));
    }

    /** Median, least and most of the rounds. */
    record Stat(double median, double least, double most) {
        String spread(DoubleFunction<String> format) {
            return Double.isNaN(median) ? "-" : format.apply(least) + "-" + format.apply(most);
        }

        static Stat of(List<Sample> samples, ToDoubleFunction<Sample> value) {
            double[] values = samples.stream()
                    .mapToDouble(value)
                    .filter(v -> !Double.isNaN(v))
                    .sorted()
                    .toArray();
            if (values.length == 0) {
                return new Stat(Double.NaN, Double.NaN, Double.NaN);
            }
            int middle = values.length / 2;
            double median = values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
            return new Stat(median, values[0], values[values.length - 1]);
        }
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

    private String[] titles(String workload) {
        return Stream.concat(Stream.of("contender"), columns(workload).stream().map(Column::title))
                .toArray(String[]::new);
    }

    private String[] row(String workload, String engine) {
        List<Sample> runs = of(workload, engine);
        return Stream.concat(
                        Stream.of(engine),
                        columns(workload).stream().map(c -> c.value().apply(runs)))
                .toArray(String[]::new);
    }

    private static String number(Stat stat) {
        return number(stat.median(), stat.median() < 100 ? 1 : 0);
    }

    private static String number(double value, int digits) {
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
            out.append(line(titles(workload)));
            for (String engine : enginesBestFirst(workload)) {
                out.append(line(row(workload, engine)));
            }
            out.append(paperText(workload));
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
            "x mely: how many times as good as Mely in the same round, and the spread of that over the rounds; of ideal: beside a schedule that costs nothing on that many workers, measured in the same round; rescues: share of steals from a core stuck or preempted in a handler; "
                    + "CPU: of the whole process, collector and sender included; in steals: of the workers' time; stolen ns: estimated time left in a stolen color; "
                    + "of cycles: work done away from the first core, a steal.";

    private static String line(String[] cells) {
        StringBuilder out = new StringBuilder(String.format(Locale.ROOT, "  %-18s", cells[0]));
        for (int i = 1; i < cells.length; i++) {
            out.append(String.format(Locale.ROOT, i == 2 || i == 4 ? "%16s" : "%13s", cells[i]));
        }
        return out.append('\n').toString();
    }

    private String paperText(String workload) {
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

    /** Every round, raw. */
    String json() {
        StringBuilder out = new StringBuilder("{\n  \"environment\": {");
        String separator = "";
        for (Map.Entry<String, String> entry : environment.entrySet()) {
            out.append(separator)
                    .append("\n    ")
                    .append(quote(entry.getKey()))
                    .append(": ")
                    .append(quote(entry.getValue()));
            separator = ",";
        }
        out.append("\n  },\n  \"workers\": ").append(workers).append(",\n  \"failures\": [");
        separator = "";
        for (Map.Entry<String, String> entry : failures.entrySet()) {
            out.append(separator).append(quote(entry.getKey() + ": " + entry.getValue()));
            separator = ", ";
        }
        out.append("],\n  \"runs\": [");
        separator = "\n";
        for (Sample s : samples) {
            Measured m = s.measured();
            out.append(separator)
                    .append(String.format(
                            Locale.ROOT,
                            "    {\"workload\": %s, \"unit\": %s, \"value\": %s, \"engine\": %s, \"round\": %d, \"load\": %.2f, \"bareNsPerEvent\": %s,"
                                    + " \"nsPerCycle\": %.4f, \"events\": %d, \"elapsedNs\": %d, \"cpuNs\": %d, \"steals\": %d,"
                                    + " \"stealAttempts\": %d, \"rescues\": %d, \"stealTimeNs\": %d, \"stolenTimeNs\": %d, \"broughtHome\": %d, \"awayCycles\": %d, \"extras\": {%s}}",
                            quote(s.workload()),
                            quote(s.metric().unit()),
                            jsonNumber(s.value()),
                            quote(s.engine()),
                            s.round(),
                            s.load(),
                            jsonNumber(s.bareNsPerEvent()),
                            s.nsPerCycle(),
                            m.events(),
                            m.elapsedNs(),
                            m.cpuNs(),
                            m.steals(),
                            m.attempts(),
                            m.rescues(),
                            m.stealNs(),
                            m.stolenNs(),
                            m.broughtHome(),
                            m.awayCycles(),
                            new TreeMap<>(m.extras())
                                    .entrySet().stream()
                                            .map(e -> quote(e.getKey()) + ": " + jsonNumber(e.getValue()))
                                            .collect(Collectors.joining(", "))));
            separator = ",\n";
        }
        return out.append("\n  ]\n}\n").toString();
    }

    private static String jsonNumber(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.3f", value) : "null";
    }

    private static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    /** A page that needs nothing else: a bar per contender, its spread, the ideal. */
    String html() {
        StringBuilder out = new StringBuilder("""
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><title>Mely and its peers</title><style>
                body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 80em; padding: 0 1em; color: #1b1f24; background: #fff }
                table { border-collapse: collapse; font-size: 13px } td, th { padding: .15em .7em; text-align: right; border-bottom: 1px solid #ddd }
                td:first-child, th:first-child { text-align: left } .note { color: #57606a } .table { overflow-x: auto } svg text { font: 13px system-ui, sans-serif }
                pre { font-size: 13px } .failed { color: #b42318 }
                </style></head><body><h1>Mely and its peers</h1>
                """);
        out.append("<p class=\"note\">");
        environment.forEach((name, value) ->
                out.append(escape(name)).append(": ").append(escape(value)).append("<br>\n"));
        out.append("</p>\n");
        failures.forEach((run, message) -> out.append("<p class=\"failed\">FAILED: ")
                .append(escape(run + ": " + message))
                .append("</p>\n"));
        for (String workload : workloads()) {
            out.append("<h2>")
                    .append(escape(workload))
                    .append("</h2>\n")
                    .append(htmlBars(workload))
                    .append("<div class=\"table\"><table><tr>");
            Arrays.stream(titles(workload))
                    .forEach(c -> out.append("<th>").append(escape(c)).append("</th>"));
            out.append("</tr>\n");
            for (String engine : enginesBestFirst(workload)) {
                out.append("<tr>");
                Arrays.stream(row(workload, engine))
                        .forEach(c -> out.append("<td>").append(escape(c)).append("</td>"));
                out.append("</tr>\n");
            }
            out.append("</table></div>\n<pre>")
                    .append(escape(paperText(workload)))
                    .append("</pre>\n");
        }
        return out.append("<p class=\"note\">")
                .append(escape(LEGEND + " " + MISSES))
                .append("</p></body></html>\n")
                .toString();
    }

    private static final int LEFT = 150;
    private static final int WIDTH = 480;
    private static final int ROW_HEIGHT = 24;

    /** A bar a contender: its median; a line from the least to the most; a dot a round. */
    private String htmlBars(String workload) {
        List<String> engines = enginesBestFirst(workload);
        Metric metric = metric(workload);
        List<Sample> all =
                samples.stream().filter(s -> s.workload().equals(workload)).toList();
        double ideal = Stat.of(all, s -> workers * 1e6 / s.bareNsPerEvent()).median();
        double most = Stat.of(all, Sample::value).most();
        double scale = WIDTH / (Double.isNaN(ideal) ? most : Math.max(ideal, most));
        int height = engines.size() * ROW_HEIGHT + 22;
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg role=\"img\" aria-label=\"%s of %s\" width=\"860\" height=\"%d\" viewBox=\"0 0 860 %d\">%n",
                escape(metric.unit()),
                escape(workload),
                height,
                height));
        int y = 0;
        for (String engine : engines) {
            out.append(htmlBar(workload, engine, y, scale));
            y += ROW_HEIGHT;
        }
        if (!Double.isNaN(ideal)) {
            double x = LEFT + ideal * scale;
            out.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\" stroke=\"#b42318\" stroke-dasharray=\"4 3\"/>"
                            + "<text x=\"%.1f\" y=\"%d\" text-anchor=\"end\" fill=\"#b42318\">ideal %,.0f</text>%n",
                    x,
                    x,
                    y,
                    x,
                    y + 16,
                    ideal));
        } else {
            out.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%d\" y=\"%d\" fill=\"#57606a\">%s: %s is better</text>%n",
                    LEFT,
                    y + 16,
                    escape(metric.unit()),
                    metric.isHigherBetter() ? "more" : "less"));
        }
        return out.append("</svg>\n").toString();
    }

    private String htmlBar(String workload, String engine, int y, double scale) {
        List<Sample> runs = of(workload, engine);
        Stat value = Stat.of(runs, Sample::value);
        Stat ratio = besideMely(workload, engine);
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
                        + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>"
                        + "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#1b1f24\" stroke-width=\"2\"/>",
                LEFT - 8,
                y + 16,
                escape(engine),
                LEFT,
                y + 3,
                value.median() * scale,
                engine.startsWith(REFERENCE) ? "#1f6feb" : "#8c959f",
                LEFT + value.least() * scale,
                LEFT + value.most() * scale,
                y + 11,
                y + 11));
        for (Sample run : runs) {
            out.append(String.format(
                    Locale.ROOT,
                    "<circle cx=\"%.1f\" cy=\"%d\" r=\"3\" fill=\"#fff\" stroke=\"#1b1f24\"/>",
                    LEFT + run.value() * scale,
                    y + 11));
        }
        return out.append(String.format(
                        Locale.ROOT,
                        "<text x=\"%d\" y=\"%d\">%s%s</text>%n",
                        LEFT + WIDTH + 10,
                        y + 16,
                        number(value),
                        Double.isNaN(ratio.median())
                                ? ""
                                : String.format(
                                        Locale.ROOT, "; x %.2f (%s)", ratio.median(), ratio.spread(v -> number(v, 2)))))
                .toString();
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
