// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Commands;
import io.mely.bench.load.Result.Failure;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Stat;
import io.mely.bench.report.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code attacks}: what good clients of SWS see while it is attacked, in each of several ways, and while it is not, in turn. */
@Command(
        name = "attacks",
        mixinStandardHelpOptions = true,
        description =
                "Measures good clients of SWS over TLS, half of them by HTTP/2, in turn alone and beside each kind of attack.")
public final class AttacksCommand implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final int FAILED = 3;
    private static final long LARGE_BYTES = 5_000_000;
    private static final String LARGE = "/large.bin";
    private static final int WARM_WAVES = 3;
    private static final byte[] HALF_A_RECORD = {22, 3, 1, 2, 0, 1, 0, 1};
    private static final byte[] HALF_A_HEAD =
            "GET / HTTP/1.1\r\nHost: localhost\r\nX: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] A_LETTER = {'x'};

    /** As slowhttptest does. */
    private static final long LETTER_EVERY_NS = TimeUnit.SECONDS.toNanos(10);

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(names = "--attack", split = ",", description = "Of ${COMPLETION-CANDIDATES} (default: all).")
    private List<Attack> attacks = List.of(Attack.values());

    @Option(
            names = "--connections",
            description = "That are stuck in a handshake, or send their head by letters (default: ${DEFAULT-VALUE}).")
    private int connections = 5_000;

    @Option(
            names = "--attacks-per-s",
            description = "Of the others; each is a connection with some thousand frames (default: ${DEFAULT-VALUE}).")
    private double attacksPerS = 5;

    @Option(names = "--clients", description = "Good ones (default: ${DEFAULT-VALUE}).")
    private int clients = 20;

    @Option(names = "--rate", description = "Requests a second of the good clients (default: ${DEFAULT-VALUE}).")
    private double rate = 400;

    @Option(names = "--rounds", description = "(default: ${DEFAULT-VALUE})")
    private int rounds = 5;

    @Option(names = "--seconds", description = "Of each measurement (default: ${DEFAULT-VALUE}).")
    private double seconds = 4;

    private AttacksCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code attacks}
     * @return 0; 1 if it could not run; 2 for wrong options; 3 if a good client saw an error, or an attack had an answer that it should not have
     */
    public static int execute(String... args) {
        return Commands.execute(new AttacksCommand(), args);
    }

    /** Kinds of attacks. */
    enum Attack {
        /** Connections that send the half of a first record of TLS. */
        STUCK_HANDSHAKES(null),
        /** Connections without TLS that send a head letter by letter; the good clients ask by HTTP/1.1 without TLS, too. */
        SLOW_HEADS(null),
        RAPID_RESET(HostileStreams.Act.RAPID_RESET),
        CONTINUATION_FLOOD(HostileStreams.Act.CONTINUATION_FLOOD),
        SETTINGS_FLOOD(HostileStreams.Act.SETTINGS_FLOOD),
        PING_FLOOD(HostileStreams.Act.PING_FLOOD),
        STREAM_FLOOD(HostileStreams.Act.STREAM_FLOOD),
        TINY_WINDOW(HostileStreams.Act.TINY_WINDOW),
        HEADER_BOMB(HostileStreams.Act.HEADER_BOMB);

        private final HostileStreams.@Nullable Act act;

        Attack(HostileStreams.@Nullable Act act) {
            this.act = act;
        }
    }

    /**
     * One round.
     *
     * @param count of connections at the end that are stuck, or of attacks
     * @param ended by the server, of those that would be stuck
     */
    record Round(Attack attack, int number, Result quiet, Result beside, int count, long ended) {
        double p99Ms(Result of) {
            return of.latency.getValueAtPercentile(99) / 1e6;
        }

        double ratio() {
            return p99Ms(beside) / p99Ms(quiet);
        }

        long errors() {
            return quiet.errors() + beside.errors();
        }

        Map<String, Object> json() {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("attack", attack.name());
            all.put("round", number);
            all.put("quietP99Ms", p99Ms(quiet));
            all.put("p99Ms", p99Ms(beside));
            all.put("quietP50Ms", quiet.latency.getValueAtPercentile(50) / 1e6);
            all.put("p50Ms", beside.latency.getValueAtPercentile(50) / 1e6);
            all.put("responses", quiet.responses + beside.responses);
            all.put("errors", errors());
            all.put("count", count);
            all.put("ended", ended);
            return all;
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (connections < 1 || !(attacksPerS > 0) || clients < 1 || !(rate > 0) || rounds < 1 || !(seconds > 0)) {
            throw new ParameterException(
                    spec.commandLine(), "connections, clients and rounds must be >= 1, the others > 0");
        }
        Map<String, String> environment = Environment.describe();
        environment.put("good clients", clients + ", " + rate + " requests/s");
        environment.put("rounds", rounds + " of " + seconds + " s alone and as much beside an attack");
        PrintWriter out = spec.commandLine().getOut();
        environment.forEach((name, value) -> out.printf("%s: %s%n", name, value));
        out.flush();
        List<Round> all = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        try (Site site = Site.create()) {
            site.write(CompareCommand.FILE, 1_024, 1);
            site.write(LARGE.substring(1), LARGE_BYTES, 2);
            List<Target> targets = List.of(Target.of(site.root().resolve(CompareCommand.FILE)));
            TlsCommand.makeCertificate(site.dir(), "ec");
            Server.Setting setting =
                    options.setting(site, 0, "", Runtime.getRuntime().availableProcessors(), List.of(), Map.of());
            for (Attack attack : attacks) {
                try (Server server = Server.start(attack == Attack.SLOW_HEADS ? "sws" : "sws-tls", setting)) {
                    all.addAll(measure(attack, server, targets, problems));
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            spec.commandLine().getErr().println("attacks: " + e.getMessage());
            return CANNOT_RUN;
        }
        out.println();
        out.print(table(all));
        out.printf(
                "%nMedians of the rounds, and least-most; a ratio is within a round. Count: connections that were stuck at"
                        + " the end of a measurement, or attacks in one; ended: by the server, and opened anew.%n");
        for (Round round : all) {
            for (Failure failure : Failure.values()) {
                long count = round.quiet.of(failure) + round.beside.of(failure);
                if (count > 0) {
                    problems.add(round.attack + ": good clients: " + failure.text + ": " + count);
                }
            }
        }
        problems.forEach(out::println);
        out.flush();
        options.write(Map.of(
                "environment",
                environment,
                "rounds",
                all.stream().map(Round::json).toList()));
        return problems.isEmpty() ? 0 : FAILED;
    }

    static String table(List<Round> all) {
        List<List<String>> rows = new ArrayList<>();
        for (Attack attack : Attack.values()) {
            List<Round> rounds = all.stream().filter(r -> r.attack == attack).toList();
            if (!rounds.isEmpty()) {
                rows.add(List.of(
                        attack.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                        text(rounds, r -> r.p99Ms(r.quiet), "%.1f"),
                        text(rounds, r -> r.p99Ms(r.beside), "%.1f"),
                        text(rounds, Round::ratio, "%.2f"),
                        text(rounds, Round::count, "%,.0f"),
                        text(rounds, Round::ended, "%,.0f"),
                        Long.toString(rounds.stream().mapToLong(Round::errors).sum())));
            }
        }
        return TextTable.of(List.of("attack", "p99 ms alone", "beside it", "ratio", "count", "ended", "errors"), rows);
    }

    private static String text(List<Round> rounds, ToDoubleFunction<Round> value, String format) {
        Stat stat = Stat.of(rounds, value);
        return String.format(Locale.ROOT, format, stat.median()) + " ("
                + stat.spread(v -> String.format(Locale.ROOT, format, v)) + ")";
    }

    private List<Round> measure(Attack attack, Server server, List<Target> targets, List<String> problems)
            throws IOException, InterruptedException {
        for (int i = 0; i < WARM_WAVES; i++) {
            Result unused = wave(attack, server, targets, i);
        }
        List<Round> all = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            Result quiet = wave(attack, server, targets, 2L * i);
            all.add(
                    attack.act == null
                            ? besideCrowd(attack, server, targets, i, quiet)
                            : besideActs(attack, server, targets, i, quiet, problems));
        }
        return all;
    }

    private Round besideCrowd(Attack attack, Server server, List<Target> targets, int round, Result quiet)
            throws IOException, InterruptedException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port);
        boolean isHead = attack == Attack.SLOW_HEADS;
        byte[] first = isHead ? HALF_A_HEAD : HALF_A_RECORD;
        byte[] more = isHead ? A_LETTER : new byte[0];
        try (Crowd crowd = new Crowd(address, connections, first, more, LETTER_EVERY_NS)) {
            crowd.awaitFull();
            Result beside = wave(attack, server, targets, 2L * round + 1);
            return new Round(attack, round, quiet, beside, crowd.connected(), crowd.ended());
        }
    }

    private Round besideActs(
            Attack attack, Server server, List<Target> targets, int round, Result quiet, List<String> problems)
            throws IOException, InterruptedException {
        HostileStreams.Act act = Objects.requireNonNull(attack.act);
        HostileStreams hostile = new HostileStreams(server.port, "/" + CompareCommand.FILE, LARGE, round);
        Acts acts = new Acts(hostile, act, (long) (1e9 / attacksPerS));
        acts.start();
        Result beside;
        try {
            beside = wave(attack, server, targets, 2L * round + 1);
        } finally {
            acts.end();
        }
        hostile.books().wrong().forEach(problems::add);
        return new Round(attack, round, quiet, beside, hostile.books().begun(act), 0);
    }

    private Result wave(Attack attack, Server server, List<Target> targets, long seed)
            throws IOException, InterruptedException {
        long waveMs = Math.round(seconds * 1_000);
        if (attack != Attack.SLOW_HEADS) {
            return new SecureClients(server.port, clients, rate, targets).wave(waveMs, seed);
        }
        return Injector.run(
                new Plan(
                        "127.0.0.1",
                        server.port,
                        clients,
                        1,
                        0,
                        0,
                        waveMs,
                        rate,
                        false,
                        seed,
                        60_000,
                        true,
                        true,
                        "",
                        targets,
                        "",
                        0),
                (responses, errors) -> {});
    }

    /** Attacks of one kind, one after the other at a rate. */
    private static final class Acts extends Thread {
        private final HostileStreams hostile;
        private final HostileStreams.Act act;
        private final long everyNs;
        private volatile boolean isOver;

        Acts(HostileStreams hostile, HostileStreams.Act act, long everyNs) {
            super("attacks");
            this.hostile = hostile;
            this.act = act;
            this.everyNs = everyNs;
            setDaemon(true);
        }

        @Override
        public void run() {
            for (long dueNs = System.nanoTime(); !isOver; dueNs += everyNs) {
                while (!isOver && dueNs - System.nanoTime() > 0) {
                    LockSupport.parkNanos(dueNs - System.nanoTime());
                }
                hostile.begin(act);
            }
            hostile.leaveAll();
        }

        void end() throws InterruptedException {
            isOver = true;
            LockSupport.unpark(this);
            join();
        }
    }
}
