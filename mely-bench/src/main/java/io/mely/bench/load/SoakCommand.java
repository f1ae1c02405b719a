// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.Commands;
import io.mely.bench.load.Result.Failure;
import io.mely.bench.report.Environment;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code soak}: good and hostile clients together for a long time; then, what is left behind.
 *
 * <p>Time passes in waves of some seconds, so that a machine that halts the lot makes it longer and not wrong. The first look at the server's memory is
 * after a tenth of them, the last one at the end, both with no client there; in between once a minute, under load.
 */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        description = "Loads SWS with good and hostile clients together, and says what is lost or left behind.")
public final class SoakCommand implements Callable<Integer> {
    private static final int CANNOT_RUN = 1;
    private static final int FAILED = 3;

    private static final double WAVE_S_MAX = 10;
    private static final int LOOK_EVERY_WAVES = 6;
    private static final int WARM_SHARE = 10;

    /** A machine may halt server and clients alike for minutes. */
    private static final long TIMEOUT_MS = 600_000;

    private static final long REST_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long REST_LOOK_MS = 500;
    private static final long LARGE_BYTES = 5_000_000;
    private static final String LARGE = "/large.bin";

    /**
     * Of the server: slow bodies are sent away while the soak goes on, good clients never, whatever the machine does. One that has connected and not yet
     * asked is as silent as a slow head, so those have an hour, too.
     */
    private static final Map<String, String> VARIABLES = Map.of(
            "SWS_STATS", "on",
            "SWS_HEADER_TIMEOUT", "1 h",
            "SWS_BODY_TIMEOUT", "5 s",
            "SWS_IDLE_TIMEOUT", "1 h",
            "SWS_WRITE_TIMEOUT", "1 h",
            "SWS_OVERLOAD_TARGET", "600 s",
            "SWS_GZIP", "on",
            "SWS_ACCESS_LOG_ROTATE", "10 MB");

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(names = "--minutes", description = "(default: ${DEFAULT-VALUE})")
    private double minutes = 30;

    @Option(names = "--rate", description = "Requests a second of the good clients (default: ${DEFAULT-VALUE}).")
    private double rate = 300;

    @Option(names = "--clients", description = "Good ones (default: ${DEFAULT-VALUE}).")
    private int clients = 50;

    @Option(names = "--tls", description = "Over TLS: half of the good clients, and most hostile ones, by HTTP/2.")
    private boolean isSecure;

