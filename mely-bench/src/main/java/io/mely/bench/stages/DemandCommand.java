// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Policy;
import io.mely.bench.paper.Cycles;
import io.mely.bench.report.LinePlot;
import io.mely.bench.report.Order;
import io.mely.bench.report.Stat;
import io.mely.bench.stages.OpenLoad.Phase;
import io.mely.bench.stages.OpenLoad.Request;
import io.mely.policy.CentralQueue;
import io.mely.policy.DemandPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code demand}: response times and CPU time of cores by demand while the load steps up and down, beside fixed numbers of cores at each load. */
@Command(
        name = "demand",
        mixinStandardHelpOptions = true,
        description =
                "Steps the load of two stages up and down under the policy of cores by demand, and prints response times and CPU"
                        + " time of each phase, beside the smallest fixed number of cores that meets the goal. The sender is a thread of this JVM.")
public final class DemandCommand extends TwoStageMeasurement {
    private static final String BY_DEMAND = "by demand";

    /** After a step; then the goal must be met. */
    private static final double SETTLE_S = 1;

    /** Of the picture. */
    private static final double WINDOW_S = 0.1;

    @Option(names = "--goal-ms", description = "Response time to keep (default: ${DEFAULT-VALUE}).")
    private int goalMs = 20;

    @Option(names = "--cores", description = "Of the runtime (default: ${DEFAULT-VALUE}).")
    private int cores = 2;

    @Option(names = "--low", description = "Load, of what one core can do (default: ${DEFAULT-VALUE}).")
    private double low = 0.05;

    @Option(names = "--high", description = "The same, after the step (default: ${DEFAULT-VALUE}).")
    private double high = 1.5;

    @Option(names = "--seconds", description = "Of each phase, more than 1 (default: ${DEFAULT-VALUE}).")
    private double seconds = 5;

    private final List<Run> runs = new ArrayList<>();

    /** Rounds in which all cores, all the time, have met the goal at each load. In another one it says nothing that the policy has missed it. */
    private final Set<Integer> undisturbed = new HashSet<>();

    private DemandCommand() {
        super(100);
    }

    /**
     * Runs the command.
     *
     * @param args without the word {@code demand}
     * @return 0; 2 for wrong options; 3 if a request was lost
     */
    public static int execute(String... args) {
        return execute(new DemandCommand(), args);
    }

    /**
     * A contender in a phase; times in milliseconds.
     *
     * @param load of the phase
     * @param cpuPercent of a CPU, by the threads of the runtime
     * @param settling the 99th percentile in the first second of the phase
     * @param p99 after that
     * @param windows the same of each tenth of a second
     */
    private record Run(
            String contender,
            int round,
            int phase,
            double load,
            double cpuPercent,
            double senderCpuPercent,
            double settling,
            double p50,
            double p99,
            List<Double> windows) {
        Map<String, Object> json() {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("contender", contender);
            all.put("round", round);
            all.put("phase", phase);
            all.put("load", load);
            all.put("CPU %", cpuPercent);
            all.put("sender CPU %", senderCpuPercent);
            all.put("first second p99 ms", settling);
            all.put("p50 ms", p50);
            all.put("p99 ms", p99);
            all.put("p99 ms of each 0.1 s", windows);
            return all;
        }
    }

    private static String fixed(int count) {
        return count == 1 ? "1 core" : count + " cores";
    }

    @Override
    void checkOptions() {
        check(
                goalMs >= 1 && cores >= 1 && low > 0 && high > 0 && seconds > SETTLE_S,
                "goal-ms and cores must be >= 1, low and high > 0, seconds > 1");
    }

    @Override
    boolean round(int round, double stageNs) {
        double nsPerCycle = Cycles.measureNs();
        List<Integer> all = IntStream.rangeClosed(0, cores).boxed().toList();
        for (int count : Order.of(all, Math.max(0, round))) {
            if (count == 0) {
                Policy policy = Policy.of("by-demand", DemandPolicy.of(Duration.ofMillis(goalMs)));
                run(BY_DEMAND, policy, round, List.of(low, high, low), stageNs, nsPerCycle);
            } else {
                for (double load : List.of(low, high)) {
                    Policy policy = Policy.of("fixed", workers -> new CentralQueue(workers, count));
                    run(fixed(count), policy, round, List.of(load), stageNs, nsPerCycle);
                }
            }
        }
        boolean isUndisturbed = runs.stream()
                .filter(run -> run.round() == round && run.contender().equals(fixed(cores)))
                .allMatch(run -> run.p99() <= goalMs);
        if (isUndisturbed) {
            undisturbed.add(round);
        }
        return isUndisturbed;
    }

    /** Begins with a second that does not count, at the first load. */
    private void run(String name, Policy policy, int round, List<Double> loads, double stageNs, double nsPerCycle) {
        double onePerS = 1e9 / (2 * stageNs);
        List<Phase> phases = new ArrayList<>();
        phases.add(new Phase(loads.get(0) * onePerS, SETTLE_S));
        loads.forEach(load -> phases.add(new Phase(load * onePerS, seconds)));
        OpenLoad sent = new OpenLoad(round, phases);
        TwoStages stages = new TwoStages(cores, policy, null, null, stageNs, nsPerCycle);
        long[] cpuNs = new long[phases.size()];
        sent.send(stages::offer, phase -> cpuNs[(int) phase] = stages.cpuNs());
        stages.close(sent);
        double senderCpuPercent = 100.0 * sent.cpuNs() / ((SETTLE_S + loads.size() * seconds) * 1e9);
        for (int i = 1; i < phases.size(); i++) {
            double beginS = SETTLE_S + (i - 1) * seconds;
            List<Double> windows = new ArrayList<>();
            for (int window = 0; (window + 1) * WINDOW_S <= seconds; window++) {
                windows.add(ms(sent, beginS + window * WINDOW_S, beginS + (window + 1) * WINDOW_S, 99));
            }
            Run run = new Run(
                    name,
                    round,
                    i - 1,
                    loads.get(i - 1),
                    100.0 * (cpuNs[i] - cpuNs[i - 1]) / (seconds * 1e9),
                    senderCpuPercent,
                    ms(sent, beginS, beginS + SETTLE_S, 99),
                    ms(sent, beginS + SETTLE_S, beginS + seconds, 50),
                    ms(sent, beginS + SETTLE_S, beginS + seconds, 99),
                    windows);
            if (round >= 0) {
                runs.add(run);
            }
        }
    }

