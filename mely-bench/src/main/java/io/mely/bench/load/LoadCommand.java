// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Commands;
import io.mely.bench.load.LoadReport.Wave;
import io.mely.bench.report.Environment;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code load}: loads an HTTP server. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        description = "Loads an HTTP/1.1 server with virtual clients: closed loop, or open loop with --rate.")
public final class LoadCommand implements Callable<Integer> {
    private static final int REQUESTS_FAILED = 3;
    private static final int CANNOT_RUN = 1;

    /** 65,600 directories, 340 GB. */
    private static final int SPEC_LOAD_MAX = 100_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "URL", description = "http://HOST:PORT/PATH")
    private @Nullable URI url;

    @Option(names = "--path", description = "One more path to ask for, in turn with the URL's. May be repeated.")
    private List<String> paths = List.of();

    @Option(
            names = "--clients",
            paramLabel = "N or MIN:MAX:STEP",
            description = "Virtual clients, or waves of more and more (default: ${DEFAULT-VALUE}).")
    private String clients = "100";

    @Option(
            names = "--requests",
            description =
                    "Requests a client sends on a connection; 0: no end (default: ${DEFAULT-VALUE}, as the papers').")
    private int perConnection = 150;

    @Option(names = "--seconds", description = "Measured time of a run (default: ${DEFAULT-VALUE}).")
    private double seconds = 30;

    @Option(names = "--warm-seconds", description = "Before it (default: ${DEFAULT-VALUE}).")
    private double warmSeconds = 5;

    @Option(names = "--repeat", description = "Runs of each wave (default: ${DEFAULT-VALUE}).")
    private int repeat = 3;

    @Option(names = "--pause-ms", description = "Between runs (default: ${DEFAULT-VALUE}).")
    private long pauseMs = 1_000;

    @Option(
            names = "--rate",
            description =
                    "Open loop: requests (with --sessions: sessions) a second, of all clients. Latency then counts from"
                            + " the instant a request was due.")
    private double rate;

    @Option(names = "--even", description = "With --rate: evenly spaced, not at random.")
    private boolean isEven;

    @Option(
            names = "--seed",
            description = "Of the random instants, and of the choice of files (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = "--threads", description = "That run the clients (default: as many as CPUs).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--timeout-ms", description = "After which a request is given up (default: ${DEFAULT-VALUE}).")
    private long timeoutMs = 10_000;

    @Option(
            names = "--close",
            description = "How a client closes: reset (leaves no TIME_WAIT behind) or fin (default: ${DEFAULT-VALUE}).")
    private String close = "reset";

    @Option(names = "--header", description = "One more line of each request, as 'Name: value'. May be repeated.")
    private List<String> headers = List.of();

    @Option(names = "--status", description = "That is right (default: ${DEFAULT-VALUE}).")
    private int status = 200;

    @Option(
            names = "--root",
            description =
                    "The folder that the server serves: lengths and checksums of responses are compared with its files."
                            + " Without it with the first response of each path.")
    private @Nullable Path root;

    @Option(names = "--checksum", description = "Compares bodies by CRC-32C, not only lengths. Implied by --root.")
    private boolean isChecked;

    @Option(names = "--sessions", description = "A session log of httperf: what clients ask for, in place of paths.")
    private @Nullable Path sessions;

    @Option(
            names = "--specweb",
            paramLabel = "LOAD",
            description =
                    "Asks for SPECweb99's files for so many connections, in its shares, below the URL and in place of paths."
                            + " With --root lengths and checksums are known beforehand.")
    private int specLoad;

    @Option(names = "--make-files", description = "With --specweb: writes them below --root, and does nothing else.")
    private boolean isMaking;

    @Option(names = "--slaves", split = ",", paramLabel = "HOST:PORT", description = "Let these run it.")
    private List<String> slaves = List.of();

    @Option(names = "--slave", paramLabel = "PORT", description = "Wait for masters, and do what they ask for.")
    private int slavePort = -1;

    @Option(names = "--bind", description = "With --slave: the address to wait at (default: ${DEFAULT-VALUE}).")
    private String bind = "127.0.0.1";

    @Option(names = "--json", description = "Writes every run.")
    private @Nullable Path json;

    @Option(names = "--html", description = "Writes a page with plots.")
    private @Nullable Path html;

    @Option(names = "--hdr", paramLabel = "DIR", description = "Writes HdrHistogram files.")
    private @Nullable Path hdr;

    private LoadCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code load}
     * @return 0; 1 if it could not run; 2 for wrong options; 3 if requests failed
     */
    public static int execute(String... args) {
        return Commands.execute(new LoadCommand(), args);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter progress = spec.commandLine().getErr();
        if (slavePort >= 0) {
            try (Slave slave = new Slave(new ServerSocket(slavePort, 0, InetAddress.getByName(bind)))) {
                progress.println("slave at " + bind + ":" + slave.port());
                progress.flush();
                slave.run();
            }
            return 0;
        }
        if (specLoad < 0 || specLoad > SPEC_LOAD_MAX) {
            throw wrong("--specweb: 1 to " + SPEC_LOAD_MAX + ": " + specLoad);
        }
        if (isMaking) {
            Path folder = root;
            if (specLoad == 0 || folder == null) {
                throw wrong("--make-files: with --specweb and --root");
            }
            try {
                SpecWeb.write(folder, SpecWeb.files(specLoad));
            } catch (IOException e) {
                progress.println("load: " + e);
                return CANNOT_RUN;
            }
            return 0;
        }
        List<Integer> waves = waves();
        Plan plan = plan();
        Map<String, String> environment = Environment.describe();
        environment.put("server", plan.host() + ":" + plan.port());
        if (specLoad > 0) {
            environment.put(
                    "files",
                    "SPECweb99's for " + specLoad + " connections: "
                            + plan.targets().size());
        }
        environment.put("requests per connection", perConnection == 0 ? "no end" : Integer.toString(perConnection));
        environment.put(
                "loop", plan.isOpen() ? "open, " + rate + "/s, " + (isEven ? "evenly spaced" : "Poisson") : "closed");
        environment.put("run", seconds + " s after " + warmSeconds + " s, " + repeat + " times");
        environment.put("threads", threads + (slaves.isEmpty() ? "" : ", on each of " + slaves));
        LoadReport report = new LoadReport(environment, plan);
        try (Master master = slaves.isEmpty() ? null : new Master(addresses())) {
            for (int i = 0; i < waves.size(); i++) {
                List<Result> runs = new ArrayList<>();
                for (int run = 0; run < repeat; run++) {
                    if (i + run > 0) {
                        TimeUnit.MILLISECONDS.sleep(pauseMs);
                    }
                    String name = "wave " + (i + 1) + " of " + waves.size() + ", " + waves.get(i) + " clients, run "
                            + (run + 1) + " of " + repeat;
                    Plan wave = plan.withClients(waves.get(i));
                    Injector.Progress each = new Second(progress, name);
                    runs.add(master == null ? Injector.run(wave, each) : master.run(wave, each));
                }
                report.add(new Wave(waves.get(i), runs));
            }
        } catch (IOException e) {
            progress.println("load: " + e.getMessage());
            return CANNOT_RUN;
        }
        spec.commandLine().getOut().print(report.text());
        spec.commandLine().getOut().flush();
        if (json != null) {
            Files.writeString(json, report.json());
        }
        if (html != null) {
            Files.writeString(html, report.html());
        }
        if (hdr != null) {
            report.writeHistograms(hdr);
        }
        return report.hasErrors() ? REQUESTS_FAILED : 0;
    }

    /** A line a second. */
    private static final class Second implements Injector.Progress {
        private final PrintWriter out;
        private final String name;
        private int second;
        private long responsesBefore;

        Second(PrintWriter out, String name) {
            this.out = out;
            this.name = name;
        }

        @Override
        public void at(long responses, long errors) {
            second++;
            out.printf("%s: %d s, %,d responses/s, %,d errors%n", name, second, responses - responsesBefore, errors);
            out.flush();
            responsesBefore = responses;
        }
    }

    private List<Integer> waves() {
        String[] parts = clients.split(":", -1);
        try {
            int min = Integer.parseInt(parts[0]);
            int max = parts.length == 3 ? Integer.parseInt(parts[1]) : min;
            int step = parts.length == 3 ? Integer.parseInt(parts[2]) : 1;
            if (parts.length == 2 || parts.length > 3 || min < 1 || max < min || step < 1) {
                throw wrong("--clients: N or MIN:MAX:STEP, all >= 1: " + clients);
            }
            List<Integer> waves = new ArrayList<>();
            for (int wave = min; wave <= max; wave += step) {
                waves.add(wave);
            }
            return waves;
        } catch (NumberFormatException e) {
            throw wrong("--clients: not a number: " + clients);
        }
    }

    private Plan plan() throws IOException {
        URI to = url;
        if (to == null || !"http".equals(to.getScheme()) || to.getHost() == null) {
            throw wrong("the URL of the server is missing, or not http://HOST:PORT/PATH");
        }
        if (!(seconds > 0)
                || warmSeconds < 0
                || repeat < 1
                || rate < 0
                || threads < 1
                || timeoutMs < 1
                || pauseMs < 0) {
            throw wrong("seconds must be > 0; repeat, threads and timeout-ms >= 1; the others >= 0");
        }
        if (!close.equals("reset") && !close.equals("fin")) {
            throw wrong("--close: reset or fin: " + close);
        }
        String host = to.getHost().replaceAll("[\\[\\]]", "");
        String path = to.getRawPath().isEmpty() ? "/" : to.getRawPath();
        List<Target> targets = new ArrayList<>();
        String log = sessions == null ? "" : Files.readString(sessions);
        try {
            if (specLoad > 0) {
                String below = path.endsWith("/") ? path : path + "/";
                for (SpecWeb.File file : SpecWeb.files(specLoad)) {
                    targets.add(target(below + file.path(), file.share()));
                }
            } else {
                targets.add(target(path + (to.getRawQuery() == null ? "" : "?" + to.getRawQuery()), 1));
                for (String more : paths) {
                    targets.add(target(more, 1));
                }
            }
            if (!log.isEmpty()) {
                Session.parse(log.lines().toList());
            }
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        StringBuilder lines = new StringBuilder();
        for (String header : headers) {
            if (header.indexOf(':') < 1 || header.chars().anyMatch(c -> c < ' ')) {
                throw wrong("--header: 'Name: value': " + header);
            }
            lines.append(header).append("\r\n");
        }
        return new Plan(
                host,
                to.getPort() < 0 ? 80 : to.getPort(),
                1,
                threads,
                perConnection,
                (long) (warmSeconds * 1e3),
                Math.max(1, (long) (seconds * 1e3)),
                rate,
                !isEven,
                seed,
                timeoutMs,
                close.equals("reset"),
                isChecked || root != null,
                lines.toString(),
                targets,
                log,
                0);
    }

    private Target target(String path, double weight) throws IOException {
        Path folder = root;
        if (folder == null) {
            return new Target("GET", path, status, Target.ANY, Target.ANY, weight);
        }
        String name = path.replaceAll("[?#].*", "").substring(1);
        Path file = folder.resolve(name).normalize();
        if (!file.startsWith(folder.normalize()) || !Files.isRegularFile(file)) {
            throw new IllegalArgumentException("--root: there is no file " + file);
        }
        byte[] body = Files.readAllBytes(file);
        CRC32C checksum = new CRC32C();
        checksum.update(body);
        return new Target("GET", path, status, body.length, checksum.getValue(), weight);
    }

    private List<InetSocketAddress> addresses() {
        return slaves.stream()
                .map(text -> {
                    int colon = text.lastIndexOf(':');
                    try {
                        return new InetSocketAddress(
                                text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
                    } catch (RuntimeException e) {
                        throw wrong("--slaves: HOST:PORT: " + text);
                    }
                })
                .toList();
    }
}
