// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import io.mely.bench.libasync.LibasyncTable;
import io.mely.bench.report.Environment;
import io.mely.bench.report.Json;
import io.mely.bench.report.LinePlot;
import io.mely.bench.report.LinePlot.Axis;
import io.mely.bench.report.LinePlot.Point;
import io.mely.bench.report.Page;
import io.mely.bench.report.Stat;
import io.mely.runtime.StealTable;
import io.mely.spi.NanoClock;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code steal}: what one steal costs by how much is pending at the victim, Mely's and libasync-smp's in one table and one plot. */
@Command(
        name = "steal",
        mixinStandardHelpOptions = true,
        description =
                "Measures one steal by how much is pending at the victim: Mely's queues beside libasync-smp's list.")
public final class StealCommand implements Callable<Integer> {
    private static final int FEW_COLORS = 4;
    /** Steals between two looks at the clock, at first; a scan of 100,000 events takes longer than all others together. */
    private static final int BATCH = 2 * StealBenchmark.TURNS;
    /** So that two events are less than half of what is pending, which libasync asks for. */
    private static final int PENDING_MIN = 5;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(names = "--pending", split = ",", description = "Events at the victim (default: 10 to 100000, by tens).")
    private List<Integer> pending = List.of(10, 100, 1_000, 10_000, 100_000);

    @Option(names = "--rounds", description = "Rounds of all, after one to warm up (default: ${DEFAULT-VALUE}).")
    private int rounds = 7;

    @Option(names = "--measure-ms", description = "Time of one measurement (default: ${DEFAULT-VALUE}).")
    private int measureMs = 100;

    @Option(names = "--json", description = "Writes every round.")
    private @Nullable Path json;

    @Option(names = "--html", description = "Writes a page with the plot.")
    private @Nullable Path html;

    private StealCommand() {}

    /**
     * Runs the command.
     *
     * @param args without the word {@code steal}
     * @return 0; 2 for wrong options
     */
    public static int execute(String... args) {
        return Commands.execute(new StealCommand(), args);
    }

    /** Something to steal from, in one size. */
    private abstract static class Subject {
        final String name;
        final int pending;
        final List<Double> nsPerSteal = new ArrayList<>();

        Subject(String name, int pending) {
            this.name = name;
            this.pending = pending;
        }

        /** Before the clock starts. */
        void begin() {}

        /** So many steals. */
        abstract void steal(int count);

        /** After it stands. */
        void end() throws InterruptedException {}

        /** Throws if something went wrong, or was lost. */
        abstract void check();

        /** Of each steal, if they are counted. */
        double links() {
            return Double.NaN;
        }
    }

    private static final class MelySubject extends Subject {
        private final StealTable table;
        private int turn;

        MelySubject(String name, int pending, int colors) {
            super(name, pending);
            table = new StealTable(pending, colors, NanoClock.SYSTEM);
        }

        @Override
        void steal(int count) {
            for (int i = 0; i < count; i++) {
                turn ^= 1;
                table.stealAndLink(turn);
            }
        }

        @Override
        void check() {
            table.check();
        }
    }

    /** Two threads in turn, so that what is touched is in the other CPU's cache. The turns are in it: see the hand-over. */
    private static final class PairSubject extends Subject {
        private final @Nullable StealTable table;
        private StealBenchmark.Pair pair = new StealBenchmark.Pair();

        PairSubject(String name, int pending, boolean steals) {
            super(name, pending);
            table = steals ? new StealTable(pending, pending, NanoClock.SYSTEM) : null;
        }

        /** The other thread spins while it lives, so that it may not live beside the others' measurements. */
        @Override
        void begin() {
            pair = new StealBenchmark.Pair();
            pair.start();
            pair.alternate(() -> {}, () -> {}); // it runs now
        }

        @Override
        void end() throws InterruptedException {
            pair.stop();
        }

        @Override
        void steal(int count) {
            StealTable current = table;
            for (int i = 0; i < count; i += StealBenchmark.TURNS) {
                if (current == null) {
                    pair.alternate(() -> {}, () -> {});
                } else {
                    pair.alternate(() -> current.stealAndLink(0), () -> current.stealAndLink(1));
                }
            }
        }

        @Override
        void check() {
            if (table != null) {
                table.check();
            }
        }
    }

    private static final class LibasyncSubject extends Subject {
        private final LibasyncTable table;
        private long steals;

        LibasyncSubject(String name, int pending) {
            super(name, pending);
            table = new LibasyncTable(pending);
        }

        @Override
        void steal(int count) {
            for (int i = 0; i < count; i++) {
                table.stealAndReturn();
            }
            steals += count;
        }

        @Override
        void check() {
            if (!table.has(pending)) {
                throw new IllegalStateException("events are lost");
            }
        }

        @Override
        double links() {
            return (double) table.scanned() / steals;
        }
    }

    private static final String MANY = "Mely, a color for each event";
    private static final String FEW = "Mely, four colors";
    private static final String LIBASYNC = "libasync-smp, its scan alone";
    private static final String PAIR = "Mely, between two CPUs";
    private static final String HAND_OVER = "taking turns between two CPUs";

