// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.load.Result.Failure;
import io.mely.bench.report.Json;
import io.mely.bench.report.LinePlot;
import io.mely.bench.report.LinePlot.Axis;
import io.mely.bench.report.LinePlot.Point;
import io.mely.bench.report.Page;
import io.mely.bench.report.TextTable;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** Waves, each with its repetitions, as tables, JSON, HdrHistogram files and plots. */
final class LoadReport {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;
    /** Of the percentile curve: 1 - 10^-n. */
    private static final double[] CURVE = {0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999};

    /** So many clients, several times. */
    record Wave(int clients, List<Result> runs) {
        double mean(ToDoubleFunction<Result> figure) {
            return runs.stream().mapToDouble(figure).average().orElse(Double.NaN);
        }

        /** Standard deviation of the runs, in per cent of their mean. */
        double deviationPercent(ToDoubleFunction<Result> figure) {
            double mean = mean(figure);
            if (runs.size() < 2 || mean == 0) {
                return 0;
            }
            double squares = runs.stream()
                    .mapToDouble(r -> Math.pow(figure.applyAsDouble(r) - mean, 2))
                    .sum();
            return 100 * Math.sqrt(squares / (runs.size() - 1)) / mean;
        }

        Result all() {
            Result all = new Result();
            runs.forEach(all::add);
            return all;
        }

        long errors() {
            return runs.stream().mapToLong(Result::errors).sum();
        }
    }

    private final Map<String, String> environment;
    private final Plan plan;
    private final List<Wave> waves = new ArrayList<>();

    LoadReport(Map<String, String> environment, Plan plan) {
        this.environment = environment;
        this.plan = plan;
    }

    void add(Wave wave) {
        waves.add(wave);
    }

    boolean hasErrors() {
        return waves.stream().anyMatch(w -> w.errors() > 0);
    }

    private static double meanMs(Histogram histogram) {
        return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getMean() / NS_PER_MS;
    }

    private static double percentileMs(Histogram histogram, double percentile) {
        return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getValueAtPercentile(percentile) / NS_PER_MS;
    }

    private static String number(double value) {
        return Double.isNaN(value)
                ? "-"
                : String.format(Locale.ROOT, value < 10 ? "%.3f" : value < 1_000 ? "%.1f" : "%,.0f", value);
    }

    private static String withDeviation(Wave wave, ToDoubleFunction<Result> figure) {
        return number(wave.mean(figure))
                + (wave.runs().size() < 2 ? "" : String.format(Locale.ROOT, " ±%.1f%%", wave.deviationPercent(figure)));
    }

    private static final List<String> TITLES = List.of(
            "clients",
            "requests/s",
            "Mbit/s",
            "CT ms",
            "RT ms",
            "CRT ms",
            "p50 ms",
            "p99 ms",
            "p99.9 ms",
            "max ms",
            "errors",
            "generator CPU %");

    private List<List<String>> rows() {
        return waves.stream()
                .map(w -> List.of(
                        Integer.toString(w.clients()),
                        withDeviation(w, Result::requestsPerS),
                        withDeviation(w, Result::mbitPerS),
                        withDeviation(w, r -> meanMs(r.connect)),
                        withDeviation(w, r -> meanMs(r.latency)),
                        withDeviation(w, r -> orZero(meanMs(r.connect)) + meanMs(r.latency)),
                        withDeviation(w, r -> percentileMs(r.latency, 50)),
                        withDeviation(w, r -> percentileMs(r.latency, 99)),
                        withDeviation(w, r -> percentileMs(r.latency, 99.9)),
                        number(percentileMs(w.all().latency, 100)),
                        Long.toString(w.errors()),
                        number(w.mean(LoadReport::cpuPercent))))
                .toList();
    }

