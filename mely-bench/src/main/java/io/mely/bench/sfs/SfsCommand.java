// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

import io.mely.bench.Children;
import io.mely.bench.Commands;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Json;
import io.mely.bench.report.Order;
import io.mely.bench.report.Stat;
import io.mely.bench.report.TextTable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code sfs}: clients that each read one large file, which is in the server's memory, over a connection of their own: the papers' multio. The clients are OpenSSH's
 * {@code sftp}; each one's throughput is collected. Servers take turns, round by round.
 */
@Command(
        name = "sfs",
        mixinStandardHelpOptions = true,
        description =
                "N clients (OpenSSH's sftp) read a cached file: SFS beside sshd, throughput and CPU time per byte.")
public final class SfsCommand implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final String FILE = "file";
    private static final int CHUNK_BYTES = 1 << 20;
    private static final double MEGA = 1e6;
    private static final double NANO = 1e9;
    private static final int CLIENT_TIMEOUT_S = 300;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(
            names = "--server",
            split = ",",
            description = "sfs, sshd, or sfs:KEY=VALUE;... with settings of its configuration, such as"
                    + " sfs:stealing=off or sfs:default-color=true (default: sfs,sshd).")
    private List<String> names = List.of(SftpServerProcess.SFS, SftpServerProcess.SSHD);

    @Option(names = "--clients", split = ",", description = "Clients at once (default: ${DEFAULT-VALUE}).")
    private List<Integer> clients = List.of(1, 2);

    @Option(names = "--mb", description = "Length of the file, millions of bytes (default: ${DEFAULT-VALUE}).")
    private int megabytes = 200;

    @Option(names = "--cipher", description = "In SSH (default: ${DEFAULT-VALUE}).")
    private String cipher = "aes128-gcm@openssh.com";

    @Option(names = "--rounds", description = "That count (default: ${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(names = "--warm-up-rounds", description = "Before those (default: ${DEFAULT-VALUE}).")
    private int warmUpRounds = 4;

    @Option(names = "--cores", description = "Of SFS (default: as many as CPUs).")
    private int cores = Runtime.getRuntime().availableProcessors();

    @Option(names = "--java", description = "Program that runs SFS (default: this one).")
    private String java =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @Option(names = "--java-option", description = "For SFS; may be given several times.")
    private List<String> javaOptions = List.of();

    @Option(names = "--json", description = "Writes every round.")
    private @Nullable Path json;

    private SfsCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code sfs}
     * @return 0; 1 if it can't run here; 2 for wrong options
     */
    public static int execute(String... args) {
        return Commands.execute(new SfsCommand(), args);
    }

    /** One round of one server: what each client had, and what they cost. */
    private record Round(List<Double> clientBytesPerS, double bytesPerS, double cpuNsPerByte) {
        double slowestShare() {
            double most =
                    clientBytesPerS.stream().max(Comparator.naturalOrder()).orElseThrow();
            return clientBytesPerS.stream().min(Comparator.naturalOrder()).orElseThrow() / most;
        }
    }

    @Override
    public Integer call() throws Exception {
        check(rounds > 0 && warmUpRounds >= 0 && megabytes > 0 && cores > 0, "numbers must be positive");
        check(clients.stream().allMatch(each -> each > 0), "--clients must be positive: " + clients);
        for (String name : names) {
            check(SftpServerProcess.isKnown(name), "--server must be sfs, sfs:KEY=VALUE or sshd: " + name);
        }
        PrintWriter out = spec.commandLine().getOut();
        List<String> missing =
                names.stream().filter(name -> !SftpServerProcess.isThere(name)).toList();
        if (!missing.isEmpty() || !isProgram("sftp") || !isProgram("ssh-keygen")) {
            out.println("not installed: " + (missing.isEmpty() ? "OpenSSH's client" : missing));
            out.flush();
            return CANNOT_RUN;
        }
        Path folder = Files.createTempDirectory("sfs-bench");
        try {
            measure(folder, out);
        } finally {
            delete(folder);
        }
        return 0;
    }

    private void check(boolean isValid, String message) {
        if (!isValid) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    private static boolean isProgram(String name) {
        return Pattern.compile(":")
                .splitAsStream(String.valueOf(System.getenv("PATH")))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    private void measure(Path folder, PrintWriter out) throws Exception {
        Path root = Files.createDirectory(folder.resolve("root"));
        write(root.resolve(FILE));
        keygen(folder.resolve("id"));
        keygen(folder.resolve("ssh_host_ed25519_key"));
        SftpServerProcess.Setting setting =
                new SftpServerProcess.Setting(root, folder, folder.resolve("id.pub"), java, javaOptions, cores);
        Map<String, SftpServerProcess> servers = new LinkedHashMap<>();
        Map<String, Object> report = new LinkedHashMap<>(Environment.describe());
        try {
            for (String name : names) {
                servers.put(name, SftpServerProcess.start(name, setting));
            }
            for (int count : clients) {
                report.put("clients " + count, measure(servers, count, folder, out));
            }
        } finally {
            for (SftpServerProcess each : servers.values()) {
                each.close();
            }
        }
        double limit = cipherLimit();
        report.put("cipher ns per byte", limit);
        out.printf(
                Locale.ROOT,
                "AES-128-GCM of this JVM alone, one thread: %.2f ns per byte, %,.0f MB/s%n",
                limit,
                NANO / limit / MEGA);
        out.flush();
        Path file = json;
        if (file != null) {
            Files.writeString(file, Json.write(report));
        }
    }

    private static double cipherLimit() throws GeneralSecurityException {
        double best = Double.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            best = Math.min(best, CipherLimit.nsPerByte(1, TimeUnit.SECONDS));
        }
        return best;
    }

    private void write(Path file) throws IOException {
        byte[] chunk = new byte[CHUNK_BYTES];
        Random random = new Random(1);
        long left = (long) (megabytes * MEGA);
        try (OutputStream to = Files.newOutputStream(file)) {
            while (left > 0) {
                random.nextBytes(chunk);
                int n = (int) Math.min(left, chunk.length);
                to.write(chunk, 0, n);
                left -= n;
            }
        }
    }

    private static void keygen(Path file) throws IOException, InterruptedException {
        Process made = new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file.toString())
                .inheritIO()
                .start();
        if (made.waitFor() != 0) {
            throw new IOException("ssh-keygen failed: " + file);
        }
    }

    private Map<String, Object> measure(Map<String, SftpServerProcess> servers, int count, Path folder, PrintWriter out)
            throws Exception {
        Map<String, List<Round>> results = new LinkedHashMap<>();
        names.forEach(name -> results.put(name, new ArrayList<>()));
        for (int round = -warmUpRounds; round < rounds; round++) {
            for (String name : Order.of(names, Math.max(0, round))) {
                Round done = round(Objects.requireNonNull(servers.get(name)), count, folder);
                if (round >= 0) {
                    Objects.requireNonNull(results.get(name)).add(done);
                }
            }
        }
        List<List<String>> rows = new ArrayList<>();
        Map<String, Object> report = new LinkedHashMap<>();
        String first = names.get(0);
        results.forEach((name, all) -> {
            List<Round> base = Objects.requireNonNull(results.get(first));
            double[] ratios = new double[all.size()];
            double[] costs = new double[all.size()];
            for (int i = 0; i < ratios.length; i++) {
                ratios[i] = base.get(i).bytesPerS() / all.get(i).bytesPerS();
                costs[i] = base.get(i).cpuNsPerByte() / all.get(i).cpuNsPerByte();
            }
            rows.add(List.of(
                    name,
                    Stat.of(all, each -> each.bytesPerS() / MEGA).spread(value -> format("%.0f", value)),
                    Stat.of(all, Round::slowestShare).spread(value -> format("%.2f", value)),
                    Stat.of(all, Round::cpuNsPerByte).spread(value -> format("%.2f", value)),
                    Stat.of(ratios).spread(value -> format("%.2f", value)),
                    Stat.of(costs).spread(value -> format("%.2f", value))));
            report.put(name, all.stream().map(SfsCommand::asMap).toList());
        });
        out.printf(Locale.ROOT, "%d client(s), %s, %d MB each, %d rounds%n", count, cipher, megabytes, rounds);
        out.println(TextTable.of(
                List.of(
                        "server",
                        "MB/s",
                        "slowest/fastest client",
                        "CPU ns/byte",
                        first + "'s speed to it",
                        first + "'s CPU to it"),
                rows));
        out.flush();
        return report;
    }

    private static String format(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private static Map<String, Object> asMap(Round round) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("bytes per s", round.bytesPerS());
        map.put("clients, bytes per s", round.clientBytesPerS());
        map.put("cpu ns per byte", round.cpuNsPerByte());
        return map;
    }

    /** A client that is running. */
    private record Running(Process process, Path output, long startNs, CompletableFuture<Long> endNs) {}

    private Round round(SftpServerProcess server, int count, Path folder) throws Exception {
        double cpuBefore = server.cpuSeconds();
        long startNs = System.nanoTime();
        List<Running> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            running.add(client(server, folder, i));
        }
        List<Double> each = new ArrayList<>();
        double bytes = megabytes * MEGA;
        for (Running one : running) {
            if (!one.process.waitFor(CLIENT_TIMEOUT_S, TimeUnit.SECONDS)) {
                throw new IOException("a client did not end: " + Files.readString(one.output));
            }
            if (one.process.exitValue() != 0) {
                throw new IOException("a client failed: " + Files.readString(one.output));
            }
        }
        long endNs = System.nanoTime();
        for (Running one : running) {
            each.add(bytes * NANO / (one.endNs.join() - one.startNs));
        }
        double cpuS = server.cpuSeconds() - cpuBefore;
        return new Round(each, bytes * count * NANO / (endNs - startNs), cpuS * NANO / (bytes * count));
    }

    private Running client(SftpServerProcess server, Path folder, int index) throws IOException {
        Path commands =
                Files.writeString(folder.resolve("commands-" + index), "get " + server.remote(FILE) + " /dev/null\n");
        Path output = folder.resolve("client-" + index + ".log");
        long startNs = System.nanoTime();
        Process process = Children.endWithUs(new ProcessBuilder(
                        "sftp",
                        "-q",
                        "-c",
                        cipher,
                        "-P",
                        String.valueOf(server.port()),
                        "-F",
                        "none",
                        "-i",
                        folder.resolve("id").toString(),
                        "-o",
                        "IdentitiesOnly=yes",
                        "-o",
                        "StrictHostKeyChecking=no",
                        "-o",
                        "UserKnownHostsFile=/dev/null",
                        "-b",
                        commands.toString(),
                        System.getProperty("user.name") + "@127.0.0.1")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start());
        return new Running(process, output, startNs, process.onExit().thenApply(ended -> System.nanoTime()));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
