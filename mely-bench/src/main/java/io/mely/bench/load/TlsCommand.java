// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Commands;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Order;
import io.mely.bench.report.Stat;
import io.mely.bench.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code tls}: SWS over TLS beside nginx, with the same certificate, versions and ciphers, round by round. The loads are those of wrk and of {@code openssl s_time}, which
 * must be installed, and of {@link H2load}, without which those of HTTP/2 are left out.
 */
@Command(
        name = "tls",
        mixinStandardHelpOptions = true,
        description =
                "Loads SWS with BoringSSL, with the JDK's TLS, and nginx in turn over https, and prints rates and CPU.")
public final class TlsCommand implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final long LARGE_BYTES = 1 << 20;
    private static final long SMALL_BYTES = 1_024;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(names = "--server", split = ",", description = "Of sws-tls, sws-tls-jdk, nginx-tls (default: all).")
    private List<String> names = List.of("sws-tls", "sws-tls-jdk", "nginx-tls");

    @Option(names = "--beside", description = "Whom ratios are to (default: ${DEFAULT-VALUE}).")
    private String reference = "nginx-tls";

    @Option(names = "--load", split = ",", description = "Of ${COMPLETION-CANDIDATES} (default: all but H2C).")
    private List<TlsLoad> loads = TlsLoad.secure();

    @Option(
            names = "--key",
            description = "Of the certificate: ec (P-256) or rsa (2048 bits; default: ${DEFAULT-VALUE}).")
    private String key = "ec";

    @Option(
            names = "--cpus",
            paramLabel = "SERVER/CLIENT",
            description = "CPUs as taskset takes them, such as 0/1 (default: nothing is pinned).")
    private String cpus = "";

    @Option(names = "--rounds", description = "(default: ${DEFAULT-VALUE})")
    private int rounds = 3;

    @Option(names = "--warm-rounds", description = "Before those, not counted (default: ${DEFAULT-VALUE}).")
    private int warmRounds = 1;

    @Option(names = "--seconds", description = "Of each (default: ${DEFAULT-VALUE}).")
    private int seconds = 3;

    /** Folders of programs. */
    private final String path;

    private TlsCommand(String path) {
        this.path = path;
    }

    /** A server under a load in a round. */
    private record Run(TlsLoad load, String server, int round, double perS, double cpuUs) {}

    private final List<Run> runs = new ArrayList<>();

    /**
     * Runs the command.
     *
     * @param args without the word {@code tls}
     * @return 0; 1 if it could not run, or requests failed; 2 for wrong options
     */
    public static int execute(String... args) {
        return executeIn(System.getenv().getOrDefault("PATH", ""), args);
    }

    /** The same with the programs of other folders than the PATH's. */
    static int executeIn(String path, String... args) {
        return Commands.execute(new TlsCommand(path), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        String[] pins = cpus.isEmpty() ? new String[] {"", ""} : cpus.split("/", -1);
        if (pins.length != 2 || rounds < 1 || warmRounds < 0 || seconds < 1 || !key.matches("ec|rsa")) {
            throw new ParameterException(
                    spec.commandLine(),
                    "cpus is SERVER/CLIENT; rounds and seconds >= 1; warm-rounds >= 0; key is ec or rsa");
        }
        Map<String, String> environment = Environment.describe();
        environment.put("servers", pins[0].isEmpty() ? "not pinned" : "pinned to CPUs " + pins[0]);
        environment.put("clients", pins[1].isEmpty() ? "not pinned" : "pinned to CPUs " + pins[1]);
        environment.put("key", key);
        environment.put("rounds", rounds + " of " + seconds + " s after " + warmRounds);
        PrintWriter progress = spec.commandLine().getErr();
        if (!H2load.isIn(path) && loads.stream().anyMatch(TlsLoad::isHttp2)) {
            progress.println("tls: h2load is not installed (Debian: nghttp2-client), so nothing is measured by HTTP/2");
            loads = loads.stream().filter(load -> !load.isHttp2()).toList();
            if (loads.isEmpty()) {
                return CANNOT_RUN;
            }
        }
        List<Server> servers = new ArrayList<>();
        Site site = Site.create();
        try {
            site.write(CompareCommand.FILE, SMALL_BYTES, 1);
            site.write(TlsLoad.LARGE_FILE, LARGE_BYTES, 2);
            makeCertificate(site.dir(), key);
            Server.Setting setting =
                    options.setting(site, SMALL_BYTES, pins[0], Generator.count(pins[0]), List.of(), Map.of());
            List<String> all = loads.stream()
                    .flatMap(load -> load.servers(names).stream())
                    .distinct()
                    .toList();
            for (String name : all) {
                servers.add(Server.start(name, setting));
            }
            for (int turn = 0; turn < warmRounds + rounds; turn++) {
                for (TlsLoad load : loads) {
                    List<Server> some = servers.stream()
                            .filter(server -> load.servers(names).contains(server.name))
                            .toList();
                    for (Server server : Order.of(some, turn)) {
                        progress.printf("%d of %d: %s: %s%n", turn + 1, warmRounds + rounds, load, server.name);
                        progress.flush();
                        Run run = run(server, load, turn - warmRounds, pins[1], site.dir());
                        if (run.round() >= 0) {
                            runs.add(run);
                        }
                    }
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            progress.println("tls: " + e.getMessage());
            return CANNOT_RUN;
        } finally {
            for (Server server : servers) {
                server.close();
            }
            site.close();
        }
        write(environment);
        return 0;
    }

    /**
     * Makes one for this machine, and signs it itself.
     *
     * @param key ec or rsa
     */
    static void makeCertificate(Path dir, String key) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost"));
        command.addAll(
                key.equals("ec")
                        ? List.of("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
                        : List.of("-newkey", "rsa:2048"));
        command.addAll(List.of(
                "-keyout",
                dir.resolve(Server.KEY).toString(),
                "-out",
                dir.resolve(Server.CERTIFICATE).toString()));
        String unused = output(command, dir);
        Files.setPosixFilePermissions(dir.resolve(Server.KEY), PosixFilePermissions.fromString("rw-------"));
    }

    private Run run(Server server, TlsLoad load, int round, String pins, Path dir)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (!pins.isEmpty()) {
            command.addAll(List.of("taskset", "-c", pins));
        }
        command.addAll(load.command(server.port, seconds));
        long cpuBeforeNs = server.cpuNs();
        String output = output(command, dir);
        long cpuNs = server.cpuNs() - cpuBeforeNs;
        try {
            TlsLoad.Outcome outcome = load.outcome(output);
            return new Run(load, server.name, round, outcome.perS(), cpuNs / 1e3 / outcome.requests());
        } catch (IOException e) {
            throw new IOException(server.name + ", " + load + ": " + e.getMessage(), e);
        }
    }

    /** What a program says, if it ends well. */
    static String output(List<String> command, Path dir) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
        return output;
    }

    // ------------------------------------------------------------------ report

    private String figure(TlsLoad load, String server, ToDoubleFunction<Run> value, String format) {
        return median(
                runs.stream()
                        .filter(r -> r.load() == load && r.server().equals(server))
                        .mapToDouble(value)
                        .toArray(),
                format);
    }

    /** Within rounds. */
    private String ratio(TlsLoad load, String server, ToDoubleFunction<Run> value) {
        String to = load.reference(reference);
        double[] ratios = runs.stream()
                .filter(mine -> mine.load() == load && mine.server().equals(server))
                .flatMapToDouble(mine -> runs.stream()
                        .filter(r -> r.load() == load && r.server().equals(to) && r.round() == mine.round())
                        .mapToDouble(r -> value.applyAsDouble(mine) / value.applyAsDouble(r)))
                .toArray();
        return ratios.length == 0 ? "-" : median(ratios, "%.2f");
    }

    private static String median(double[] values, String format) {
        Stat stat = Stat.of(values);
        return String.format(
                Locale.ROOT, format + " (" + format + "-" + format + ")", stat.median(), stat.least(), stat.most());
    }

    private void write(Map<String, String> environment) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        environment.forEach((name, value) -> out.printf("%s: %s%n", name, value));
        for (TlsLoad load : loads) {
            String to = "x " + load.reference(reference);
            List<List<String>> rows = load.servers(names).stream()
                    .map(name -> List.of(
                            name,
                            figure(load, name, Run::perS, "%,.0f"),
                            ratio(load, name, Run::perS),
                            figure(load, name, Run::cpuUs, "%,.1f"),
                            ratio(load, name, Run::cpuUs)))
                    .toList();
            out.printf(
                    "%n%s: %s%n%s",
                    load,
                    load.title,
                    TextTable.of(List.of("server", "requests/s", to, "CPU us/request", to + " "), rows));
        }
        out.flush();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("environment", environment);
        all.put(
                "runs",
                runs.stream()
                        .map(r -> Map.<String, Object>of(
                                "load", r.load().toString(),
                                "server", r.server(),
                                "round", r.round(),
                                "perS", r.perS(),
                                "cpuUsPerRequest", r.cpuUs()))
                        .toList());
        options.write(all);
    }
}
