// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.simulate.machine.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The printed numbers of the Mely report's Tables 1, 3, 4, 5 and 6 beside what the simulator says, and what the tables are read for: the ratios between
 * their rows. <b>Source.</b> spec: Mely §6.4.
 */
final class PapersTables {
    private static final double TOLERANCE = 0.25;

    /** One printed number. */
    private record Row(
            int table,
            String workload,
            String engine,
            String label,
            String unit,
            double printed,
            ToDoubleFunction<Outcome> figure) {}

    /** Two rows compared by throughput. */
    private record Pair(int table, String workload, String over, String under, double printed) {}

    private static final List<Row> ROWS = List.of(
            new Row(1, "sfs", "libasync-smp-ws", "SFS, stealing", "cycles", 4_800, Outcome::stealCycles),
            new Row(1, "sfs", "libasync-smp-ws", "SFS, stolen work", "cycles", 1_200_000, Outcome::waitingCycles),
            new Row(1, "sws", "libasync-smp-ws", "web server, stealing", "cycles", 197_000, Outcome::stealCycles),
            new Row(1, "sws", "libasync-smp-ws", "web server, stolen work", "cycles", 20_000, Outcome::waitingCycles),
            new Row(3, "unbalanced", "libasync-smp", "LA", "KEvents/s", 1_310, Outcome::kEventsPerS),
            new Row(3, "unbalanced", "libasync-smp", "LA, locking time", "%", 0.93, PapersTables::lockPercent),
            new Row(3, "unbalanced", "libasync-smp-ws", "LA-WS", "KEvents/s", 122, Outcome::kEventsPerS),
            new Row(3, "unbalanced", "libasync-smp-ws", "LA-WS, locking time", "%", 39.73, PapersTables::lockPercent),
            new Row(3, "unbalanced", "libasync-smp-ws", "LA-WS, a steal", "cycles", 28_329, Outcome::stealCycles),
            new Row(3, "unbalanced", "mely-off", "Mely", "KEvents/s", 1_265, Outcome::kEventsPerS),
            new Row(3, "unbalanced", "mely-off", "Mely, locking time", "%", 0.89, PapersTables::lockPercent),
            new Row(3, "unbalanced", "mely-base", "Mely, base WS", "KEvents/s", 1_195, Outcome::kEventsPerS),
            new Row(3, "unbalanced", "mely-base", "Mely, base WS, locking time", "%", 1.42, PapersTables::lockPercent),
            new Row(3, "unbalanced", "mely-base", "Mely, base WS, a steal", "cycles", 2_261, Outcome::stealCycles),
            new Row(4, "unbalanced", "libasync-smp-ws", "LA-WS, stolen time", "cycles", 484, Outcome::stolenCycles),
            new Row(4, "unbalanced", "mely-base", "Mely, base WS, stolen time", "cycles", 445, Outcome::stolenCycles),
            new Row(4, "unbalanced", "mely-timeleft", "Mely, time-aware WS", "KEvents/s", 2_042, Outcome::kEventsPerS),
            new Row(
                    4,
                    "unbalanced",
                    "mely-timeleft",
                    "Mely, time-aware WS, stolen time",
                    "cycles",
                    49_987,
                    Outcome::stolenCycles),
            new Row(5, "penalty", "libasync-smp", "LA", "KEvents/s", 1_103, Outcome::kEventsPerS),
            new Row(5, "penalty", "libasync-smp", "LA, misses of 1,000 events", "", 29, PapersTables::missesOf1000),
            new Row(5, "penalty", "libasync-smp-ws", "LA-WS", "KEvents/s", 190, Outcome::kEventsPerS),
            new Row(
                    5,
                    "penalty",
                    "libasync-smp-ws",
                    "LA-WS, misses of 1,000 events",
                    "",
                    167_000,
                    PapersTables::missesOf1000),
            new Row(5, "penalty", "mely-base", "Mely, base WS", "KEvents/s", 1_386, Outcome::kEventsPerS),
            new Row(
                    5,
                    "penalty",
                    "mely-base",
                    "Mely, base WS, misses of 1,000 events",
                    "",
                    42_000,
                    PapersTables::missesOf1000),
            new Row(5, "penalty", "mely-penalty", "Mely, penalty-aware WS", "KEvents/s", 2_122, Outcome::kEventsPerS),
            new Row(
                    5,
                    "penalty",
                    "mely-penalty",
                    "Mely, penalty-aware WS, misses of 1,000 events",
                    "",
                    2_000,
                    PapersTables::missesOf1000),
            new Row(6, "cache-efficient", "libasync-smp", "LA", "KEvents/s", 1_156, Outcome::kEventsPerS),
            new Row(6, "cache-efficient", "libasync-smp", "LA, misses an event", "", 0, PapersTables::misses),
            new Row(6, "cache-efficient", "libasync-smp-ws", "LA-WS", "KEvents/s", 1_497, Outcome::kEventsPerS),
            new Row(6, "cache-efficient", "libasync-smp-ws", "LA-WS, misses an event", "", 13, PapersTables::misses),
            new Row(6, "cache-efficient", "mely-base", "Mely, base WS", "KEvents/s", 1_426, Outcome::kEventsPerS),
            new Row(6, "cache-efficient", "mely-base", "Mely, base WS, misses an event", "", 12, PapersTables::misses),
            new Row(
                    6,
                    "cache-efficient",
                    "mely-locality",
                    "Mely, locality-aware WS",
                    "KEvents/s",
                    1_869,
                    Outcome::kEventsPerS),
            new Row(
                    6,
                    "cache-efficient",
                    "mely-locality",
                    "Mely, locality-aware WS, misses an event",
                    "",
                    2,
                    PapersTables::misses));

