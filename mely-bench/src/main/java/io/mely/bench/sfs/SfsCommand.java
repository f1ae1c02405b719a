// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.sfs;

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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code sfs}: the papers' experiment, {@link Multio}. Servers take turns, round by round. <b>Source.</b> spec: Mely §7.4; libasync-smp §5.3.
 */
@Command(
        name = "sfs",
        mixinStandardHelpOptions = true,
        description = "N clients (OpenSSH's sftp) read a cached file: SFS beside sshd and on the papers' runtimes;"
                + " throughput, how even it is, CPU time and copies per byte.")
public final class SfsCommand implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final String FILE = "file";
    private static final int CHUNK_BYTES = 1 << 20;
    private static final double MEGA = 1e6;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(
            names = "--server",
            split = ",",
            description = "sfs; sshd; in the papers' colors mely, mely-off, libasync (one core), libasync-mp,"
                    + " libasync-smp, libasync-smp-ws, copies (one of one core for each core); all but sshd with"
                    + " :KEY=VALUE;... of SFS's configuration behind (default: sfs,sshd).")
    private List<String> names = List.of(Engine.SFS, Engine.SSHD);

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

    @Option(
            names = "--cores",
            split = ",",
            description =
                    "Of the server, sshd too; with fewer than there are CPUs it has the first ones, and the clients"
                            + " the others, by taskset (default: all CPUs).")
    private List<Integer> cores = List.of(Runtime.getRuntime().availableProcessors());

    @Option(names = "--java", description = "Program that runs SFS (default: this one).")
    private String java =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @Option(names = "--java-option", description = "For SFS; may be given several times.")
    private List<String> javaOptions = List.of();

    @Option(names = "--json", description = "Writes every round.")
    private @Nullable Path json;

    @Option(
            names = "--profile",
            paramLabel = "FILE",
            description = "In place of a comparison: writes a profile for simulate, of SFS in the papers' colors on the"
                    + " first number of cores, with the first number of clients.")
    private @Nullable Path profile;

    @Option(
            names = "--ciphers",
            description = "In place of a comparison: what ciphers alone take, and the kernel's part.")
    private boolean isOfCiphers;

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

    @Override
    public Integer call() throws Exception {
        check(rounds > 0 && warmUpRounds >= 0 && megabytes > 0, "numbers must be positive");
        check(cores.stream().allMatch(each -> each > 0), "--cores must be positive: " + cores);
        check(clients.stream().allMatch(each -> each > 0), "--clients must be positive: " + clients);
        List<Engine> engines = new ArrayList<>();
        try {
            names.forEach(name -> engines.add(Engine.of(name)));
        } catch (IllegalArgumentException unknown) {
            throw new ParameterException(spec.commandLine(), String.valueOf(unknown.getMessage()));
        }
        PrintWriter out = spec.commandLine().getOut();
        if (isOfCiphers) {
            Map<String, Object> report = new LinkedHashMap<>(Environment.describe());
            report.put("ciphers", CipherTable.measure(rounds, out));
            write(report);
            return 0;
        }
        List<String> missing = Stream.of("sftp", "ssh-keygen", "taskset")
                .filter(program -> !isProgram(program))
                .collect(Collectors.toCollection(ArrayList::new));
        engines.stream().filter(each -> !SftpServerProcess.isThere(each)).forEach(each -> missing.add(each.name()));
        if (!missing.isEmpty()) {
            out.println("not installed: " + missing);
            out.flush();
            return CANNOT_RUN;
        }
        Path folder = Files.createTempDirectory("sfs-bench");
        try {
            measure(engines, folder, out);
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

    private void measure(List<Engine> engines, Path folder, PrintWriter out) throws Exception {
        Path root = Files.createDirectory(folder.resolve("root"));
        write(root.resolve(FILE));
        keygen(folder.resolve("id"));
        keygen(folder.resolve("ssh_host_ed25519_key"));
        Map<String, Object> report = new LinkedHashMap<>(Environment.describe());
        List<Integer> cpus = Cpus.allowed();
        Path toRecord = profile;
        if (toRecord != null) {
            record(folder, root, cpus, toRecord.toAbsolutePath());
            out.println("profile: " + toRecord);
            out.flush();
            return;
        }
        for (int count : cores) {
            SftpServerProcess.Setting setting = setting(folder, root, cpus, count, null);
            Multio load = load(folder, cpus, count);
            Map<String, SftpServerProcess> servers = new LinkedHashMap<>();
            try {
                for (Engine each : engines) {
                    servers.put(each.name(), SftpServerProcess.start(each, setting));
                }
                for (int many : clients) {
                    Map<String, List<Multio.Round>> results = measure(servers, load, many);
                    out.printf(
                            Locale.ROOT,
                            "%d core(s)%s, %d client(s), %s, %d MB each, %d rounds%n",
                            count,
                            setting.cpus().isEmpty() ? "" : ", clients on other CPUs",
                            many,
                            cipher,
                            megabytes,
                            rounds);
                    out.println(table(results));
                    out.flush();
                    Map<String, Object> each = new LinkedHashMap<>();
                    results.forEach((name, all) ->
                            each.put(name, all.stream().map(SfsCommand::asMap).toList()));
                    report.put("cores " + count + ", clients " + many, each);
                }
            } finally {
                servers.values().forEach(SftpServerProcess::close);
            }
            Map<String, Object> copies = new LinkedHashMap<>();
            for (Map.Entry<String, SftpServerProcess> each : servers.entrySet()) {
                double ofByte = each.getValue().copiesPerByte();
                if (!Double.isNaN(ofByte)) {
                    copies.put(each.getKey(), ofByte);
                    out.printf(Locale.ROOT, "%s copied a byte %.3f times in its memory%n", each.getKey(), ofByte);
                }
            }
            out.flush();
            report.put("cores " + count + ", copies of a byte", copies);
        }
        write(report);
    }

    private SftpServerProcess.Setting setting(
            Path folder, Path root, List<Integer> cpus, int count, @Nullable Path toRecord) {
        return new SftpServerProcess.Setting(
                root,
                folder,
                folder.resolve("id.pub"),
                java,
                javaOptions,
                count,
                Cpus.ofServer(cpus, count),
                toRecord,
                WARM_SECONDS);
    }

    private Multio load(Path folder, List<Integer> cpus, int count) {
        return new Multio(folder, cipher, Cpus.ofClients(cpus, count), FILE, megabytes * MEGA);
    }

    /** The compilers need 4 to 9 s (docs/benchmarks-method.md). */
    private static final long WARM_SECONDS = 10;

    /** A profile of what SFS does in the papers' colors, under load all the time. */
    private void record(Path folder, Path root, List<Integer> cpus, Path toRecord) throws Exception {
        int count = cores.get(0);
        Multio load = load(folder, cpus, count);
        long startNs = System.nanoTime();
        try (SftpServerProcess server =
                SftpServerProcess.start(Engine.of(Engine.RECORDED), setting(folder, root, cpus, count, toRecord))) {
            int counted = 0;
            while (counted < rounds) {
                boolean isWarm = System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(WARM_SECONDS);
                load.run(server, clients.get(0));
                counted += isWarm ? 1 : 0;
            }
        }
        check(Files.isReadable(toRecord), "--profile can't be written: " + toRecord);
    }

    private void write(Map<String, Object> report) throws IOException {
        Path file = json;
        if (file != null) {
            Files.writeString(file, Json.write(report));
        }
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

    private Map<String, List<Multio.Round>> measure(Map<String, SftpServerProcess> servers, Multio load, int count)
            throws Exception {
        Map<String, List<Multio.Round>> results = new LinkedHashMap<>();
        names.forEach(name -> results.put(name, new ArrayList<>()));
        for (int round = -warmUpRounds; round < rounds; round++) {
            for (String name : Order.of(names, Math.max(0, round))) {
                Multio.Round done = load.run(Objects.requireNonNull(servers.get(name)), count);
                if (round >= 0) {
                    Objects.requireNonNull(results.get(name)).add(done);
                }
            }
        }
        return results;
    }

    private String table(Map<String, List<Multio.Round>> results) {
        List<List<String>> rows = new ArrayList<>();
        String first = names.get(0);
        List<Multio.Round> base = Objects.requireNonNull(results.get(first));
        results.forEach((name, all) -> {
            double[] ratios = new double[all.size()];
            double[] costs = new double[all.size()];
            for (int i = 0; i < ratios.length; i++) {
                ratios[i] = base.get(i).bytesPerS() / all.get(i).bytesPerS();
                costs[i] = base.get(i).cpuNsPerByte() / all.get(i).cpuNsPerByte();
            }
            rows.add(List.of(
                    name,
                    show(Stat.of(all, each -> each.bytesPerS() / MEGA), "%.0f"),
                    show(Stat.of(all, Multio.Round::slowestShare), "%.2f"),
                    show(Stat.of(all, Multio.Round::cpuNsPerByte), "%.2f"),
                    show(Stat.of(ratios), "%.2f"),
                    show(Stat.of(costs), "%.2f")));
        });
        return TextTable.of(
                List.of(
                        "server",
                        "MB/s",
                        "slowest/fastest client",
                        "CPU ns/byte",
                        first + "'s speed to it",
                        first + "'s CPU to it"),
                rows);
    }

    private static String show(Stat stat, String format) {
        return String.format(Locale.ROOT, format, stat.median()) + " ("
                + stat.spread(value -> String.format(Locale.ROOT, format, value)) + ")";
    }

    private static Map<String, Object> asMap(Multio.Round round) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("bytes per s", round.bytesPerS());
        map.put("clients, bytes per s", round.clientBytesPerS());
        map.put("cpu ns per byte", round.cpuNsPerByte());
        return map;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
