// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.run;

import io.mely.bench.report.LinePlot;
import io.mely.bench.report.TextTable;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.simulate.machine.Outcome;
import io.mely.bench.simulate.workload.Rig;
import io.mely.bench.stingy.model.BufferProgram;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * The paper's curves: requests a second, and misses of the last cache for each request, by requests in flight; with the ordinary allocator, and with the plan.
 *
 * <p>It is the runtime itself that runs, with its supplies and its regions, on one core of the {@linkplain Experiment simulator's} machine. That has the machine's caches, in sets with the least recently used line out first, and the cost of a miss, of
 * a walk whose misses overlap, and of an instruction. They come from the machine's file, in which each says whether it was measured, and how. What a handler does there is told in {@code Buffers}.
 *
 * <p><b>Units.</b> Misses are accesses that the last cache does not serve. <b>Source.</b> spec: Stingy §1, §6, Fig. 3, 11, 12.
 */
public final class Curve {
    /** Whose stages wait in one queue, in order: the paper's scheduler. */
    public static final String ENGINE = "central-queue";

    /** What the runtime of the simulator has room for. */
    public static final int IN_FLIGHT_MAX = 1 << 16;

    // Virtual time: all requests in flight go round several times, at some microseconds each.
    private static final long WARM_US = 2_000;
    private static final long MEASURE_US = 4_000;
    private static final long WARM_US_PER_REQUEST = 30;
    private static final long MEASURE_US_PER_REQUEST = 60;
    private static final double LOOKAHEAD = 100; // of one core: no matter

    /**
     * One row.
     *
     * @param inFlight requests
     * @param ordinary with the ordinary allocator
     * @param stingy with the plan
     */
    public record Row(int inFlight, Outcome ordinary, Outcome stingy) {
        /** Requests a second with the plan, over those without. */
        public double gain() {
            return perSecond(stingy) / perSecond(ordinary);
        }

        /** Misses a request with the plan, over those without; 1 if there are none either way. */
        public double missRatio() {
            double without = misses(ordinary);
            return without == 0 ? 1 : misses(stingy) / without;
        }
    }

    /**
     * What allocation takes beside the walks through the buffers. What a region's accounts take is simulated.
     *
     * @param poolNs a buffer and its release by the ordinary allocator
     * @param bufferNs a buffer object of the region, beyond the accounts
     */
    public record Costs(double poolNs, double bufferNs) {}

    private final MachineSpec machine;
    private final BufferProgram program;
    private final String engine;
    private final double handlerNs;
    private final double roundTripUs;
    private final double codeBytes;
    private final Costs costs;
    private final long seed;
    private final List<Row> rows = new ArrayList<>();

    /**
     * Of a program.
     *
     * @param machine whose core it is
     * @param program stages, buffers, plan
     * @param engine one of {@link #engines}
     * @param handlerNs what each handler computes
     * @param roundTripUs between two requests of a client
     * @param codeBytes of a stage of weight 1
     * @param costs of allocation
     * @param seed of the run
     */
    public Curve(
            MachineSpec machine,
            BufferProgram program,
            String engine,
            double handlerNs,
            double roundTripUs,
            double codeBytes,
            Costs costs,
            long seed) {
        this.machine = machine;
        this.program = program;
        this.engine = engine;
        this.handlerNs = handlerNs;
        this.roundTripUs = roundTripUs;
        this.codeBytes = codeBytes;
        this.costs = costs;
        this.seed = seed;
    }

    /** The engines under which stages can wait for their buffers, without a trial run before. */
    public static List<String> engines() {
        return Rig.engines().stream()
                .filter(name -> !name.startsWith("libasync") && !name.equals("seda") && !name.endsWith("-partitions"))
                .toList();
    }

    /**
     * A core's share of the caches of a machine: of the one that has most for it.
     *
     * @param machine its caches
     * @return bytes
     */
    public static long share(MachineSpec machine) {
        return machine.caches().stream()
                .mapToLong(cache -> cache.bytes() / cache.cpus())
                .max()
                .orElseThrow();
    }

    /**
     * Runs each number of requests, with and without.
     *
     * @param counts of requests in flight
     * @param progress told of each
     */
    public void run(List<Integer> counts, Consumer<String> progress) {
        for (int inFlight : counts) {
            progress.accept("simulated: " + inFlight + " in flight");
            rows.add(new Row(inFlight, outcome(inFlight, 0), outcome(inFlight, 1)));
        }
        rows.sort(Comparator.comparingInt(Row::inFlight));
    }

    private Outcome outcome(int inFlight, double stingy) {
        Map<String, Double> parameters = Map.of(
                "inFlight", (double) inFlight,
                "stingy", stingy,
                "handlerNs", handlerNs,
                "roundTripUs", roundTripUs,
                "codeBytes", codeBytes,
                "poolNs", costs.poolNs,
                "bufferNs", costs.bufferNs);
        return new Experiment(
                        machine,
                        1,
                        "buffers",
                        engine,
                        parameters,
                        seed,
                        WARM_US + inFlight * WARM_US_PER_REQUEST,
                        MEASURE_US + inFlight * MEASURE_US_PER_REQUEST,
                        LOOKAHEAD,
                        false,
                        null,
                        program)
                .run();
    }

    /** What was found, by requests in flight. */
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    private static double perSecond(Outcome outcome) {
        return extra(outcome, "requests") / outcome.seconds();
    }

    private static double misses(Outcome outcome) {
        int last = outcome.experiment().machine().caches().size();
        return outcome.missesPerEvent(last) * outcome.events() / extra(outcome, "requests");
    }

    private static double extra(Outcome outcome, String name) {
        return outcome.extras().getOrDefault(name, 0.0);
    }

    /** A table, and what it comes to. */
    public String text() {
        List<List<String>> table = new ArrayList<>();
        for (Row row : rows) {
            table.add(List.of(
                    Integer.toString(row.inFlight),
                    format("%,.0f", perSecond(row.ordinary)),
                    format("%,.0f", perSecond(row.stingy)),
                    format("%.2f", row.gain()),
                    format("%,.0f", misses(row.ordinary)),
                    format("%,.0f", misses(row.stingy)),
                    format("%+.0f %%", 100 * (row.missRatio() - 1)),
                    format("%,.0f", extra(row.stingy, "outside"))));
        }
        Row last = rows.get(rows.size() - 1);
        double least = rows.stream().mapToDouble(Row::gain).min().orElse(1);
        return format(
                        "One core of %s, simulated; %s; handlers of %.0f ns and their buffers; region %,d bytes, of which %,d are used.%n",
                        machine.name(),
                        engine,
                        handlerNs,
                        program.plan().regionBytes(),
                        program.plan().usedBytes())
                + TextTable.of(
                        List.of(
                                "in flight",
                                "requests/s",
                                "stingy",
                                "ratio",
                                "misses/request",
                                "stingy",
                                "change",
                                "outside"),
                        table)
                + format(
                        "At %,d in flight: %+.0f %% requests/s, %+.0f %% misses. Least ratio of all: %.2f.%n",
                        last.inFlight, 100 * (last.gain() - 1), 100 * (last.missRatio() - 1), least);
    }

    /** All figures. */
    public String csv() {
        StringBuilder out = new StringBuilder(
                "in flight,requests/s,stingy requests/s,misses/request,stingy misses/request,outside,passed\n");
        for (Row row : rows) {
            out.append(format(
                    "%d,%.1f,%.1f,%.2f,%.2f,%.0f,%.0f%n",
                    row.inFlight,
                    perSecond(row.ordinary),
                    perSecond(row.stingy),
                    misses(row.ordinary),
                    misses(row.stingy),
                    extra(row.stingy, "outside"),
                    extra(row.stingy, "passed")));
        }
        return out.toString();
    }

    /** Requests a second by requests in flight. */
    public String throughputSvg() {
        return svg("thousand requests/s", outcome -> perSecond(outcome) / 1e3);
    }

    /** Misses by requests in flight. */
    public String missesSvg() {
        return svg("misses a request", Curve::misses);
    }

    private String svg(String label, ToDoubleFunction<Outcome> figure) {
        return new LinePlot(
                        label + " by requests in flight",
                        new LinePlot.Axis("requests in flight", true),
                        new LinePlot.Axis(label, false))
                .add("ordinary allocator", points(row -> figure.applyAsDouble(row.ordinary)))
                .add("Stingy", points(row -> figure.applyAsDouble(row.stingy)))
                .svg();
    }

    private List<LinePlot.Point> points(ToDoubleFunction<Row> figure) {
        return rows.stream()
                .map(row -> {
                    double y = figure.applyAsDouble(row);
                    return new LinePlot.Point(row.inFlight, y, y, y);
                })
                .toList();
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