    private SoakCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code soak}
     * @return 0; 1 if it could not run; 2 for wrong options; 3 if something was lost or left behind
     */
    public static int execute(String... args) {
        return Commands.execute(new SoakCommand(), args);
    }

    /**
     * The server at one time.
     *
     * @param seconds since the begin
     * @param isAtRest whether no client was there
     * @param descriptors it had open
     * @param residentBytes of its process
     * @param jvm its memory after a collection
     */
    record Look(double seconds, boolean isAtRest, int descriptors, long residentBytes, JvmMemory jvm) {
        /** Of a server that runs by a program. */
        static Look of(Server server, String java, boolean isAtRest, double seconds)
                throws IOException, InterruptedException {
            JvmMemory jvm = JvmMemory.of(java, server.pid());
            return new Look(seconds, isAtRest, server.descriptors(), server.residentBytes(), jvm);
        }

        Map<String, Object> json() {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("seconds", seconds);
            all.put("isAtRest", isAtRest);
            all.put("descriptors", descriptors);
            all.put("residentBytes", residentBytes);
            all.put("heapBytes", jvm.heapBytes());
            all.put("nativeBytes", jvm.nativeBytes());
            all.put("directBytes", jvm.directBytes());
            return all;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%,6.0f s%s: %d descriptors, MB: %.1f heap, %.1f native, of it %.1f direct, %.1f resident",
                    seconds,
                    isAtRest ? ", at rest" : "",
                    descriptors,
                    jvm.heapBytes() / 1e6,
                    jvm.nativeBytes() / 1e6,
                    jvm.directBytes() / 1e6,
                    residentBytes / 1e6);
        }
    }

    private final long startNs = System.nanoTime();
    private final Result good = new Result();
    private final List<Look> looks = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!(minutes > 0) || !(rate > 0) || clients < 1) {
            throw new ParameterException(spec.commandLine(), "minutes and rate must be > 0, clients >= 1");
        }
        Map<String, String> environment = Environment.describe();
        environment.put("good clients", clients + ", " + rate + " requests/s");
        environment.put("minutes", Double.toString(minutes));
        PrintWriter out = spec.commandLine().getOut();
        environment.forEach((name, value) -> out.printf("%s: %s%n", name, value));
        List<String> problems = new ArrayList<>();
        ActBooks<?> books;
        String end;
        try (Site site = Site.create()) {
            List<Target> targets = targets(site);
            Server.Setting setting = options.setting(
                    site, 0, "", Runtime.getRuntime().availableProcessors(), List.of(JvmMemory.OPTION), VARIABLES);
            if (isSecure) {
                TlsCommand.makeCertificate(site.dir(), "ec");
            }
            Server server = Server.start(isSecure ? "sws-tls" : "sws-log", setting);
            String small = "/" + CompareCommand.FILE;
            Hostile<?> hostile = isSecure
                    ? new HostileStreams(server.port, small, LARGE, 1)
                    : new HostileClients(server.port, small, LARGE, LARGE_BYTES, 1);
            books = hostile.books();
            try (server) {
                soak(server, hostile, targets, out);
            }
            end = server.output();
            if (server.exitCode() != 0) {
                problems.add("the server ended with " + server.exitCode());
            }
        } catch (IOException | IllegalArgumentException e) {
            spec.commandLine().getErr().println("soak: " + e.getMessage());
            return CANNOT_RUN;
        }
        problems.addAll(problems(looks, good, books, end));
        write(out, books, end, problems, environment);
        return problems.isEmpty() ? 0 : FAILED;
    }

    /** Small ones often, large ones seldom; some that the server compresses. */
    private static List<Target> targets(Site site) throws IOException {
        Path small = site.write(CompareCommand.FILE, 1_024, 1);
        Path page = site.write("page.css", 20_000, 2);
        Path image = site.write("image.png", 200_000, 3);
        Path large = site.write("large.bin", LARGE_BYTES, 4);
        List<Target> targets = new ArrayList<>(Collections.nCopies(60, Target.of(small)));
        targets.addAll(Collections.nCopies(30, Target.of(page)));
        targets.addAll(Collections.nCopies(9, Target.of(image)));
        targets.add(Target.of(large));
        Collections.shuffle(targets, new Random(1));
        return targets;
    }

    private void soak(Server server, Hostile<?> hostile, List<Target> targets, PrintWriter out)
            throws IOException, InterruptedException {
        long waves = Math.max(2, Math.round(minutes * 60 / WAVE_S_MAX));
        long waveMs = Math.max(1, Math.round(minutes * 60_000 / waves));
        long warm = Math.max(1, waves / WARM_SHARE);
        hostile.start();
        for (long wave = 0; wave < warm; wave++) {
            wave(server, targets, waveMs, wave);
        }
        hostile.stop();
        rest(server);
        look(server, true, out);
        hostile.start();
        for (long wave = warm; wave < waves; wave++) {
            wave(server, targets, waveMs, wave);
            if ((wave - warm) % LOOK_EVERY_WAVES == LOOK_EVERY_WAVES - 1) {
                look(server, false, out);
            }
        }
        hostile.stop();
        rest(server);
        look(server, true, out);
    }

    /** Open loop: what falls due is answered before the next wave, however long it takes. */
    private void wave(Server server, List<Target> targets, long waveMs, long wave)
            throws IOException, InterruptedException {
        if (isSecure) {
            good.add(new SecureClients(server.port, clients, rate, targets).wave(waveMs, wave));
            return;
        }
        good.add(Injector.run(
                new Plan(
                        "127.0.0.1",
                        server.port,
                        clients,
                        1,
                        150,
                        0,
                        waveMs,
                        rate,
                        true,
                        wave,
                        TIMEOUT_MS,
                        wave % 2 == 0,
                        true,
                        "",
                        targets,
                        "",
                        0),
                (responses, errors) -> {}));
    }

    /** Until no descriptor goes any more. */
    static void rest(Server server) throws IOException, InterruptedException {
        int before = Integer.MAX_VALUE;
        for (long endNs = System.nanoTime() + REST_NS; System.nanoTime() - endNs < 0; ) {
            TimeUnit.MILLISECONDS.sleep(REST_LOOK_MS);
            int now = server.descriptors();
            if (now >= before) {
                return;
            }
            before = now;
        }
    }

    private void look(Server server, boolean isAtRest, PrintWriter out) throws IOException, InterruptedException {
        Look look = Look.of(server, options.java(), isAtRest, (System.nanoTime() - startNs) / 1e9);
        looks.add(look);
        out.println(look);
        out.flush();
    }

    // ------------------------------------------------------------------ verdict

    /** The last client of one look may not be gone yet at another; a file that was cached later. */
    private static final int SPARE_DESCRIPTORS = 2;

    /** Two of Netty's chunks of 4 MiB: arenas that a later load's luck touched first. */
    private static final long SPARE_DIRECT_BYTES = 8 << 20;

    /** Classes, profiles and caches that were not full before: a guess. 10,000 lost connections would be more. */
    private static final long SPARE_HEAP_BYTES = 4 << 20;

    /** Code that was compiled later, and what the collector keeps of it: a guess. */
    private static final long SPARE_NATIVE_BYTES = 32 << 20;

    /**
     * What is wrong.
     *
     * @param looks the first and the last at rest
     * @param good what the good clients got
     * @param hostile how the others ended
     * @param end what the server said when it ended
     * @return a line each; none if all is well
     */
    static List<String> problems(List<Look> looks, Result good, ActBooks<?> hostile, String end) {
        List<String> problems = new ArrayList<>();
        for (Failure failure : Failure.values()) {
            if (good.of(failure) > 0) {
                problems.add("good clients: " + failure.text + ": " + good.of(failure));
            }
        }
        if (good.responses == 0) {
            problems.add("good clients: no response");
        }
        problems.addAll(hostile.problems());
        grown(looks.get(0), looks.get(looks.size() - 1), problems);
        for (String expected : List.of("  failed: 0  ", "  still open: 0\n")) {
            if (!end.contains(expected)) {
                problems.add("the server does not end with '" + expected.strip() + "'");
            }
        }
        return problems;
    }

    /** What there is more of at the end, though no client is there. */
    static void grown(Look first, Look last, List<String> problems) {
        grown("descriptors", first.descriptors(), last.descriptors(), SPARE_DESCRIPTORS, problems);
        JvmMemory was = first.jvm();
        JvmMemory is = last.jvm();
        grown("heap bytes", was.heapBytes(), is.heapBytes(), SPARE_HEAP_BYTES, problems);
        grown("direct bytes", was.directBytes(), is.directBytes(), SPARE_DIRECT_BYTES, problems);
        grown("native bytes", was.nativeBytes(), is.nativeBytes(), SPARE_NATIVE_BYTES, problems);
    }

    private static void grown(String what, long was, long is, long spare, List<String> problems) {
        if (is > was + spare) {
            problems.add(what + " have grown from " + was + " to " + is);
        }
    }

    private void write(
            PrintWriter out, ActBooks<?> hostile, String end, List<String> problems, Map<String, String> environment)
            throws IOException {
        out.printf("good clients: %,d responses, %,d bytes, %d errors%n", good.responses, good.bytes, good.errors());
        hostile.print(out);
        out.print(end);
        problems.forEach(problem -> out.println("PROBLEM: " + problem));
        out.println(problems.isEmpty() ? "nothing lost, nothing left behind" : problems.size() + " problems");
        out.flush();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("environment", environment);
        all.put("good", LoadReport.json(clients, good));
        all.put("hostile", hostile.json());
        all.put("looks", looks.stream().map(Look::json).toList());
        all.put("end", end.lines().toList());
        all.put("problems", problems);
        options.write(all);
    }
}
