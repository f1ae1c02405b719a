// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Commands;
import io.mely.bench.report.BarPlot;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Order;
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
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code compare}: SWS beside nginx, a hand-written Netty server and a C loop that only reads and writes, on this machine, round by round.
 *
 * <p>Servers run all the time, one is loaded at a time. The load generator is one process, too, so that both have been compiled when it matters.
 */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description =
                "Loads SWS, nginx, a Netty server and a C loop in turn, and prints requests/s, CPU and latencies.")
public final class CompareCommand implements Callable<Integer> {
    private static final int REQUESTS_FAILED = 3;
    private static final int CANNOT_RUN = 1;
    /** The only file that servers serve. */
    static final String FILE = "file.html";

    /** The one that few ask for. */
    private static final String LARGE_FILE = "large.html";

    private static final Pattern LARGE = Pattern.compile("|(0?\\.[0-9]*[1-9]|[1-9][0-9]?(\\.[0-9]+)?)x[1-9][0-9]{0,9}");

    private static final int TIMEOUT_MS = 60_000;

    /** From here on the bytes of a run are counted, not its whole responses: there may be few. */
    private static final long LARGE_BYTES = 1 << 20;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(
            names = "--server",
            split = ",",
            description =
                    "Of sws, sws-off, sws-base, sws-log, sws-per-core, sws-copies, sws-pinned, sws-stingy, sws:NAME (under that deployment), sws-stingy:NAME, sws:* (under each),"
                            + " nginx, netty, c (default: sws, nginx, netty, c).")
    private List<String> names = List.of("sws", "nginx", "netty", "c");

    @Option(names = "--beside", description = "Whom ratios are to (default: ${DEFAULT-VALUE}).")
    private String reference = "nginx";

    @Option(
            names = "--load",
            split = ",",
            paramLabel = "CLIENTSxREQUESTS",
            description = "Patterns: clients times requests on a connection, 0 for no end (default: 250x150, 1000x150,"
                    + " 2000x150, 25x0, 250x0, 2000x0).")
    private List<String> loads = List.of("250x150", "1000x150", "2000x150", "25x0", "250x0", "2000x0");

    @Option(names = "--bytes", description = "Of the file (default: ${DEFAULT-VALUE}).")
    private long bytes = 1_024;

    @Option(
            names = "--large",
            paramLabel = "PERCENTxBYTES",
            description = "This part of the requests asks for a second file of so many bytes (default: none).")
    private String large = "";

    @Option(
            names = "--rate",
            description =
                    "Requests a second at random instants, whether answered or not: an open loop (default: closed).")
    private double rate;

    @Option(
            names = "--cpus",
            paramLabel = "SERVER/CLIENT",
            description =
                    "CPUs as taskset takes them, such as 0/1: server and generator each on its own (default: nothing"
                            + " is pinned).")
    private String cpus = "";

    @Option(names = "--rounds", description = "(default: ${DEFAULT-VALUE})")
    private int rounds = 5;

    @Option(
            names = "--warm-rounds",
            description = "Before those, not counted: a server and the generator are compiled while they are loaded"
                    + " (default: ${DEFAULT-VALUE}).")
    private int warmRounds = 1;

    @Option(names = "--seconds", description = "Measured, of each (default: ${DEFAULT-VALUE}).")
    private double seconds = 5;

    @Option(names = "--warm-seconds", description = "Before that (default: ${DEFAULT-VALUE}).")
    private double warmSeconds = 2;

    @Option(names = "--plot", description = "Writes a picture of requests/s and p99, as SVG.")
    private @Nullable Path plot;

    @Option(names = "--html", description = "Writes a page.")
    private @Nullable Path html;

