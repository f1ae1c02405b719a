// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Children;
import io.mely.bench.Commands;
import io.mely.bench.load.PipelinedClient.Outcome;
import io.mely.bench.load.PipelinedClient.WrongAnswerException;
import io.mely.bench.paper.Trial;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Json;
import io.mely.bench.report.Order;
import io.mely.bench.report.Stat;
import io.mely.bench.report.TextTable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code netty}: what the fast requests of a Netty server wait for when a few requests are slow, by where the handler runs. */
@Command(
        name = "netty",
        mixinStandardHelpOptions = true,
        description =
                "Asks a Netty HTTP server in a JVM of its own, some of whose requests burn CPU, and prints how long the fast"
                        + " ones take, from the planned arrival. The client is a thread of this JVM.")
public final class NettyCommand implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final int WRONG_ANSWERS = 3;
    private static final int STOP_S = 10;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(
            names = "--engine",
            split = ",",
            description = "Only these (default: all): netty (the handler on the event loop), netty-group (in a"
                    + " DefaultEventExecutorGroup), netty-nonsticky (in a NonStickyEventExecutorGroup), mely-loops (on Mely's"
                    + " CoreEventLoopGroup), mely-stage (in a stage of those cores, the connection as color), mely-group (in a ColorEventExecutorGroup of those cores), netty-mely-stage (in a stage"
                    + " beside Netty's own loops).")
    private List<String> engines = List.of();

    @Option(names = "--connections", description = "Kept alive (default: ${DEFAULT-VALUE}).")
    private int connections = 32;

    @Option(names = "--rate", description = "Requests a second, of all connections (default: ${DEFAULT-VALUE}).")
    private double rate = 4_000;

    @Option(names = "--slow-percent", description = "Of the requests (default: ${DEFAULT-VALUE}).")
    private double slowPercent = 1;

    @Option(names = "--slow-us", description = "CPU time of a slow request (default: ${DEFAULT-VALUE}).")
    private int slowUs = 5_000;

    @Option(
            names = "--threads",
            description = "Event loops, and threads of what runs the handler elsewhere (default: ${DEFAULT-VALUE}).")
    private int threads = 2;

    @Option(names = "--pinned", description = "Mely pins its cores.")
    private boolean isPinned;

    @Option(names = "--rounds", description = "Of all contenders, each in a fresh JVM (default: ${DEFAULT-VALUE}).")
    private int rounds = 3;

    @Option(names = "--warm-seconds", description = "Under the same load, not measured (default: ${DEFAULT-VALUE}).")
    private double warmSeconds = 5;

    @Option(names = "--seconds", description = "Measured, then (default: ${DEFAULT-VALUE}).")
    private double seconds = 10;

    @Option(names = "--timeout-s", description = "After which an answer is taken for lost (default: ${DEFAULT-VALUE}).")
    private int timeoutS = 20;

    @Option(names = "--json", description = "Writes every run.")
    private @Nullable Path json;

    private NettyCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code netty}
     * @return 0; 1 if it could not run; 2 for wrong options; 3 if an answer was missing or wrong
     */
    public static int execute(String... args) {
        return Commands.execute(new NettyCommand(), args);
    }

    /** A contender in a round. */
    private record Run(String engine, int round, Outcome outcome) {
        static double ms(Histogram histogram, double percentile) {
            return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getValueAtPercentile(percentile) / 1e6;
        }

        double cpuPercent(long cpuNs) {
            return 100.0 * cpuNs / outcome.elapsedNs();
        }

        Map<String, Object> json() {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("engine", engine);
            all.put("round", round);
            all.put("fastRequests", outcome.fast().getTotalCount());
            all.put("slowRequests", outcome.slow().getTotalCount());
            COLUMNS.forEach((name, figure) -> all.put(name, figure.applyAsDouble(this)));
            return all;
        }
    }

    private static final Map<String, ToDoubleFunction<Run>> COLUMNS = new LinkedHashMap<>();

    static {
        COLUMNS.put("p50 ms", run -> Run.ms(run.outcome().fast(), 50));
        COLUMNS.put("p99 ms", run -> Run.ms(run.outcome().fast(), 99));
        COLUMNS.put("p99.9 ms", run -> Run.ms(run.outcome().fast(), 99.9));
        COLUMNS.put("max ms", run -> Run.ms(run.outcome().fast(), 100));
        COLUMNS.put("apart p99 ms", run -> Run.ms(run.outcome().apart(), 99));
        COLUMNS.put("slow p50 ms", run -> Run.ms(run.outcome().slow(), 50));
        COLUMNS.put("slow p99 ms", run -> Run.ms(run.outcome().slow(), 99));
        COLUMNS.put("late p99 ms", run -> Run.ms(run.outcome().late(), 99));
        COLUMNS.put("server CPU %", run -> run.cpuPercent(run.outcome().serverCpuNs()));
        COLUMNS.put("client CPU %", run -> run.cpuPercent(run.outcome().clientCpuNs()));
    }

    private static final String NOTE =
            "Medians of the rounds, in brackets the p99's least and most. p50 to max: of the fast"
                    + " requests, from the planned arrival to the answer. apart: of those that came when their connection owed no answer to"
                    + " a slow one, as HTTP/1.1 keeps answers in order. late: what the client itself was late by, which is inside"
                    + " them. Each contender and round has a fresh server JVM; the client is a thread of another.";

    private final List<Run> runs = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<String> names =
                engines.isEmpty() ? List.copyOf(NettyContenders.all().keySet()) : engines;
        if (!NettyContenders.all().keySet().containsAll(names)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--engine: there are " + NettyContenders.all().keySet() + ": " + names);
        }
        boolean isWrong = connections < 1
                || !(rate > 0 && rate < 1e9)
                || !(slowPercent >= 0 && slowPercent <= 100)
                || slowUs < 1
                || threads < 1
                || rounds < 1
                || !(warmSeconds >= 0)
                || !(seconds > 0)
                || timeoutS < 1;
        if (isWrong) {
            throw new ParameterException(
                    spec.commandLine(),
                    "connections, slow-us, threads, rounds, timeout-s must be >= 1; rate, seconds > 0; warm-seconds >= 0;"
                            + " slow-percent 0 to 100");
        }
        PrintWriter progress = spec.commandLine().getErr();
        SlowService service = new SlowService((int) (slowUs * 1e3 / Trial.nsPerCycle()));
        try {
            for (int round = 0; round < rounds; round++) {
                for (String name : Order.of(names, round)) {
                    progress.printf("round %d of %d: %s%n", round + 1, rounds, name);
                    progress.flush();
                    runs.add(new Run(name, round, measure(name, service, round)));
                }
            }
        } catch (WrongAnswerException e) {
            progress.println("netty: WRONG: " + e.getMessage());
            return WRONG_ANSWERS;
        } catch (IOException e) {
            progress.println("netty: " + e.getMessage());
            return CANNOT_RUN;
        }
        write(names);
        return 0;
    }

    /** The same plan for all contenders of a round. */
    private Outcome measure(String name, SlowService service, int round) throws IOException, InterruptedException {
        long warmNs = (long) (warmSeconds * 1e9);
        SlowPlan plan =
                SlowPlan.draw(connections, rate, slowPercent / 100, warmNs, warmNs + (long) (seconds * 1e9), 1 + round);
        Process server = start(name, service);
        try (PipelinedClient client = new PipelinedClient(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port(server)), plan, service)) {
            return client.run(() -> cpuNs(server), TimeUnit.SECONDS.toNanos(timeoutS));
        } catch (WrongAnswerException e) {
            throw (WrongAnswerException) new WrongAnswerException(name + ": " + e.getMessage()).initCause(e);
        } finally {
            server.destroy();
            if (!server.waitFor(STOP_S, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
    }

    private Process start(String name, SlowService service) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                NettyServer.class.getName(),
                name,
                Integer.toString(threads),
                Boolean.toString(isPinned),
                Integer.toString(service.slowCycles())));
        return Children.endWithUs(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    private static int port(Process server) throws IOException {
        BufferedReader says =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.ISO_8859_1));
        String line = says.readLine();
        if (line == null || !line.startsWith(NettyServer.READY)) {
            throw new IOException("the server does not start: " + line);
        }
        return Integer.parseInt(line.substring(NettyServer.READY.length()));
    }

    private static long cpuNs(Process server) {
        return server.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }

    private void write(List<String> names) throws IOException {
        Map<String, String> environment = Environment.describe();
        environment.put(
                "load",
                String.format(
                        Locale.ROOT,
                        "%.0f requests/s on %d connections, Poisson, %.1f %% of %d us CPU",
                        rate,
                        connections,
                        slowPercent,
                        slowUs));
        environment.put("threads", threads + (isPinned ? ", Mely's pinned" : ", not pinned"));
        environment.put("rounds", rounds + " of " + seconds + " s after " + warmSeconds + " s each");
        PrintWriter out = spec.commandLine().getOut();
        environment.forEach((name, value) -> out.printf("%s: %s%n", name, value));
        List<String> titles = new ArrayList<>(List.of("contender"));
        titles.addAll(COLUMNS.keySet());
        out.printf(
                "%n%s%n%s%n", TextTable.of(titles, names.stream().map(this::row).toList()), NOTE);
        out.flush();
        if (json != null) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("environment", environment);
            all.put("runs", runs.stream().map(Run::json).toList());
            Files.writeString(json, Json.write(all));
        }
    }

    private List<String> row(String name) {
        List<Run> same = runs.stream().filter(run -> run.engine().equals(name)).toList();
        List<String> row = new ArrayList<>(List.of(name));
        COLUMNS.forEach((title, figure) -> {
            Stat stat = Stat.of(same, figure);
            String median = number(stat.median());
            row.add(
                    title.endsWith("p99 ms") && !title.startsWith("late")
                            ? median + " (" + stat.spread(NettyCommand::number) + ")"
                            : median);
        });
        return row;
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.2f", value);
    }
}