    private static final List<Pair> PAIRS = List.of(
            new Pair(3, "unbalanced", "libasync-smp-ws", "libasync-smp", 122.0 / 1_310),
            new Pair(3, "unbalanced", "mely-off", "libasync-smp", 1_265.0 / 1_310),
            new Pair(3, "unbalanced", "mely-base", "mely-off", 1_195.0 / 1_265),
            new Pair(3, "unbalanced", "mely-base", "libasync-smp-ws", 1_195.0 / 122),
            new Pair(4, "unbalanced", "mely-timeleft", "mely-base", 2_042.0 / 1_195),
            new Pair(4, "unbalanced", "mely-timeleft", "libasync-smp", 2_042.0 / 1_310),
            new Pair(5, "penalty", "libasync-smp-ws", "libasync-smp", 190.0 / 1_103),
            new Pair(5, "penalty", "mely-base", "libasync-smp", 1_386.0 / 1_103),
            new Pair(5, "penalty", "mely-penalty", "mely-base", 2_122.0 / 1_386),
            new Pair(5, "penalty", "mely-penalty", "libasync-smp", 2_122.0 / 1_103),
            new Pair(6, "cache-efficient", "libasync-smp-ws", "libasync-smp", 1_497.0 / 1_156),
            new Pair(6, "cache-efficient", "mely-base", "libasync-smp", 1_426.0 / 1_156),
            new Pair(6, "cache-efficient", "mely-base", "libasync-smp-ws", 1_426.0 / 1_497),
            new Pair(6, "cache-efficient", "mely-locality", "mely-base", 1_869.0 / 1_426),
            new Pair(6, "cache-efficient", "mely-locality", "libasync-smp", 1_869.0 / 1_156));

    private final MachineSpec machine;
    private final long seed;
    private final Map<String, Outcome> outcomes = new LinkedHashMap<>();

    PapersTables(MachineSpec machine, long seed) {
        this.machine = machine;
        this.seed = seed;
    }

    private static double lockPercent(Outcome outcome) {
        return 100 * outcome.lockShare();
    }

    private static double misses(Outcome outcome) {
        return outcome.missesPerEvent(2);
    }

    /** The table says "K", and not of what: read as of a thousand events, see docs/simulator.md. */
    private static double missesOf1000(Outcome outcome) {
        return 1_000 * outcome.missesPerEvent(2);
    }

    /** What is to be run, each once. */
    List<Experiment> experiments() {
        Map<String, Experiment> all = new LinkedHashMap<>();
        for (Row row : ROWS) {
            all.computeIfAbsent(key(row.workload(), row.engine()), key -> experiment(row.workload(), row.engine()));
        }
        return new ArrayList<>(all.values());
    }

