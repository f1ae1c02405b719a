// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.paper.Engines.Family;
import io.mely.bench.paper.Report.Sample;
import io.mely.bench.report.Stat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What the tables say in short: Mely beside the best peer of each family, and stealing beside none.
 *
 * <p>All ratios are within a round, since what the machine did in a round fell on both; above 1 the first is better.
 */
final class Comparisons {
    static final String ON = "mely";
    static final String OFF = "mely-nosteal";
    /** The same as {@link #OFF}: beside it, it shows what the machine alone can do to a ratio. */
    static final String OFF_AGAIN = "mely-nosteal-again";

    /** Peers by how they use workers, and the bound that needs no second one. */
    private static final List<Family> PEERS = List.of(Family.BY_HASH, Family.BALANCING, Family.FLOOR);

    private final List<Sample> samples;

    Comparisons(List<Sample> samples) {
        this.samples = samples;
    }

    /** What is compared. */
    private record Figure(String name, boolean isHigherBetter, ToDoubleFunction<Sample> value) {
        double ratio(double mine, double theirs) {
            return isHigherBetter ? mine / theirs : theirs / mine;
        }
    }

    /**
     * A line of a comparison.
     *
     * @param figure its name with unit
     * @param ratio of the rounds that both ran in
     * @param rounds how many these are
     */
    record Ratio(String workload, String figure, String mine, String theirs, Stat ratio, int rounds) {
        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("workload", workload);
            json.put("figure", figure);
            json.put("mine", mine);
            json.put("theirs", theirs);
            json.put("ratioMedian", ratio.median());
            json.put("ratioLeast", ratio.least());
            json.put("ratioMost", ratio.most());
            json.put("rounds", rounds);
            return json;
        }

        String text() {
            return rounds == 0 ? "-" : number(ratio.median()) + " (" + ratio.spread(Comparisons::number) + ")";
        }
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.2f", value);
    }

    private List<String> workloads() {
        return samples.stream().map(Sample::workload).distinct().toList();
    }

    private List<Sample> of(String workload) {
        return samples.stream().filter(s -> s.workload().equals(workload)).toList();
    }

    /** A time of waiting has three figures, of which the tail is not the only one. */
    private static List<Figure> figures(Sample any) {
        Metric metric = any.metric();
        if (!metric.equals(Metric.P99_US)) {
            return List.of(new Figure(metric.unit(), metric.isHigherBetter(), Sample::value));
        }
        return Stream.of("p50 us", "p99 us", "p99.9 us")
                .map(name -> new Figure(name, false, s -> s.measured().extra(name)))
                .toList();
    }

    private static Ratio ratio(List<Sample> runs, Figure figure, String mine, String theirs) {
        Map<Integer, Double> byRound = new HashMap<>();
        runs.stream()
                .filter(s -> s.engine().equals(theirs))
                .forEach(s -> byRound.put(s.round(), figure.value().applyAsDouble(s)));
        double[] ratios = runs.stream()
                .filter(s -> s.engine().equals(mine))
                .mapToDouble(
                        s -> figure.ratio(figure.value().applyAsDouble(s), byRound.getOrDefault(s.round(), Double.NaN)))
                .filter(r -> !Double.isNaN(r))
                .toArray();
        return new Ratio(runs.get(0).workload(), figure.name(), mine, theirs, Stat.of(ratios), ratios.length);
    }

    /** The contender of a family whose median is best. */
    private static Optional<String> best(List<Sample> runs, Figure figure, Family family) {
        Comparator<String> byMedian = Comparator.comparingDouble(engine -> Stat.of(
                        runs.stream().filter(s -> s.engine().equals(engine)).toList(), figure.value())
                .median());
        return runs.stream()
                .map(Sample::engine)
                .distinct()
                .filter(engine -> Engines.family(engine) == family)
                .min(figure.isHigherBetter() ? byMedian.reversed() : byMedian);
    }

    /** Mely beside the best peer of each family, by workload and figure. */
    List<Ratio> besideBestPeers() {
        List<Ratio> ratios = new ArrayList<>();
        for (String workload : workloads()) {
            List<Sample> runs = of(workload);
            if (runs.stream().noneMatch(s -> s.engine().equals(ON))) {
                continue;
            }
            for (Figure figure : figures(runs.get(0))) {
                for (Family family : PEERS) {
                    best(runs, figure, family).ifPresent(peer -> ratios.add(ratio(runs, figure, ON, peer)));
                }
            }
        }
        return ratios;
    }

    static final List<String> PEER_TITLES = List.of(
            "Mely beside the best",
            "figure",
            "that keeps a key on its worker",
            "x",
            "that balances",
            "x",
            "on one thread",
            "x");

    /** A row for each workload and figure. */
    List<List<String>> peerRows() {
        Map<List<String>, Map<Family, Ratio>> byRow = new LinkedHashMap<>();
        for (Ratio ratio : besideBestPeers()) {
            byRow.computeIfAbsent(List.of(ratio.workload(), ratio.figure()), row -> new HashMap<>())
                    .put(Engines.family(ratio.theirs()), ratio);
        }
        List<List<String>> rows = new ArrayList<>();
        byRow.forEach((row, ratios) -> {
            List<String> cells = new ArrayList<>(row);
            for (Family family : PEERS) {
                Ratio ratio = ratios.get(family);
                cells.add(ratio == null ? "-" : ratio.theirs());
                cells.add(ratio == null ? "-" : ratio.text());
            }
            rows.add(cells);
        });
        return rows;
    }

    /**
     * Stealing on beside off in a workload, and off beside off.
     *
     * @param noise off again beside off
     * @param isMet whether the median of the first is at least the bound
     */
    record Check(Ratio ratio, Ratio noise, double bound, boolean isMet) {
        Map<String, Object> json() {
            Map<String, Object> json = ratio.json();
            json.put("bound", bound);
            json.put("isMet", isMet);
            json.put("noise", noise.json());
            return json;
        }
    }

    /** Of each workload that ran both. */
    List<Check> stealingOnBesideOff(double bound) {
        List<Check> checks = new ArrayList<>();
        for (String workload : workloads()) {
            List<Sample> runs = of(workload);
            Figure figure = figures(runs.get(0)).get(0);
            Ratio ratio = ratio(runs, figure, ON, OFF);
            if (ratio.rounds() > 0) {
                checks.add(new Check(
                        ratio,
                        ratio(runs, figure, OFF_AGAIN, OFF),
                        bound,
                        ratio.ratio().median() >= bound));
            }
        }
        return checks;
    }

    static final List<String> CHECK_TITLES =
            List.of("stealing on / off", "median (least-most)", "bound", "off / off", "rounds", "the median is");

    static List<List<String>> checkRows(List<Check> checks) {
        return checks.stream()
                .map(c -> List.of(
                        c.ratio().workload(),
                        c.ratio().text(),
                        number(c.bound()),
                        c.noise().text(),
                        Integer.toString(c.ratio().rounds()),
                        c.isMet() ? "within" : "BELOW"))
                .toList();
    }

    /** A table for people at a terminal, as wide as it must be. */
    static String text(List<String> titles, List<List<String>> rows) {
        if (rows.isEmpty()) {
            return "";
        }
        int[] widths = titles.stream().mapToInt(String::length).toArray();
        rows.forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        StringBuilder out = new StringBuilder();
        Stream.concat(Stream.of(titles), rows.stream()).forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                out.append(String.format(
                        Locale.ROOT, i == 0 ? "  %-" + widths[i] + "s" : "  %" + widths[i] + "s", row.get(i)));
            }
            out.append('\n');
        });
        return out.toString();
    }
}
