// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.Ledger;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.simulate.machine.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * The staged-server thesis's search engine by each policy, printed and simulated: its Table B compares policies, its Table C replicas and partitions. Differences are to the best row of a table, and the
 * thesis's: 100 (b - a) / ((a + b) / 2). <b>Source.</b> spec: stages §10.6, §11.
 */
final class StageTables {
    static final int CORES = 8;

    /** Printed figures; NaN for what the thesis does not have. */
    private record Row(
            char table, String label, String engine, int configuration, double printedPerS, double printedMs) {}

    private static final List<Row> ROWS = List.of(
            new Row('B', "Mely (colored)", "mely", 0, Double.NaN, Double.NaN),
            new Row('B', "Color (`central-queue`)", "central-queue", 0, 922.31, 33.97),
            new Row('B', "Color", "central-queue", -1, 921.98, 32.36),
            new Row('B', "SEDA", "seda", 0, 912.89, 200.08),
            new Row('B', "SEDA", "seda", -1, 912.48, 199.67),
            new Row('B', "SRPT", "srpt", -1, 883.80, 719.63),
            new Row('B', "SRPT", "srpt", 0, 883.48, 739.81),
            new Row('B', "MG1", "mg1", 0, 871.49, 943.22),
            new Row('B', "MG1", "mg1", -1, 871.21, 941.01),
            new Row('B', "Cohort", "cohort", 0, 846.46, 1351.58),
            new Row('B', "Cohort", "cohort", -1, 843.39, 1418.06),
            new Row('B', "DBR", "dbr", 0, 800.82, 2112.54),
            new Row('B', "DBR", "dbr", -1, 795.77, 2377.18),
            new Row('B', "SEDA", "seda", 1, 661.13, 3310.98),
            new Row('C', "8 replicas", "cohort-8-replicas", 0, 922.60, 111.57),
            new Row('C', "4 replicas", "cohort-4-replicas", 0, 911.62, 241.18),
            new Row('C', "2 replicas", "cohort-2-replicas", 0, 892.93, 541.13),
            new Row('C', "2 partitions", "cohort-2-partitions", 0, 873.73, 991.70),
            new Row('C', "none", "cohort", 0, 846.46, 1351.58),
            new Row('C', "4 partitions", "cohort-4-partitions", 0, 656.20, 4761.27));

    private record Run(String engine, int configuration) {}

    private final MachineSpec machine;
    private final Map<String, Double> parameters;
    private final long firstSeed;
    private final int seeds;
    private final long warmUs;
    private final long measureUs;
    private final Map<Run, List<Outcome>> outcomes = new LinkedHashMap<>();

    /** Of so many seeds. The parameters are the workload's, beside its configuration. */
    StageTables(
            MachineSpec machine,
            Map<String, Double> parameters,
            long firstSeed,
            int seeds,
            long warmUs,
            long measureUs) {
        this.machine = machine;
        this.parameters = Map.copyOf(parameters);
        this.firstSeed = firstSeed;
        this.seeds = seeds;
        this.warmUs = warmUs;
        this.measureUs = measureUs;
        ROWS.forEach(row -> outcomes.put(new Run(row.engine(), row.configuration()), new ArrayList<>()));
    }

    List<Experiment> experiments() {
        List<Experiment> all = new ArrayList<>();
        for (Run run : outcomes.keySet()) {
            for (int i = 0; i < seeds; i++) {
                Map<String, Double> settings = new TreeMap<>(parameters);
                settings.put("configuration", (double) run.configuration());
                all.add(new Experiment(
                        machine,
                        CORES,
                        "search",
                        run.engine(),
                        settings,
                        firstSeed + i,
                        warmUs,
                        measureUs,
                        SimulateCommand.LOOKAHEAD,
                        false));
            }
        }
        return all;
    }

    void put(Outcome outcome) {
        Experiment experiment = outcome.experiment();
        int configuration =
                experiment.parameters().getOrDefault("configuration", 0.0).intValue();
        outcomes.getOrDefault(new Run(experiment.engine(), configuration), new ArrayList<>())
                .add(outcome);
    }

    /** Both tables, as a page has them. */
    String text() {
        return table('B', "Policy") + '\n' + table('C', "Cohort with");
    }

    private String table(char name, String first) {
        List<Row> rows = ROWS.stream().filter(row -> row.table() == name).toList();
        double bestPrinted = rows.stream()
                .mapToDouble(Row::printedPerS)
                .filter(rate -> !Double.isNaN(rate))
                .max()
                .orElse(Double.NaN);
        double best = rows.stream()
                .filter(row -> !Double.isNaN(row.printedPerS())) // ours is beside the comparison
                .mapToDouble(row -> mean(row, StageTables::perS))
                .max()
                .orElse(Double.NaN);
        StringBuilder text = new StringBuilder("| " + first
                + " | Configuration | Printed /s | Simulated /s, deviation | Printed ms | Simulated ms, mean | p99 ms | Busy % | Visits that find something % |\n"
                + "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
        for (Row row : rows) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %s | %s, %.1f | %s | %s | %s | %.0f | %s |%n",
                    row.label(),
                    configuration(row.configuration()),
                    rate(row.printedPerS(), bestPrinted),
                    rate(mean(row, StageTables::perS), best),
                    deviation(row, StageTables::perS),
                    ms(row.printedMs()),
                    ms(mean(row, outcome -> outcome.sojournNs().getMean() / 1e6)),
                    ms(mean(row, outcome -> outcome.sojournNs().getValueAtPercentile(99) / 1e6)),
                    mean(row, outcome -> 100 * (1 - outcome.share(Ledger.Activity.IDLE))),
                    percent(mean(row, StageTables::successes))));
        }
        return text.toString();
    }

    private static String configuration(int configuration) {
        return configuration < 0 ? "underthreaded" : configuration > 0 ? "overthreaded" : "normal";
    }

    private static double perS(Outcome outcome) {
        return outcome.extras().getOrDefault("answers", Double.NaN) / outcome.seconds();
    }

    private static double successes(Outcome outcome) {
        return 100
                * outcome.extras().getOrDefault("successfulVisits", Double.NaN)
                / outcome.extras().getOrDefault("visits", Double.NaN);
    }

    private double mean(Row row, ToDoubleFunction<Outcome> figure) {
        return outcomes.getOrDefault(new Run(row.engine(), row.configuration()), List.of()).stream()
                .mapToDouble(figure)
                .average()
                .orElse(Double.NaN);
    }

    private double deviation(Row row, ToDoubleFunction<Outcome> figure) {
        List<Outcome> runs = outcomes.getOrDefault(new Run(row.engine(), row.configuration()), List.of());
        double mean = mean(row, figure);
        double squares = runs.stream()
                .mapToDouble(figure)
                .map(value -> (value - mean) * (value - mean))
                .sum();
        return runs.size() < 2 ? 0 : Math.sqrt(squares / (runs.size() - 1));
    }

    private static String rate(double rate, double best) {
        if (Double.isNaN(rate)) {
            return "-";
        }
        double difference = 100 * (rate - best) / ((rate + best) / 2);
        return difference == 0
                ? String.format(Locale.ROOT, "%.0f (best)", rate)
                : String.format(Locale.ROOT, "%.0f (%+.1f %%)", rate, difference);
    }

    private static String ms(double ms) {
        return Double.isNaN(ms) ? "-" : String.format(Locale.ROOT, ms < 100 ? "%.1f" : "%,.0f", ms);
    }

    private static String percent(double percent) {
        return Double.isNaN(percent) ? "-" : String.format(Locale.ROOT, "%.0f", percent);
    }
}