    private Experiment experiment(String workload, String engine) {
        Map<String, Double> parameters = Map.of();
        long warmUs = 4_000;
        long measureUs = 20_000;
        if (workload.equals("unbalanced")) {
            boolean isSlow = engine.equals("libasync-smp-ws") || engine.equals("mely-base");
            // a color's steal costs the same whatever waits behind it; the slow rows would take minutes
            parameters = isSlow ? Map.of("colors", 2_000.0) : Map.of("colors", 50_000.0);
            measureUs = isSlow ? 10_000 : 30_000;
            warmUs = 1_000;
        }
        return new Experiment(
                machine, machine.cpus(), workload, engine, parameters, seed, warmUs, measureUs, 100, false);
    }

    private static String key(String workload, String engine) {
        return workload + "/" + engine;
    }

    void put(Outcome outcome) {
        outcomes.put(key(outcome.experiment().workload(), outcome.experiment().engine()), outcome);
    }

    private Outcome outcome(String workload, String engine) {
        Outcome known = outcomes.get(key(workload, engine));
        if (known == null) {
            throw new IllegalStateException("not run: " + key(workload, engine));
        }
        return known;
    }

    /** How many comparisons have the right sign, and how many are within the tolerance. */
    record Score(int comparisons, int signs, int within) {}

    Score score() {
        int signs = 0;
        int within = 0;
        for (Pair pair : PAIRS) {
            double ratio = ratio(pair);
            signs += hasSign(pair, ratio) ? 1 : 0;
            within += isWithin(pair, ratio) ? 1 : 0;
        }
        return new Score(PAIRS.size(), signs, within);
    }

    private double ratio(Pair pair) {
        return outcome(pair.workload(), pair.over()).kEventsPerS()
                / outcome(pair.workload(), pair.under()).kEventsPerS();
    }

    private static boolean hasSign(Pair pair, double ratio) {
        return ratio > 1 == pair.printed() > 1;
    }

    private static boolean isWithin(Pair pair, double ratio) {
        return Math.abs(ratio / pair.printed() - 1) <= TOLERANCE;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%-6s %-50s %-10s %10s %10s %8s%n",
                "table",
                "row",
                "unit",
                "printed",
                "simulated",
                "error"));
        for (Row row : ROWS) {
            double simulated = row.figure().applyAsDouble(outcome(row.workload(), row.engine()));
            text.append(String.format(
                    Locale.ROOT,
                    "%-6d %-50s %-10s %10s %10s %8s%n",
                    row.table(),
                    row.label(),
                    row.unit(),
                    number(row.printed()),
                    number(simulated),
                    row.printed() == 0 || Double.isNaN(simulated)
                            ? "-"
                            : String.format(Locale.ROOT, "%+.0f %%", 100 * (simulated / row.printed() - 1))));
        }
        text.append(String.format(
                Locale.ROOT,
                "%n%-6s %-50s %10s %10s %8s  %s%n",
                "table",
                "throughput of",
                "printed",
                "simulated",
                "error",
                ""));
        for (Pair pair : PAIRS) {
            double ratio = ratio(pair);
            text.append(String.format(
                    Locale.ROOT,
                    "%-6d %-50s %10.2f %10.2f %+6.0f %%  %s%n",
                    pair.table(),
                    pair.over() + " over " + pair.under(),
                    pair.printed(),
                    ratio,
                    100 * (ratio / pair.printed() - 1),
                    !hasSign(pair, ratio) ? "WRONG SIGN" : isWithin(pair, ratio) ? "" : "sign right"));
        }
        Score score = score();
        text.append(String.format(
                Locale.ROOT,
                "%n%d comparisons: %d with the right sign, %d within %.0f %%%n",
                score.comparisons(),
                score.signs(),
                score.within(),
                100 * TOLERANCE));
        return text.toString();
    }

    static String number(double value) {
        return Double.isNaN(value)
                ? "-"
                : Math.abs(value) >= 100
                        ? String.format(Locale.ROOT, "%,.0f", value)
                        : String.format(Locale.ROOT, "%.2f", value);
    }
}
