// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stages;

import io.mely.Policy;
import io.mely.admission.Admission;
import io.mely.admission.Rates;
import io.mely.admission.RequestTime;
import io.mely.admission.ResponseTime;
import io.mely.bench.paper.Cycles;
import io.mely.bench.report.BarPlot;
import io.mely.bench.report.Order;
import io.mely.bench.report.Stat;
import io.mely.bench.stages.OpenLoad.Phase;
import io.mely.bench.stages.OpenLoad.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code admission}: what a graph of two stages answers in time when more arrives than it can do, by who decides what is let in. */
@Command(
        name = "admission",
        mixinStandardHelpOptions = true,
        description =
                "Sends more to a graph of two stages than it can do, with each controller of the response time and"
                        + " with none, and prints what is answered in time. The sender is a thread of this JVM.")
public final class AdmissionCommand extends TwoStageMeasurement {
    private static final List<String> CONTROLLERS =
            List.of("none", "bound", "direct-set", "pid-set", "bound-first", "direct", "pid", "mm1");

    /** Those that see the whole request. */
    private static final List<String> WHOLE = List.of("bound", "direct-set", "pid-set");

    /** How much more than the capacity is sent to measure it. */
    private static final double FLOOD = 1.5;

    /** By which the capacity may differ between the beginning and the end of a round that counts. */
    private static final double CHANGE_MAX = 0.1;

    @Option(
            names = "--controller",
            split = ",",
            description =
                    "Only these (default: ${DEFAULT-VALUE}): bound, direct-set and pid-set see the whole request (RequestTime), the others the first stage alone"
                            + " (ResponseTime). direct-set and pid-set are told the capacity, for their rates and steps; the others have no figure but the target.")
    private List<String> controllers = CONTROLLERS;

    @Option(names = "--load", split = ",", description = "Times the capacity (default: ${DEFAULT-VALUE}).")
    private List<Double> loads = List.of(0.5, 1.0, 2.0);

    @Option(names = "--target-ms", description = "Of the 90th percentile (default: ${DEFAULT-VALUE}).")
    private int targetMs = 50;

    @Option(names = "--cores", description = "Of the runtime (default: 1, the other CPU is the sender's).")
    private int cores = 1;

    @Option(names = "--warm-seconds", description = "Under the same load, not measured (default: ${DEFAULT-VALUE}).")
    private double warmSeconds = 3;

    @Option(names = "--seconds", description = "Measured, then (default: ${DEFAULT-VALUE}).")
    private double seconds = 5;

    private final List<Run> runs = new ArrayList<>();

    /** Rounds after which the capacity was as before: in another one a load is not what it is called. */
    private final Set<Integer> steady = new HashSet<>();

    private AdmissionCommand() {
        super(200);
    }

    /**
     * Runs the command.
     *
     * @param args without the word {@code admission}
     * @return 0; 2 for wrong options; 3 if a request was lost
     */
    public static int execute(String... args) {
        return execute(new AdmissionCommand(), args);
    }

    /** A controller at a load; times in milliseconds, of what was answered in the measured time. */
    private record Run(
            String controller,
            int round,
            double load,
            double capacityPerS,
            double peakPerS,
            double duePerS,
            double answeredPerS,
            double inTimePerS,
            double p50,
            double p90,
            double p99,
            double refusedPercent,
            double senderCpuPercent) {
        double ofPeak() {
            return inTimePerS / peakPerS;
        }

        Run withPeak(double newPeakPerS) {
            return new Run(
                    controller,
                    round,
                    load,
                    capacityPerS,
                    newPeakPerS,
                    duePerS,
                    answeredPerS,
                    inTimePerS,
                    p50,
                    p90,
                    p99,
                    refusedPercent,
                    senderCpuPercent);
        }

        Map<String, Object> json() {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("controller", controller);
            all.put("round", round);
            all.put("load", load);
            all.put("capacity/s", capacityPerS);
            all.put("peak/s", peakPerS);
            all.put("due/s", duePerS);
            all.put("answered/s", answeredPerS);
            all.put("in time/s", inTimePerS);
            all.put("p50 ms", p50);
            all.put("p90 ms", p90);
            all.put("p99 ms", p99);
            all.put("refused %", refusedPercent);
            all.put("sender CPU %", senderCpuPercent);
            return all;
        }
    }

    private TwoStages start(String name, double capacityPerS, double stageNs, double nsPerCycle) {
        Duration target = Duration.ofMillis(targetMs);
        Rates rates = new Rates(capacityPerS, capacityPerS / 100, 2 * capacityPerS, 10);
        double scale = capacityPerS / 100;
        Admission.Factory controller = switch (name) {
            case "bound", "bound-first" -> ResponseTime.bound(target);
            case "direct" -> ResponseTime.direct(target);
            case "direct-set" -> ResponseTime.direct(target).withRates(rates).withScale(scale);
            case "pid" -> ResponseTime.pid(target);
            case "pid-set" -> ResponseTime.pid(target).withRates(rates).withScale(scale);
            case "mm1" -> ResponseTime.mm1(target, cores);
            default -> null;
        };
        Admission.Factory entrance = controller;
        Admission.Factory exit = null;
        if (controller != null && WHOLE.contains(name)) {
            RequestTime request =
                    RequestTime.of(controller, event -> ((Request) Objects.requireNonNull(event)).dueNs());
            entrance = request.entrance();
            exit = request.exit();
        }
        return new TwoStages(cores, Policy.colored(), entrance, exit, stageNs, nsPerCycle);
    }