    /** Of requests due in a part of the time. */
    private static double ms(OpenLoad sent, double fromS, double toS, double percent) {
        return ms(
                sent.requests().stream()
                        .filter(r -> r.plannedNs >= fromS * 1e9 && r.plannedNs < toS * 1e9)
                        .mapToLong(Request::responseNs),
                percent);
    }

    private double[] figure(String contender, int phase, double load, ToDoubleFunction<Run> figure) {
        return runs.stream()
                .filter(run -> undisturbed.contains(run.round()))
                .filter(run -> run.contender().equals(contender) && run.phase() == phase && run.load() == load)
                .mapToDouble(figure)
                .toArray();
    }

    /** The smallest fixed number that meets the goal at a load; all if none does. */
    private int best(double load) {
        return IntStream.range(1, cores)
                .filter(count ->
                        Stat.of(figure(fixed(count), 0, load, Run::p99)).median() <= goalMs)
                .findFirst()
                .orElse(cores);
    }

    @Override
    List<String> titles() {
        return List.of(
                "phase",
                "load %",
                "contender",
                "p99 ms",
                "p99 ms, first s",
                "p50 ms",
                "CPU %",
                "CPU of the best",
                "sender CPU %");
    }

    @Override
    List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        List<Double> loads = List.of(low, high, low);
        double ours = 0;
        double best = 0;
        for (int i = 0; i < loads.size(); i++) {
            double load = loads.get(i);
            double bestCpu =
                    Stat.of(figure(fixed(best(load)), 0, load, Run::cpuPercent)).median();
            best += bestCpu;
            ours += Stat.of(figure(BY_DEMAND, i, load, Run::cpuPercent)).median();
            rows.add(row(i, load, BY_DEMAND, i, bestCpu));
            if (i < 2) {
                for (int count = 1; count <= cores; count++) {
                    rows.add(row(i, load, fixed(count), 0, bestCpu));
                }
            }
        }
        List<String> sum = new ArrayList<>(List.of("all", "", BY_DEMAND, "", "", ""));
        sum.add(median(new double[] {ours / loads.size()}, "%.1f"));
        sum.add(median(new double[] {ours / best}, "%.2f"));
        sum.add("");
        rows.add(sum);
        return rows;
    }

    private List<String> row(int phase, double load, String contender, int itsPhase, double bestCpu) {
        return List.of(
                String.valueOf(phase + 1),
                median(new double[] {100 * load}, "%.0f"),
                contender + (contender.equals(fixed(best(load))) ? " *" : ""),
                medianAndSpread(figure(contender, itsPhase, load, Run::p99), "%,.1f"),
                median(figure(contender, itsPhase, load, Run::settling), "%,.1f"),
                median(figure(contender, itsPhase, load, Run::p50), "%,.2f"),
                median(figure(contender, itsPhase, load, Run::cpuPercent), "%.1f"),
                median(figure(contender, itsPhase, load, run -> run.cpuPercent() / bestCpu), "%.2f"),
                median(figure(contender, itsPhase, load, Run::senderCpuPercent), "%.0f"));
    }

    @Override
    String note() {
        return "Medians of the rounds that count, and least-most: those in which all cores, running all the time, met the goal at each load. Load: of what one core can do. Goal: "
                + goalMs
                + " ms, from the planned arrival. p99 from one second after a step; that second apart. * the smallest fixed number of cores that meets"
                + " the goal, measured at that load alone. CPU: of the runtime's threads, not the sender's.";
    }

    @Override
    List<Map<String, Object>> runs() {
        return runs.stream()
                .map(run -> {
                    Map<String, Object> json = run.json();
                    json.put("counts", undisturbed.contains(run.round()));
                    return json;
                })
                .toList();
    }

    @Override
    String picture() {
        LinePlot plot = new LinePlot(
                "99th percentile of each tenth of a second while the load steps up and down",
                new LinePlot.Axis("s", false),
                new LinePlot.Axis("p99, ms", true));
        int windows = (int) (seconds / WINDOW_S);
        List<LinePlot.Point> points = new ArrayList<>();
        for (int i = 0; i < 3 * windows; i++) {
            int phase = i / windows;
            int window = i % windows;
            Stat stat = Stat.of(figure(
                    BY_DEMAND,
                    phase,
                    phase == 1 ? high : low,
                    run -> run.windows().get(window)));
            points.add(new LinePlot.Point((i + 0.5) * WINDOW_S, stat.median(), stat.least(), stat.most()));
        }
        plot.add(BY_DEMAND, points);
        plot.add(
                "goal",
                Stream.of(0, 3 * windows)
                        .map(i -> new LinePlot.Point(i * WINDOW_S, goalMs, goalMs, goalMs))
                        .toList());
        return plot.svg()
                .replaceFirst(
                        "<svg ",
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" font-size=\"13\" style=\"background:#fff\" ");
    }
}