    private static double orZero(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    private static double cpuPercent(Result result) {
        return 100.0 * result.cpuNs / Math.max(1, result.elapsedNs);
    }

    private List<List<String>> errorRows() {
        List<List<String>> rows = new ArrayList<>();
        for (Wave wave : waves) {
            Result all = wave.all();
            for (Failure failure : Failure.values()) {
                if (all.of(failure) > 0) {
                    rows.add(List.of(Integer.toString(wave.clients()), Long.toString(all.of(failure)), failure.text));
                }
            }
        }
        return rows;
    }

    private String legend() {
        return plan.isOpen()
                ? "Open loop: a latency counts from the instant the request was due. CT: connecting; RT: due to last byte;"
                        + " CRT: their sum. ±: standard deviation of the runs."
                : "Closed loop: a latency counts from the instant the request was sent; while the server stalls nothing is"
                        + " sent, so percentiles flatter it (use --rate for ones that do not). CT: connecting; RT: sent to"
                        + " last byte; CRT: their sum. ±: standard deviation of the runs.";
    }

    String text() {
        StringBuilder out = new StringBuilder();
        environment.forEach(
                (name, value) -> out.append(name).append(": ").append(value).append('\n'));
        out.append('\n').append(TextTable.of(TITLES, rows()));
        List<List<String>> errors = errorRows();
        if (!errors.isEmpty()) {
            out.append('\n').append(TextTable.of(List.of("clients", "errors", "what"), errors));
        }
        if (plan.isOpen()) {
            out.append('\n').append(TextTable.of(OPEN_TITLES, openRows()));
        }
        return out.append('\n').append(legend()).append('\n').toString();
    }

    private static final List<String> OPEN_TITLES = List.of(
            "clients", "due/s", "answered/s", "p99 ms from due", "p99 ms from sent", "sent late by us, p99", "max");

    /** What the set rate made of it: from sent is what coordinated omission would have shown. */
    private List<List<String>> openRows() {
        return waves.stream()
                .map(w -> {
                    Result all = w.all();
                    return List.of(
                            Integer.toString(w.clients()),
                            number(plan.ratePerS()),
                            number(w.mean(Result::requestsPerS)),
                            number(percentileMs(all.latency, 99)),
                            number(percentileMs(all.service, 99)),
                            number(percentileMs(all.late, 99) * NS_PER_MS / NS_PER_US),
                            number(percentileMs(all.late, 100) * NS_PER_MS / NS_PER_US));
                })
                .toList();
    }

    String json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("environment", environment);
        json.put("ratePerS", plan.ratePerS());
        json.put(
                "runs",
                waves.stream()
                        .flatMap(w -> w.runs().stream().map(r -> json(w.clients(), r)))
                        .toList());
        return Json.write(json);
    }