    @Override
    void checkOptions() {
        check(
                targetMs >= 1 && cores >= 1 && warmSeconds >= 0 && seconds > 0,
                "target-ms and cores must be >= 1, warm-seconds >= 0, seconds > 0");
        check(loads.stream().allMatch(load -> load > 0 && load < 100), "load must be > 0 and < 100");
        controllers.forEach(
                name -> check(CONTROLLERS.contains(name), "--controller: no " + name + "; there are " + CONTROLLERS));
    }

    @Override
    boolean round(int round, double stageNs) {
        double nsPerCycle = Cycles.measureNs();
        double promisedPerS = cores * 1e9 / (2 * stageNs);
        double capacityPerS =
                run("none", round, FLOOD, promisedPerS, stageNs, nsPerCycle).answeredPerS();
        List<Run> here = new ArrayList<>();
        for (double load : loads) {
            for (String name : Order.of(controllers, Math.max(0, round))) {
                here.add(run(name, round, load, capacityPerS, stageNs, nsPerCycle));
            }
        }
        if (round >= 0) {
            double most = here.stream().mapToDouble(Run::answeredPerS).max().orElse(0);
            here.forEach(run -> runs.add(run.withPeak(Math.max(capacityPerS, most))));
        }
        double afterPerS =
                run("none", round, FLOOD, promisedPerS, stageNs, nsPerCycle).answeredPerS();
        boolean isSteady = Math.abs(afterPerS / capacityPerS - 1) <= CHANGE_MAX;
        if (isSteady) {
            steady.add(round);
        }
        return isSteady;
    }

    private Run run(String name, int round, double load, double capacityPerS, double stageNs, double nsPerCycle) {
        OpenLoad sent = new OpenLoad(round, List.of(new Phase(load * capacityPerS, warmSeconds + seconds)));
        TwoStages stages = start(name, capacityPerS, stageNs, nsPerCycle);
        sent.send(stages::offer, phase -> {});
        stages.close(sent);
        long fromNs = (long) (warmSeconds * 1e9);
        long toNs = fromNs + (long) (seconds * 1e9);
        List<Request> answers = sent.requests().stream()
                .filter(Request::isAnswered)
                .filter(r -> r.answeredNs() >= fromNs && r.answeredNs() < toNs)
                .toList();
        List<Request> due =
                sent.requests().stream().filter(r -> r.plannedNs >= fromNs).toList();
        long inTime = answers.stream()
                .filter(r -> r.responseNs() <= targetMs * 1_000_000L)
                .count();
        return new Run(
                name,
                round,
                load,
                capacityPerS,
                capacityPerS,
                due.size() / seconds,
                answers.size() / seconds,
                inTime / seconds,
                ms(answers.stream().mapToLong(Request::responseNs), 50),
                ms(answers.stream().mapToLong(Request::responseNs), 90),
                ms(answers.stream().mapToLong(Request::responseNs), 99),
                100.0 * due.stream().filter(Request::isRefused).count() / due.size(),
                100.0 * sent.cpuNs() / ((warmSeconds + seconds) * 1e9));
    }

    private double[] figure(String name, double load, ToDoubleFunction<Run> figure) {
        return runs.stream()
                .filter(run -> steady.contains(run.round()))
                .filter(run -> run.controller().equals(name) && run.load() == load)
                .mapToDouble(figure)
                .toArray();
    }

    @Override
    List<String> titles() {
        return List.of(
                "controller",
                "x capacity",
                "due/s",
                "answered/s",
                "in time/s",
                "of the peak",
                "p50 ms",
                "p90 ms",
                "p99 ms",
                "refused %",
                "sender CPU %");
    }

    @Override
    List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        for (double load : loads) {
            for (String name : controllers) {
                rows.add(List.of(
                        name,
                        String.valueOf(load),
                        median(figure(name, load, Run::duePerS), "%,.0f"),
                        median(figure(name, load, Run::answeredPerS), "%,.0f"),
                        median(figure(name, load, Run::inTimePerS), "%,.0f"),
                        medianAndSpread(figure(name, load, Run::ofPeak), "%.2f"),
                        median(figure(name, load, Run::p50), "%,.1f"),
                        medianAndSpread(figure(name, load, Run::p90), "%,.1f"),
                        median(figure(name, load, Run::p99), "%,.1f"),
                        median(figure(name, load, Run::refusedPercent), "%.1f"),
                        median(figure(name, load, Run::senderCpuPercent), "%.0f")));
            }
        }
        return rows;
    }

    @Override
    String note() {
        return "Medians of the rounds that count, and least-most: those at whose end the capacity was within a tenth of what it was at their beginning. Target of the 90th percentile: "
                + targetMs
                + " ms, from the planned arrival to the end of the second stage. Of the peak: answers in that time, over the most that the graph"
                + " answered in any run of the same round. Capacity: what it answers when 1.5 times as much is sent as it promises, and all is let in. Percentiles are of what is answered in the measured time.";
    }

    @Override
    List<Map<String, Object>> runs() {
        return runs.stream()
                .map(run -> {
                    Map<String, Object> json = run.json();
                    json.put("counts", steady.contains(run.round()));
                    return json;
                })
                .toList();
    }

    @Override
    String picture() {
        BarPlot plot = new BarPlot("Answers in time and 90th percentile by controller and load");
        for (double load : loads) {
            String at = String.format(Locale.ROOT, " at %s x load", load);
            controllers.forEach(name ->
                    plot.add("answers in time, of the peak," + at, name, Stat.of(figure(name, load, Run::ofPeak))));
        }
        for (double load : loads) {
            String at = String.format(Locale.ROOT, " at %s x load", load);
            controllers.stream()
                    .filter(name -> load <= 1 || !name.equals("none"))
                    .forEach(name -> plot.add("p90, ms," + at, name, Stat.of(figure(name, load, Run::p90))));
        }
        return plot.svg();
    }
}