    private CompareCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code compare}
     * @return 0; 1 if it could not run; 2 for wrong options; 3 if requests failed
     */
    public static int execute(String... args) {
        return Commands.execute(new CompareCommand(), args);
    }

    /** A pattern of load. */
    private record Load(int clients, int perConnection) {
        static Load parse(String text) {
            String[] parts = text.split("x", -1);
            if (parts.length != 2) {
                throw new NumberFormatException(text);
            }
            Load load = new Load(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
            if (load.clients < 1 || load.perConnection < 0) {
                throw new NumberFormatException(text);
            }
            return load;
        }

        @Override
        public String toString() {
            return clients + " clients, "
                    + (perConnection == 0 ? "endless connections" : perConnection + " requests a connection");
        }
    }

    /** A server under a load in a round. */
    private record Run(
            Load load, String server, int round, double machineLoad, long bytes, Result result, long serverCpuNs) {
        /** Of a large file also parts, for what was under way at the end cost CPU time, too. */
        double responses() {
            return bytes < LARGE_BYTES ? result.responses : (double) result.receivedBytes / bytes;
        }

        double requestsPerS() {
            return responses() * 1e9 / result.elapsedNs;
        }

        double mbPerS() {
            return result.receivedBytes * 1e3 / result.elapsedNs;
        }

        double cpuUs() {
            return serverCpuNs / 1e3 / responses();
        }

        double p99Ms() {
            return result.latency.getValueAtPercentile(99) / 1e6;
        }
    }

    private final List<Run> runs = new ArrayList<>();
    private List<Target> targets = List.of();

    /** What clients ask for; writes the files. */
    private List<Target> targets(Site site) throws IOException {
        site.write(FILE, bytes, 1);
        if (large.isEmpty()) {
            return List.of(new Target("GET", "/" + FILE, 200, bytes, Target.ANY));
        }
        String[] parts = large.split("x", -1);
        double percent = Double.parseDouble(parts[0]);
        long largeBytes = Long.parseLong(parts[1]);
        site.write(LARGE_FILE, largeBytes, 2);
        return List.of(
                new Target("GET", "/" + FILE, 200, bytes, Target.ANY, 100 - percent),
                new Target("GET", "/" + LARGE_FILE, 200, largeBytes, Target.ANY, percent));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Load> patterns;
        try {
            patterns = loads.stream().map(Load::parse).toList();
        } catch (NumberFormatException e) {
            throw new ParameterException(spec.commandLine(), "--load: CLIENTSxREQUESTS: " + loads);
        }
        String[] pins = cpus.isEmpty() ? new String[] {"", ""} : cpus.split("/", -1);
        if (!LARGE.matcher(large).matches()
                || pins.length != 2
                || rounds < 1
                || warmRounds < 0
                || !(seconds > 0)
                || warmSeconds < 0
                || bytes < 1
                || rate < 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "cpus is SERVER/CLIENT; rounds and bytes >= 1; seconds > 0; warm-rounds and warm-seconds >= 0; rate >= 0; large"
                            + " is PERCENTxBYTES, of more than 0 and less than 100 percent");
        }
        Map<String, String> environment = Environment.describe();
        environment.put("servers", pins[0].isEmpty() ? "not pinned" : "pinned to CPUs " + pins[0]);
        environment.put("generator", pins[1].isEmpty() ? "not pinned" : "pinned to CPUs " + pins[1]);
        environment.put("loop", rate > 0 ? "open, " + rate + " requests/s" : "closed");
        environment.put("file", bytes + " bytes" + (large.isEmpty() ? "" : ", and a large one: " + large));
        environment.put(
                "rounds",
                rounds + " of " + seconds + " s after " + warmSeconds + " s each and " + warmRounds + " rounds");
        Site site = Site.create();
        targets = targets(site);
        names = options.expanded(names);
        int cores = Generator.count(pins[0]);
        Server.Setting setting = options.setting(site, bytes, pins[0], cores, List.of(), Map.of());
        PrintWriter progress = spec.commandLine().getErr();
        List<Server> servers = new ArrayList<>();
        try {
            for (String name : names) {
                servers.add(Server.start(name, setting));
            }
            try (Generator generator = Generator.start(options.java(), pins[1])) {
                for (int turn = 0; turn < warmRounds + rounds; turn++) {
                    int round = turn - warmRounds;
                    for (Load load : patterns) {
                        for (Server server : Order.of(servers, turn)) {
                            String kind = round < 0 ? "warm-up" : "round " + (round + 1) + " of " + rounds;
                            progress.printf("%s: %s: %s%n", kind, load, server.name);
                            progress.flush();
                            Run run = run(generator, server, load, round, Generator.count(pins[1]));
                            if (round >= 0) {
                                runs.add(run);
                            }
                        }
                    }
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            progress.println("compare: " + e.getMessage());
            return CANNOT_RUN;
        } finally {
            for (Server server : servers) {
                server.close();
            }
            site.close();
        }
        write(environment, patterns);
        return runs.stream().anyMatch(r -> r.result().errors() > 0) ? REQUESTS_FAILED : 0;
    }

    private Run run(Generator generator, Server server, Load load, int round, int threads)
            throws IOException, InterruptedException {
        double machineLoad = Environment.load();
        if (warmSeconds > 0) {
            generator.run(plan(server, load, warmSeconds, threads));
        }
        long cpuBeforeNs = server.cpuNs();
        Result result = generator.run(plan(server, load, seconds, threads));
        return new Run(load, server.name, round, machineLoad, bytes, result, server.cpuNs() - cpuBeforeNs);
    }

    /** Measured from its first request, so that the server's CPU time is that of the responses that are counted. */
    private Plan plan(Server server, Load load, double forSeconds, int threads) {
        return new Plan(
                "127.0.0.1",
                server.port,
                load.clients(),
                threads,
                load.perConnection(),
                0,
                Math.max(1, (long) (forSeconds * 1e3)),
                rate,
                true,
                1,
                TIMEOUT_MS,
                true,
                false,
                "",
                targets,
                "",
                0);
    }

    // ------------------------------------------------------------------ report

    private List<Run> of(Load load, String server) {
        return runs.stream()
                .filter(r -> r.load().equals(load) && r.server().equals(server))
                .toList();
    }

    /** Median, and least to most. */
    private static String median(double[] values, String format) {
        Stat stat = Stat.of(Arrays.stream(values).filter(Double::isFinite).toArray());
        return Double.isNaN(stat.median())
                ? "-"
                : String.format(
                        Locale.ROOT,
                        format + " (" + format + "-" + format + ")",
                        stat.median(),
                        stat.least(),
                        stat.most());
    }

    private String figure(Load load, String server, ToDoubleFunction<Run> value, String format) {
        return median(of(load, server).stream().mapToDouble(value).toArray(), format);
    }

    /** Within rounds. */
    private String ratio(Load load, String server, ToDoubleFunction<Run> value) {
        List<Run> theirs = of(load, reference);
        return median(
                of(load, server).stream()
                        .mapToDouble(mine -> theirs.stream()
                                .filter(r -> r.round() == mine.round())
                                .mapToDouble(r -> value.applyAsDouble(mine) / value.applyAsDouble(r))
                                .findFirst()
                                .orElse(Double.NaN))
                        .toArray(),
                "%.2f");
    }

    private List<String> titles() {
        return List.of(
                "server",
                "requests/s",
                "x " + reference,
                "MB/s",
                "CPU us/request",
                "x " + reference + " ",
                "p50 ms",
                "p99 ms",
                "x " + reference + "  ",
                "generator CPU %",
                "errors");
    }

    private List<List<String>> rows(Load load) {
        return names.stream()
                .map(name -> List.of(
                        name,
                        figure(load, name, Run::requestsPerS, bytes < LARGE_BYTES ? "%,.0f" : "%,.2f"),
                        ratio(load, name, Run::requestsPerS),
                        figure(load, name, Run::mbPerS, "%,.0f"),
                        figure(load, name, Run::cpuUs, "%.2f"),
                        ratio(load, name, Run::cpuUs),
                        figure(load, name, r -> r.result().latency.getValueAtPercentile(50) / 1e6, "%.2f"),
                        figure(load, name, Run::p99Ms, "%.2f"),
                        ratio(load, name, Run::p99Ms),
                        figure(load, name, r -> 100.0 * r.result().cpuNs / r.result().elapsedNs, "%.0f"),
                        Long.toString(of(load, name).stream()
                                .mapToLong(r -> r.result().errors())
                                .sum())))
                .toList();
    }

    private String plot(List<Load> patterns) {
        BarPlot bars = new BarPlot("requests/s and p99 of each server");
        for (Load load : patterns) {
            for (String name : names) {
                bars.add(load + ", requests/s", name, stat(load, name, Run::requestsPerS));
            }
            for (String name : names) {
                bars.add(load + ", p99 in ms", name, stat(load, name, Run::p99Ms));
            }
        }
        return bars.svg();
    }

    private Stat stat(Load load, String server, ToDoubleFunction<Run> value) {
        return Stat.of(of(load, server).stream().mapToDouble(value).toArray());
    }

    private static final String NOTE =
            "Medians (least-most of the rounds); ratios are within rounds. CPU: of the server's"
                    + " processes, user and system, from /proc. Where the generator is at 100 % of its CPUs, it was measured, not the"
                    + " server. Latencies count from sending, in an open loop from when the request was due.";

    private void write(Map<String, String> environment, List<Load> patterns) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        environment.forEach((name, value) -> out.printf("%s: %s%n", name, value));
        Page page = new Page("SWS beside other servers", environment);
        for (Load load : patterns) {
            out.printf("%n%s%n%s", load, TextTable.of(titles(), rows(load)));
            page.heading(load.toString()).table(titles(), rows(load));
        }
        out.printf("%n%s%n", NOTE);
        out.flush();
        if (plot != null) {
            Files.writeString(plot, plot(patterns));
        }
        if (html != null) {
            Files.writeString(html, page.note(NOTE).html());
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("environment", environment);
        all.put(
                "runs",
                runs.stream()
                        .map(r -> {
                            Map<String, Object> run = new LinkedHashMap<>();
                            run.put("server", r.server());
                            run.put("perConnection", r.load().perConnection());
                            run.put("round", r.round());
                            run.put("load", r.machineLoad());
                            run.put("serverCpuNs", r.serverCpuNs());
                            run.put("cpuUsPerRequest", r.cpuUs());
                            run.putAll(LoadReport.json(r.load().clients(), r.result()));
                            return run;
                        })
                        .toList());
        options.write(all);
    }
}