    static Map<String, Object> json(int clients, Result r) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("clients", clients);
        json.put("elapsedNs", r.elapsedNs);
        json.put("responses", r.responses);
        json.put("arrived", r.arrived);
        json.put("bytes", r.bytes);
        json.put("receivedBytes", r.receivedBytes);
        json.put("requestsPerS", r.requestsPerS());
        json.put("sessions", r.sessions);
        json.put("generatorCpuNs", r.cpuNs);
        json.put("generatorBytesPerRequest", (double) r.allocatedBytes / Math.max(1, r.responses));
        json.put("connectMeanMs", meanMs(r.connect));
        json.put("latencyMeanMs", meanMs(r.latency));
        for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
            String name =
                    percentile == 100 ? "Max" : "P" + String.valueOf(percentile).replaceAll("\\.0$", "");
            json.put("latency" + name + "Ms", percentileMs(r.latency, percentile));
            json.put("service" + name + "Ms", percentileMs(r.service, percentile));
            if (r.of(Failure.REFUSED) > 0) {
                json.put("refusal" + name + "Ms", percentileMs(r.refusal, percentile));
            }
        }
        json.put("sentLateP99Us", percentileMs(r.late, 99) * NS_PER_MS / NS_PER_US);
        Map<String, Object> errors = new LinkedHashMap<>();
        for (Failure failure : Failure.values()) {
            errors.put(failure.name().toLowerCase(Locale.ROOT), r.of(failure));
        }
        json.put("errors", errors);
        return json;
    }

    String html() {
        Page page = new Page("Load on " + plan.host() + ":" + plan.port(), environment);
        if (hasErrors()) {
            page.bad("There were errors.").table(List.of("clients", "errors", "what"), errorRows());
        }
        page.note(legend()).table(TITLES, rows());
        if (plan.isOpen()) {
            page.table(OPEN_TITLES, openRows());
        }
        if (waves.size() > 1) {
            page.heading("Throughput").note("Bars: least and most of the runs.").svg(throughputPlot());
            page.heading("Latency by clients").svg(latencyPlot());
        }
        return page.heading("Latency by percentile").svg(percentilePlot()).html();
    }

    private String throughputPlot() {
        return new LinePlot(
                        "Requests a second by clients",
                        new Axis("virtual clients", false),
                        new Axis("requests/s", false))
                .add(
                        "requests/s",
                        waves.stream().map(w -> point(w, Result::requestsPerS)).toList())
                .svg();
    }

    private static Point point(Wave wave, ToDoubleFunction<Result> figure) {
        double[] values = wave.runs().stream().mapToDouble(figure).sorted().toArray();
        return new Point(wave.clients(), wave.mean(figure), values[0], values[values.length - 1]);
    }

    private String latencyPlot() {
        LinePlot plot =
                new LinePlot("Latency by clients", new Axis("virtual clients", false), new Axis("latency, ms", true));
        for (double percentile : new double[] {50, 99, 99.9}) {
            plot.add(
                    "p" + String.valueOf(percentile).replaceAll("\\.0$", ""),
                    waves.stream()
                            .map(w -> point(w, r -> percentileMs(r.latency, percentile)))
                            .toList());
        }
        return plot.svg();
    }

    /** One request in so many is slower than that: the x axis of HdrHistogram's own plots. */
    private String percentilePlot() {
        LinePlot plot = new LinePlot(
                "Latency by percentile",
                new Axis("one request in so many is slower (10: p90, 100: p99, 1,000: p99.9)", true),
                new Axis("latency, ms", true));
        for (Wave wave : waves) {
            Histogram histogram = wave.all().latency;
            plot.add(
                    wave.clients() + " clients",
                    Arrays.stream(CURVE)
                            .filter(share -> histogram.getTotalCount() * (1 - share) >= 1)
                            .mapToObj(share -> {
                                double ms = percentileMs(histogram, 100 * share);
                                return new Point(Math.round(1 / (1 - share)), ms, ms, ms);
                            })
                            .toList());
        }
        return plot.svg();
    }

    /**
     * HdrHistogram's files: a percentile distribution in milliseconds for each wave, and a log with an interval for each run.
     *
     * @param dir created if need be
     */
    void writeHistograms(Path dir) throws IOException {
        Files.createDirectories(dir);
        for (Wave wave : waves) {
            String name = String.format(Locale.ROOT, "clients-%05d", wave.clients());
            try (PrintStream out = stream(dir.resolve(name + ".hgrm"))) {
                wave.all().latency.outputPercentileDistribution(out, NS_PER_MS);
            }
            try (PrintStream out = stream(dir.resolve(name + ".hlog"))) {
                HistogramLogWriter log = new HistogramLogWriter(out);
                log.outputComment("nanoseconds; an interval is a run; tags: latency, service, connect");
                log.outputLogFormatVersion();
                log.outputLegend();
                double atS = 0;
                for (Result run : wave.runs()) {
                    double untilS = atS + run.elapsedNs / 1e9;
                    for (Map.Entry<String, Histogram> entry : List.of(
                            Map.entry("latency", run.latency),
                            Map.entry("service", run.service),
                            Map.entry("connect", run.connect))) {
                        entry.getValue().setTag(entry.getKey());
                        log.outputIntervalHistogram(atS, untilS, entry.getValue(), NS_PER_MS);
                    }
                    atS = untilS;
                }
            }
        }
    }

    private static PrintStream stream(Path file) throws FileNotFoundException {
        return new PrintStream(new FileOutputStream(file.toFile()), false, StandardCharsets.UTF_8);
    }
}
