// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.paper.Workload.Measured;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

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

    static final String MISSES =
            "Cache misses need hardware counters, which this program does not read: they are absent.";

    /**
     * A run.
     *
     * @param load average of the machine when it ended; -1 if unknown
     * @param bareNsPerEvent one thread without a scheduler, measured just before
     */
    record Sample(
            String workload,
            String engine,
            int round,
            double load,
            double bareNsPerEvent,
            double nsPerCycle,
            Measured measured) {
        double idealShare(int workers) {
            return measured.kEventsPerS() / (workers * 1e6 / bareNsPerEvent);
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

    private List<String> enginesBestFirst(String workload) {
        return samples.stream()
                .filter(s -> s.workload().equals(workload))
                .map(Sample::engine)
                .distinct()
                .sorted((a, b) -> Double.compare(
                        Stat.of(of(workload, b), s -> s.measured().kEventsPerS())
                                .median(),
                        Stat.of(of(workload, a), s -> s.measured().kEventsPerS())
                                .median()))
                .toList();
    }

    /** Median, least and most of the rounds. */
    record Stat(double median, double least, double most) {
        static Stat of(List<Sample> samples, ToDoubleFunction<Sample> value) {
            double[] values = samples.stream().mapToDouble(value).sorted().toArray();
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

    private static final String[] COLUMNS = {
        "contender",
        "KEvents/s",
        "least-most",
        "of ideal",
        "CPU ns/ev",
        "steals/Kev",
        "rescues",
        "ns/steal",
        "in steals",
        "stolen ns",
        "of cycles"
    };

    private String[] row(String workload, String engine) {
        List<Sample> runs = of(workload, engine);
        Stat rate = Stat.of(runs, s -> s.measured().kEventsPerS());
        // A runtime that does not look at time has no estimate of what it takes.
        boolean isTimed = engine.equals("mely") || engine.equals("mely-timeleft");
        return new String[] {
            engine,
            number(rate.median(), 0),
            number(rate.least(), 0) + "-" + number(rate.most(), 0),
            number(Stat.of(runs, s -> s.idealShare(workers)).median(), 2),
            number(Stat.of(runs, Sample::cpuNsPerEvent).median(), 0),
            number(
                    Stat.of(
                                    runs,
                                    s -> s.measured().steals() < 0
                                            ? Double.NaN
                                            : 1e3
                                                    * s.measured().steals()
                                                    / s.measured().events())
                            .median(),
                    2),
            percent(Stat.of(runs, s -> perSteal(s, (double) s.measured().rescues()))
                    .median()),
            number(
                    Stat.of(runs, s -> perSteal(s, (double) s.measured().stealNs()))
                            .median(),
                    0),
            percent(Stat.of(
                            runs,
                            s -> s.measured().stealNs() < 0
                                    ? Double.NaN
                                    : (double) s.measured().stealNs()
                                            / (s.measured().elapsedNs() * workers))
                    .median()),
            isTimed
                    ? number(
                            Stat.of(runs, s -> perSteal(s, (double) s.measured().stolenNs()))
                                    .median(),
                            0)
                    : "-",
            number(
                    Stat.of(runs, s -> perSteal(s, (double) s.measured().awayCycles()))
                            .median(),
                    0)
        };
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
            out.append(line(COLUMNS));
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
            "of ideal: beside a schedule that costs nothing on that many workers, measured in the same round; rescues: share of steals from a core stuck or preempted in a handler; "
                    + "CPU ns/ev: of the whole process; in steals: of the workers' time; stolen ns: estimated time left in a stolen color; "
                    + "of cycles: work done away from the first core, a steal.";

    private static String line(String[] cells) {
        StringBuilder out = new StringBuilder(String.format(Locale.ROOT, "  %-18s", cells[0]));
        for (int i = 1; i < cells.length; i++) {
            out.append(String.format(Locale.ROOT, i == 2 ? "%16s" : "%11s", cells[i]));
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
                            "    {\"workload\": %s, \"engine\": %s, \"round\": %d, \"load\": %.2f, \"bareNsPerEvent\": %.2f,"
                                    + " \"nsPerCycle\": %.4f, \"events\": %d, \"elapsedNs\": %d, \"cpuNs\": %d, \"steals\": %d,"
                                    + " \"stealAttempts\": %d, \"rescues\": %d, \"stealTimeNs\": %d, \"stolenTimeNs\": %d, \"broughtHome\": %d, \"awayCycles\": %d}",
                            quote(s.workload()),
                            quote(s.engine()),
                            s.round(),
                            s.load(),
                            s.bareNsPerEvent(),
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
                            m.awayCycles()));
            separator = ",\n";
        }
        return out.append("\n  ]\n}\n").toString();
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
                body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 62em; padding: 0 1em; color: #1b1f24; background: #fff }
                table { border-collapse: collapse; font-size: 13px } td, th { padding: .15em .7em; text-align: right; border-bottom: 1px solid #ddd }
                td:first-child, th:first-child { text-align: left } .note { color: #57606a } svg text { font: 13px system-ui, sans-serif }
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
                    .append("<table><tr>");
            Arrays.stream(COLUMNS)
                    .forEach(c -> out.append("<th>").append(escape(c)).append("</th>"));
            out.append("</tr>\n");
            for (String engine : enginesBestFirst(workload)) {
                out.append("<tr>");
                Arrays.stream(row(workload, engine))
                        .forEach(c -> out.append("<td>").append(escape(c)).append("</td>"));
                out.append("</tr>\n");
            }
            out.append("</table>\n<pre>").append(escape(paperText(workload))).append("</pre>\n");
        }
        return out.append("<p class=\"note\">")
                .append(escape(LEGEND + " " + MISSES))
                .append("</p></body></html>\n")
                .toString();
    }

    private String htmlBars(String workload) {
        List<String> engines = enginesBestFirst(workload);
        List<Sample> all =
                samples.stream().filter(s -> s.workload().equals(workload)).toList();
        double ideal = Stat.of(all, s -> workers * 1e6 / s.bareNsPerEvent()).median();
        double most =
                Math.max(ideal, Stat.of(all, s -> s.measured().kEventsPerS()).most());
        int left = 150;
        int width = 560;
        int rowHeight = 24;
        int height = engines.size() * rowHeight + 22;
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg role=\"img\" aria-label=\"KEvents/s of %s\" width=\"860\" height=\"%d\" viewBox=\"0 0 860 %d\">%n",
                escape(workload),
                height,
                height));
        int y = 0;
        for (String engine : engines) {
            List<Sample> runs = of(workload, engine);
            Stat rate = Stat.of(runs, s -> s.measured().kEventsPerS());
            double scale = width / most;
            out.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
                            + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>"
                            + "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#1b1f24\" stroke-width=\"2\"/>"
                            + "<text x=\"%d\" y=\"%d\">%,.0f KEvents/s, %.0f %% of ideal</text>%n",
                    left - 8,
                    y + 16,
                    escape(engine),
                    left,
                    y + 3,
                    rate.median() * scale,
                    engine.startsWith("mely") ? "#1f6feb" : "#8c959f",
                    left + rate.least() * scale,
                    left + rate.most() * scale,
                    y + 11,
                    y + 11,
                    left + width + 10,
                    y + 16,
                    rate.median(),
                    Stat.of(runs, s -> s.idealShare(workers)).median() * 100));
            y += rowHeight;
        }
        double x = left + ideal * width / most;
        return out.append(String.format(
                        Locale.ROOT,
                        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\" stroke=\"#b42318\" stroke-dasharray=\"4 3\"/>"
                                + "<text x=\"%.1f\" y=\"%d\" text-anchor=\"end\" fill=\"#b42318\">ideal %,.0f</text>%n</svg>%n",
                        x,
                        x,
                        y,
                        x,
                        y + 16,
                        ideal))
                .toString();
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
