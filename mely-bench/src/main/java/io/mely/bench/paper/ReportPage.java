// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static io.mely.bench.report.Page.escape;

import io.mely.bench.paper.Report.Sample;
import io.mely.bench.report.Page;
import io.mely.bench.report.Stat;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The report for people with a browser: the comparisons, then for each workload a bar a contender and the table. */
final class ReportPage {
    private static final int LEFT = 150;
    private static final int WIDTH = 520;
    private static final int RIGHT = 230;
    private static final int ROW_HEIGHT = 24;
    private static final int BELOW = 44;
    /** How far beyond the longest bar a spread is drawn; what is beyond is cut off, and marked. */
    private static final double SPREAD_SHOWN = 1.4;

    private static final int TICKS = 5;

    private final Report report;

    ReportPage(Report report) {
        this.report = report;
    }

    private static String color(String engine) {
        return switch (Engines.family(engine)) {
            case MELY -> engine.equals(Report.REFERENCE) ? "#0b57d0" : "#9ec5fe";
            case BASELINE -> "#e3b268";
            case FLOOR -> "#e1e4e8";
            case BY_HASH -> "#b9a5d6";
            case BALANCING -> "#9fcfae";
        };
    }

    String html() {
        Page page = new Page("Mely and its peers", report.environment());
        report.failures().forEach((run, message) -> page.bad("FAILED: " + run + ": " + message));
        List<List<String>> peers = report.comparisons().peerRows();
        if (!peers.isEmpty()) {
            page.heading("Mely beside its best peers")
                    .note(
                            "How many times as good as the peer Mely was in the same round: median (least-most of the rounds)."
                                    + " Above 1 Mely is better.")
                    .table(Comparisons.PEER_TITLES, peers);
        }
        List<Comparisons.Check> checks = report.checks();
        if (!checks.isEmpty()) {
            page.heading("Does stealing cost anything where it cannot help?")
                    .note("Stealing on beside off in the same round. Off beside off again is what the machine does to a"
                            + " ratio of equals.")
                    .table(Comparisons.CHECK_TITLES, Comparisons.checkRows(checks));
        }
        page.heading("Colours").svg(legend());
        for (String workload : report.workloads()) {
            Metric metric = report.metric(workload);
            page.heading(workload)
                    .note(metric.unit() + ", " + (metric.isHigherBetter() ? "more" : "less")
                            + " is better. Bar: median; dots: rounds; at the right: median, x Mely in the same round"
                            + " (least-most).")
                    .svg(bars(workload))
                    .table(
                            Arrays.asList(report.titles(workload)),
                            report.enginesBestFirst(workload).stream()
                                    .map(engine -> Arrays.asList(report.row(workload, engine)))
                                    .toList())
                    .preformatted(report.paperText(workload));
        }
        return page.note(Report.LEGEND + " " + Report.MISSES).html();
    }

    private static String legend() {
        StringBuilder out = new StringBuilder("<svg role=\"img\" aria-label=\"colours\" width=\"1000\" height=\"30\">");
        int x = 0;
        for (String[] entry : new String[][] {
            {"mely", "mely"},
            {"mely-off", "Mely, other settings"},
            {"libasync-smp", "other policies"},
            {"netty-hash", "a key stays on its worker"},
            {"pekko", "work moves to who is free"},
            {"one-thread", "one thread"}
        }) {
            out.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"7\" width=\"14\" height=\"14\" fill=\"%s\"/><text x=\"%d\" y=\"19\">%s</text>",
                    x,
                    color(entry[0]),
                    x + 20,
                    entry[1]));
            x += 40 + 7 * entry[1].length();
        }
        return out.append("</svg>\n").toString();
    }

    private static double step(double most) {
        double step = Math.pow(10, Math.floor(Math.log10(most / TICKS)));
        for (int factor : new int[] {1, 2, 5}) {
            if (most / (step * factor) <= TICKS) {
                return step * factor;
            }
        }
        return step * 10;
    }

    private String bars(String workload) {
        List<String> engines = report.enginesBestFirst(workload);
        Metric metric = report.metric(workload);
        List<Sample> all = engines.stream()
                .flatMap(engine -> report.of(workload, engine).stream())
                .toList();
        double ideal =
                Stat.of(all, s -> report.workers() * 1e6 / s.bareNsPerEvent()).median();
        double longest = engines.stream()
                .mapToDouble(engine ->
                        Stat.of(report.of(workload, engine), Sample::value).median())
                .max()
                .orElse(1);
        double end = Math.min(Stat.of(all, Sample::value).most(), longest * SPREAD_SHOWN);
        end = Double.isNaN(ideal) ? end : Math.max(end, ideal);
        double scale = WIDTH / end;
        int bottom = engines.size() * ROW_HEIGHT + 2;
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg role=\"img\" aria-label=\"%s of %s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">%n",
                escape(metric.unit()),
                escape(workload),
                LEFT + WIDTH + RIGHT,
                bottom + BELOW,
                LEFT + WIDTH + RIGHT,
                bottom + BELOW));
        double step = step(end);
        for (int i = 0; i * step <= end; i++) {
            double x = LEFT + i * step * scale;
            out.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\" stroke=\"#e1e4e8\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#57606a\">%s</text>%n",
                    x,
                    x,
                    bottom,
                    x,
                    bottom + 15,
                    step < 1
                            ? String.format(Locale.ROOT, "%.2f", i * step)
                            : String.format(Locale.ROOT, "%,.0f", i * step)));
        }
        out.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#57606a\">%s</text>%n",
                LEFT + WIDTH / 2,
                bottom + 34,
                escape(metric.unit())));
        int y = 0;
        for (String engine : engines) {
            out.append(bar(workload, engine, y, scale, end));
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
                    bottom,
                    x,
                    bottom + 34,
                    ideal));
        }
        return out.append("</svg>\n").toString();
    }

    private String bar(String workload, String engine, int y, double scale, double end) {
        List<Sample> runs = report.of(workload, engine);
        Stat value = Stat.of(runs, Sample::value);
        Stat ratio = report.besideMely(workload, engine);
        int middle = y + ROW_HEIGHT / 2;
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\"%s>%s</text>"
                        + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>"
                        + "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#1b1f24\" stroke-width=\"1.5\"/>",
                LEFT - 8,
                middle + 4,
                engine.equals(Report.REFERENCE) ? " font-weight=\"700\"" : "",
                escape(engine),
                LEFT,
                y + 3,
                value.median() * scale,
                ROW_HEIGHT - 6,
                color(engine),
                LEFT + value.least() * scale,
                LEFT + Math.min(end, value.most()) * scale,
                middle,
                middle));
        for (Sample run : runs) {
            if (run.value() <= end) {
                out.append(String.format(
                        Locale.ROOT,
                        "<circle cx=\"%.1f\" cy=\"%d\" r=\"2.5\" fill=\"#fff\" stroke=\"#1b1f24\"/>",
                        LEFT + run.value() * scale,
                        middle));
            }
        }
        if (value.most() > end) {
            out.append(String.format(
                    Locale.ROOT, "<text x=\"%.1f\" y=\"%d\">\u25b8</text>", LEFT + end * scale - 6, middle + 5));
        }
        return out.append(String.format(
                        Locale.ROOT,
                        "<text x=\"%d\" y=\"%d\">%s%s</text>%n",
                        LEFT + WIDTH + 12,
                        middle + 4,
                        Report.number(value),
                        Double.isNaN(ratio.median())
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        "; x %.2f (%s)",
                                        ratio.median(),
                                        ratio.spread(v -> Report.number(v, 2)))))
                .toString();
    }
}
