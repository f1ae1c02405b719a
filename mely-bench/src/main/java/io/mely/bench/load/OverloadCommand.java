// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Commands;
import io.mely.bench.load.Result.Failure;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Page;
import io.mely.bench.report.Stat;
import io.mely.bench.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code overload}: what a server still does when more is asked of it than it can do, and what those who get nothing are told.
 *
 * <p>First a closed loop finds what it can do, its capacity; then requests fall due at multiples of that, whatever becomes of the earlier ones. A
 * request is for many small ranges of a large file, which costs a server far more than the generator: with requests as small as those of
 * {@code compare} one CPU can't ask for twice of what another can answer.
 */
@Command(
        name = "overload",
        mixinStandardHelpOptions = true,
        description = "Asks servers for multiples of what they can do, and prints what they do then.")
public final class OverloadCommand implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final int WRONG_ANSWERS = 3;
    private static final long FILE_BYTES = 1 << 20;
    private static final int OK = 200;
    private static final int PARTIAL_CONTENT = 206;
    private static final int RANGE_BYTES = 64;
    /** Far enough apart that no server makes one range of two. */
    private static final int RANGE_GAP = 1 << 14;

    /** As many as every server takes, and no more requests than {@link ClientLoop#OUT_BYTES} has room for. */
    private static final int STREAMS_MAX = 100;

    /** In the closed loop: enough to keep a core busy, too few to wait long. */
    private static final int CAPACITY_REQUESTS = 32;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(
            names = "--server",
            split = ",",
            description = "Of those of the command compare, and nginx-h2c (default: sws, nginx).")
    private List<String> names = List.of("sws", "nginx");

    @Option(
            names = "--cpus",
            paramLabel = "SERVER/CLIENT",
            description = "As those of the command compare (default: ${DEFAULT-VALUE}).")
    private String cpus = "0/1";

    @Option(names = "--factors", split = ",", description = "Multiples of the capacity (default: 0.5, 1, 1.5, 2, 3).")
    private List<Double> factors = List.of(0.5, 1.0, 1.5, 2.0, 3.0);

    @Option(
            names = "--requests",
            description = "On a connection; 1: each request connects when it is due; 0: no end (default:"
                    + " ${DEFAULT-VALUE}).")
    private int perConnection = 1;

    @Option(names = "--clients", description = "Most connections at a time (default: ${DEFAULT-VALUE}).")
    private int clients = 4_000;

    @Option(
            names = "--streams",
            description = "HTTP/2 without TLS: most requests at a time on each connection, 1 to " + STREAMS_MAX
                    + "; needs --requests 0, and nginx-h2c in place of nginx. 0: HTTP/1.1 (default: ${DEFAULT-VALUE}).")
    private int streams = 0;

    @Option(
            names = "--ranges",
            description = "Of each request, of a file of 1 MiB; 0: the whole of a file of --bytes (default:"
                    + " ${DEFAULT-VALUE}).")
    private int ranges = 32;

    @Option(names = "--bytes", description = "Of the file, without ranges (default: ${DEFAULT-VALUE}).")
    private int bytes = 1_024;

    @Option(
            names = "--quota",
            description = "Percent of one CPU that the server may use, in periods of 10 ms, as in a container; 0: all"
                    + " (default: ${DEFAULT-VALUE}). Needs root.")
    private int quota = 0;

    @Option(
            names = "--deadline-ms",
            description = "An answer counts as in time if it is whole so long after it was due (default:"
                    + " ${DEFAULT-VALUE}).")
    private long deadlineMs = 250;

    @Option(names = "--timeout-ms", description = "Of each request (default: ${DEFAULT-VALUE}).")
    private long timeoutMs = 10_000;

    @Option(
            names = "--target-ms",
            description =
                    "SWS's overload-target (default: ${DEFAULT-VALUE}, as SWS has it). Nobody waits for longer than it takes to"
                            + " serve all connections, so there must be enough of them.")
    private int targetMs = 50;

    @Option(
            names = "--interval-ms",
            description = "SWS's overload-interval (default: ${DEFAULT-VALUE}, as SWS has it).")
    private int intervalMs = 1_000;

    @Option(names = "--rounds", description = "(default: ${DEFAULT-VALUE})")
    private int rounds = 3;

    @Option(names = "--seconds", description = "Measured, of each (default: ${DEFAULT-VALUE}).")
    private double seconds = 6;

    @Option(
            names = "--warm-seconds",
            description = "Before that: a server takes a while to find that it has too much (default:"
                    + " ${DEFAULT-VALUE}).")
    private double warmSeconds = 4;

    @Option(names = "--html", description = "Writes a page.")
    private @Nullable Path html;

    private OverloadCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code overload}
     * @return 0; 1 if it could not run; 2 for wrong options; 3 if an answer was wrong
     */
    public static int execute(String... args) {
        return Commands.execute(new OverloadCommand(), args);
    }

    /** A server in a round; factor 0 is the closed loop. */
    private record Run(String server, int round, double factor, double capacity, double peak, Result result) {
        double goodput() {
            return goodput(result);
        }

        static double goodput(Result result) {
            return result.arrived * 1e9 / result.elapsedNs;
        }

        double ofPeak() {
            return goodput() / peak;
        }

        /** Of requests that were due in the measured time. */
        double inTime(long deadlineNs) {
            return result.latency.getCountBetweenValues(0, deadlineNs) * 1e9 / result.elapsedNs;
        }

        double perS(Failure... failures) {
            long count = Arrays.stream(failures).mapToLong(result::of).sum();
            return count * 1e9 / result.elapsedNs;
        }

        static double ms(Histogram histogram, double percentile) {
            return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getValueAtPercentile(percentile) / 1e6;
        }
    }

    private final List<Run> runs = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        String[] pins = cpus.split("/", -1);
        boolean isWrong = pins.length != 2
                || factors.stream().anyMatch(factor -> !(factor > 0))
                || perConnection < 0
                || clients < 1
                || streams < 0
                || streams > STREAMS_MAX
                || (streams > 0 && perConnection > 0)
                || ranges < 0
                || ranges > FILE_BYTES / RANGE_GAP
                || bytes < 1
                || quota < 0
                || quota > 100
                || deadlineMs < 1
                || rounds < 1
                || !(seconds > 0)
                || warmSeconds < 0
                || timeoutMs < 1
                || targetMs < 1
                || intervalMs < 1;
        if (isWrong) {
            throw new ParameterException(
                    spec.commandLine(),
                    "cpus is SERVER/CLIENT; factors and seconds > 0; clients, bytes, rounds, timeout-ms, deadline-ms,"
                            + " target-ms, interval-ms >= 1; requests, warm-seconds >= 0; quota 0 to 100; streams 0 to "
                            + STREAMS_MAX + ", with requests 0; ranges 0 to " + FILE_BYTES / RANGE_GAP);
        }
        Map<String, String> environment = Environment.describe();
        environment.put("servers", "on CPUs " + pins[0]);
        environment.put("generator", "on CPUs " + pins[1]);
        environment.put("request", ranges == 0 ? bytes + " bytes" : ranges + " ranges of " + RANGE_BYTES + " bytes");
        environment.put("quota", quota == 0 ? "none" : quota + " % of one CPU");
        environment.put("in time", "within " + deadlineMs + " ms of when it was due");
        environment.put("connections", clients + " at most, " + perConnection + " requests each (0: no end)");
        environment.put("protocol", streams == 0 ? "HTTP/1.1" : "HTTP/2, " + streams + " streams on each connection");
        environment.put("overload-target of SWS", targetMs + " ms, overload-interval " + intervalMs + " ms");
        environment.put("rounds", rounds + " of " + seconds + " s after " + warmSeconds + " s each");
        PrintWriter progress = spec.commandLine().getErr();
        try (Site site = Site.create()) {
            site.write(CompareCommand.FILE, fileBytes(), 1);
            Server.Setting setting = options.setting(
                    site,
                    fileBytes(),
                    pins[0],
                    Generator.count(pins[0]),
                    List.of(),
                    Map.of("SWS_OVERLOAD_TARGET", targetMs + " ms", "SWS_OVERLOAD_INTERVAL", intervalMs + " ms"));
            try (Generator generator = Generator.start(options.java(), pins[1])) {
                for (int round = 0; round < rounds; round++) {
                    for (String name : names) {
                        progress.printf("round %d of %d: %s%n", round + 1, rounds, name);
                        progress.flush();
                        measure(name, setting, generator, round, Generator.count(pins[1]));
                    }
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            progress.println("overload: " + e.getMessage());
            return CANNOT_RUN;
        }
        write(environment);
        boolean hasWrong = runs.stream()
                .anyMatch(run -> run.perS(Failure.STATUS, Failure.LENGTH, Failure.CHECKSUM, Failure.MALFORMED) > 0);
        return hasWrong ? WRONG_ANSWERS : 0;
    }

    /** A new server each time: what an overload leaves behind is not to be found in the next. */
    private void measure(String name, Server.Setting setting, Generator generator, int round, int threads)
            throws IOException, InterruptedException {
        try (CpuQuota limit = CpuQuota.of(quota);
                Server server = Server.start(name, setting.withPrefix(limit.prefix()))) {
            generator.run(plan(server, 0, threads)); // is compiled
            Result capacity = generator.run(plan(server, 0, threads));
            double most = Run.goodput(capacity);
            if (most == 0) {
                throw new IOException(name + " answers nothing rightly");
            }
            List<Result> results = new ArrayList<>();
            for (double factor : factors) {
                results.add(generator.run(plan(server, factor * most, threads)));
            }
            double peak = results.stream().mapToDouble(Run::goodput).reduce(most, Math::max);
            runs.add(new Run(name, round, 0, most, peak, capacity));
            for (int i = 0; i < results.size(); i++) {
                runs.add(new Run(name, round, factors.get(i), most, peak, results.get(i)));
            }
        }
    }

    private long fileBytes() {
        return ranges == 0 ? bytes : FILE_BYTES;
    }

    /** A closed loop if no rate is set. */
    private Plan plan(Server server, double ratePerS, int threads) {
        String parts = IntStream.range(0, ranges)
                .mapToObj(i -> (long) i * RANGE_GAP + "-" + ((long) i * RANGE_GAP + RANGE_BYTES - 1))
                .collect(Collectors.joining(","));
        int closed = streams == 0 ? CAPACITY_REQUESTS : Math.max(1, CAPACITY_REQUESTS / streams);
        return new Plan(
                "127.0.0.1",
                server.port,
                ratePerS > 0 ? clients : closed,
                threads,
                perConnection,
                (long) (warmSeconds * 1e3),
                Math.max(1, (long) (seconds * 1e3)),
                ratePerS,
                true,
                1,
                timeoutMs,
                true,
                false,
                ranges == 0 ? "" : "Range: bytes=" + parts + "\r\n",
                List.of(new Target(
                        "GET", "/" + CompareCommand.FILE, ranges == 0 ? OK : PARTIAL_CONTENT, Target.ANY, Target.ANY)),
                "",
                streams);
    }

    private static final List<String> TITLES = List.of(
            "server",
            "x capacity",
            "due/s",
            "answered/s",
            "of the peak",
            "in time, of capacity",
            "p50 ms",
            "p99 ms",
            "503/s",
            "p50 ms ",
            "p99 ms ",
            "neither/s",
            "generator CPU %");

    private static final String NOTE =
            "Medians of the rounds; of the peak also least-most. Answered: right answers that came"
                    + " in the measured time; peak: the most that the same server answered in the same round. Latencies count from"
                    + " when a client began to connect or, if it stays, to send. Neither: connection refused or reset, or no answer"
                    + " in time. 503 and neither: of requests due in the measured time. By HTTP/2 a stream that is refused counts"
                    + " as a 503.";

    private long deadlineNs() {
        return TimeUnit.MILLISECONDS.toNanos(deadlineMs);
    }

    private List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        for (String name : names) {
            List<Double> all = new ArrayList<>(List.of(0.0));
            all.addAll(factors);
            for (double factor : all) {
                List<Run> same = runs.stream()
                        .filter(run -> run.server().equals(name) && run.factor() == factor)
                        .toList();
                double[] ofPeak =
                        same.stream().mapToDouble(Run::ofPeak).sorted().toArray();
                rows.add(List.of(
                        name,
                        factor == 0 ? "closed loop" : String.valueOf(factor),
                        factor == 0 ? "-" : median(same, run -> factor * run.capacity(), "%,.0f"),
                        median(same, Run::goodput, "%,.0f"),
                        median(same, Run::ofPeak, "%.2f")
                                + String.format(Locale.ROOT, " (%.2f-%.2f)", ofPeak[0], ofPeak[ofPeak.length - 1]),
                        median(same, run -> run.inTime(deadlineNs()) / run.capacity(), "%.2f"),
                        median(same, run -> Run.ms(run.result().service, 50), "%,.1f"),
                        median(same, run -> Run.ms(run.result().service, 99), "%,.1f"),
                        median(same, run -> run.perS(Failure.REFUSED), "%,.0f"),
                        median(same, run -> Run.ms(run.result().refusal, 50), "%,.1f"),
                        median(same, run -> Run.ms(run.result().refusal, 99), "%,.1f"),
                        median(
                                same,
                                run -> run.perS(
                                        Failure.CONNECT,
                                        Failure.RESET,
                                        Failure.CLOSED,
                                        Failure.TIMEOUT,
                                        Failure.UNANSWERED),
                                "%,.0f"),
                        median(same, run -> 100.0 * run.result().cpuNs / run.result().elapsedNs, "%.0f")));
            }
        }
        return rows;
    }

    private static String median(List<Run> runs, ToDoubleFunction<Run> figure, String format) {
        double median = Stat.of(runs, figure).median();
        return Double.isNaN(median) ? "-" : String.format(Locale.ROOT, format, median);
    }

    private void write(Map<String, String> environment) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        environment.forEach((name, value) -> out.printf("%s: %s%n", name, value));
        out.printf("%n%s%n%s%n", TextTable.of(TITLES, rows()), NOTE);
        out.flush();
        if (html != null) {
            Files.writeString(
                    html,
                    new Page("Servers under overload", environment)
                            .table(TITLES, rows())
                            .note(NOTE)
                            .html());
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("environment", environment);
        all.put(
                "runs",
                runs.stream()
                        .map(run -> {
                            Map<String, Object> each = new LinkedHashMap<>();
                            each.put("server", run.server());
                            each.put("round", run.round());
                            each.put("factor", run.factor());
                            each.put("capacity", run.capacity());
                            each.put("ofPeak", run.ofPeak());
                            each.put("inTime", run.inTime(deadlineNs()));
                            each.putAll(LoadReport.json(clients, run.result()));
                            return each;
                        })
                        .toList());
        options.write(all);
    }
}