    private List<Subject> subjects() {
        boolean isPair = Runtime.getRuntime().availableProcessors() >= 2;
        List<Subject> subjects = new ArrayList<>();
        for (int events : pending) {
            subjects.add(new MelySubject(MANY, events, events));
            subjects.add(new MelySubject(FEW, events, FEW_COLORS));
            if (isPair) {
                subjects.add(new PairSubject(PAIR, events, true));
            }
            subjects.add(new LibasyncSubject(LIBASYNC, events));
        }
        if (isPair) {
            subjects.add(new PairSubject(HAND_OVER, 0, false));
        }
        return subjects;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || measureMs < 1 || pending.stream().anyMatch(n -> n < PENDING_MIN)) {
            throw new ParameterException(
                    spec.commandLine(), "rounds and measure-ms must be >= 1, pending >= " + PENDING_MIN);
        }
        Map<String, String> environment = Environment.describe();
        environment.put("rounds", rounds + " of " + measureMs + " ms each");
        List<Subject> subjects = subjects();
        PrintWriter progress = spec.commandLine().getErr();
        // What these hold is old, as in a runtime that has run for a while.
        System.gc();
        for (int round = 0; round <= rounds; round++) {
            progress.printf("round %d of %d%s%n", round, rounds, round == 0 ? " (warm-up)" : "");
            progress.flush();
            for (Subject subject : subjects) {
                double ns = measure(subject);
                if (round > 0) {
                    subject.nsPerSteal.add(ns);
                }
            }
        }
        subjects.forEach(Subject::check);
        List<List<String>> rows = rows(subjects);
        spec.commandLine().getOut().print(text(rows));
        spec.commandLine().getOut().flush();
        if (json != null) {
            Files.writeString(json, json(environment, subjects));
        }
        if (html != null) {
            Files.writeString(
                    html,
                    new Page("What one steal costs", environment)
                            .note(NOTE)
                            .svg(plot(subjects))
                            .table(TITLES, rows)
                            .html());
        }
        return 0;
    }

    private double measure(Subject subject) throws InterruptedException {
        long limitNs = TimeUnit.MILLISECONDS.toNanos(measureMs);
        int batch = subject instanceof LibasyncSubject ? Math.max(2, BATCH * PENDING_MIN / subject.pending) : BATCH;
        subject.begin();
        long startNs = System.nanoTime();
        long ranNs;
        long steals = 0;
        do {
            subject.steal(batch);
            steals += batch;
            ranNs = System.nanoTime() - startNs;
        } while (ranNs < limitNs);
        subject.end();
        return (double) ranNs / steals;
    }

    private static final List<String> TITLES =
            List.of("one steal", "pending", "median ns", "least", "most", "links followed", "x the least pending");

    private static final String NOTE =
            "A steal with the linking of what was taken. Mely: the runtime's own thief, with lock and"
                    + " clock. libasync-smp: the scan and the way back, without lock and clock; the stolen color is behind all"
                    + " others, so every link is followed. Between two CPUs: two threads in turn; the turns themselves are the"
                    + " last row, and are not taken off. Spread: all rounds.";

    private static Stat ns(Subject subject) {
        return Stat.of(subject.nsPerSteal, v -> v);
    }

    /** How much more than with the least pending, round by round. */
    private static double growth(Subject subject, List<Subject> all) {
        Subject first = all.stream()
                .filter(s -> s.name.equals(subject.name))
                .findFirst()
                .orElse(subject);
        double[] ratios = new double[subject.nsPerSteal.size()];
        Arrays.setAll(ratios, i -> subject.nsPerSteal.get(i) / first.nsPerSteal.get(i));
        return Stat.of(ratios).median();
    }

    private static Stream<String> names(List<Subject> subjects) {
        return subjects.stream().map(s -> s.name).distinct();
    }

    private static List<List<String>> rows(List<Subject> subjects) {
        return names(subjects)
                .flatMap(name -> subjects.stream().filter(s -> s.name.equals(name)))
                .map(s -> {
                    Stat ns = ns(s);
                    return List.of(
                            s.name,
                            s.pending == 0 ? "-" : String.format(Locale.ROOT, "%,d", s.pending),
                            String.format(Locale.ROOT, "%,.0f", ns.median()),
                            String.format(Locale.ROOT, "%,.0f", ns.least()),
                            String.format(Locale.ROOT, "%,.0f", ns.most()),
                            Double.isNaN(s.links()) ? "-" : String.format(Locale.ROOT, "%,.0f", s.links()),
                            String.format(Locale.ROOT, "%,.2f", growth(s, subjects)));
                })
                .toList();
    }

    private static String text(List<List<String>> rows) {
        StringBuilder out = new StringBuilder();
        Stream.concat(Stream.of(TITLES), rows.stream())
                .forEach(row ->
                        out.append(String.format(Locale.ROOT, "%-32s %10s %12s %12s %12s %16s %20s%n", row.toArray())));
        return out.append(NOTE).append('\n').toString();
    }

    private static String plot(List<Subject> subjects) {
        LinePlot plot = new LinePlot(
                "Cost of a steal by events pending",
                new Axis("events pending at the victim", true),
                new Axis("ns for one steal", true));
        names(subjects)
                .filter(name -> !name.equals(HAND_OVER))
                .forEach(name -> plot.add(
                        name,
                        subjects.stream()
                                .filter(s -> s.name.equals(name))
                                .map(s -> {
                                    Stat ns = ns(s);
                                    return new Point(s.pending, ns.median(), ns.least(), ns.most());
                                })
                                .toList()));
        return plot.svg();
    }

    private static String json(Map<String, String> environment, List<Subject> subjects) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("environment", environment);
        json.put(
                "steals",
                subjects.stream()
                        .map(s -> {
                            Map<String, Object> run = new LinkedHashMap<>();
                            run.put("what", s.name);
                            run.put("pending", s.pending);
                            run.put("nsPerStealByRound", s.nsPerSteal);
                            run.put("linksPerSteal", s.links());
                            return run;
                        })
                        .toList());
        return Json.write(json);
    }
}
