// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.paper.Trial;
import io.mely.bench.report.Environment;
import io.mely.bench.simulate.Tries.Found;
import io.mely.bench.simulate.Tries.Quartile;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.topology.CacheMap;
import java.io.IOException;
import java.nio.channels.Selector;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.DoubleUnaryOperator;

/**
 * Writes the file of the present machine: what the operating system says of it, what {@link Probes} measure, by {@link Tries}, and what has to be assumed.
 * Each line says which; what stayed unsure says so.
 *
 * <p>A cycle is that of the handlers' work in {@code paper}. What the runtime's own code takes is found with the runtime itself on one core, where nobody
 * steals and nothing moves, and with the simulator: two constants are those with which both take the same time in two workloads.
 */
final class Calibration {
    /** Of each group of things that are measured in turn. */
    private static final long BUDGET_NS = TimeUnit.SECONDS.toNanos(15);

    /** Of the runtime's own code, whose runs are waited for. */
    private static final long CODE_BUDGET_NS = TimeUnit.SECONDS.toNanos(40);

    private static final int TRIAL_MS = 100;
    /** For a run that was undisturbed: one core alone has it soon, if it is to be had. */
    private static final int TRIALS_MAX = 10;

    private static final int FIT_STEPS = 6;
    /** Guess: what a second level asks for at a time. With 16 a busy last cache made everything larger than the second level too slow. */
    private static final int OVERLAP_MAX = 64;

    /** Colors, with their events larger than a core's caches. */
    private static final Map<String, Double> MANY = Map.of("colors", 50_000.0);

    private final CacheMap map;
    private final Probes probes = new Probes();
    private final Map<String, Found> found = new LinkedHashMap<>();

    /**
     * Of this machine.
     *
     * @param map its CPUs and caches
     * @throws IllegalArgumentException if the machine does not say its caches
     */
    Calibration(CacheMap map) {
        this.map = map;
        if (MachineFile.caches(map).isEmpty()) {
            throw new IllegalArgumentException(
                    "this machine does not say which caches it has, so its file has to be written by hand");
        }
    }

    /** A whole file. */
    String text() throws InterruptedException, IOException {
        try (Selector selector = Selector.open()) {
            measure(probes.near(MachineFile.cacheBytes(map), selector), Quartile.LOWER, BUDGET_NS);
        }
        measure(probes.handOvers(), Quartile.MEDIAN, BUDGET_NS);
        measure(probes.memory(), Quartile.LOWER, BUDGET_NS);
        measure(probes.streams(MachineFile.left(map, found).bytes()), Quartile.LOWER, BUDGET_NS);
        MachineFile file = new MachineFile(map, found, probes.sleep(), Environment.describe());
        code(file);
        return file + (probes.sink() == 42 ? "\n" : "");
    }

    private void measure(Map<String, DoubleSupplier> all, Quartile quartile, long budgetNs) {
        found.putAll(Tries.measure(all, quartile, System::nanoTime, budgetNs));
    }

    /** What the runtime's code takes, and how much of its waiting for memory is hidden: with colors that fit the cache, and with many more. */
    private void code(MachineFile file) {
        trial("chains", Map.of(), Validation.WARM_MS);
        trial("spread-short", MANY, Validation.WARM_MS);
        measure(
                Map.of("small", () -> realNs("chains", Map.of()), "large", () -> realNs("spread-short", MANY)),
                Quartile.LOWER,
                CODE_BUDGET_NS);
        Found small = Objects.requireNonNull(found.get("small"));
        Found large = Objects.requireNonNull(found.get("large"));
        double perBytecode = 0.15;
        double overlap = 4;
        for (int i = 0; i < FIT_STEPS; i++) {
            double kept = overlap;
            perBytecode = fit(0.02, 1, value -> simulatedNs(file, "chains", Map.of(), value, kept) - small.value());
            double fitted = perBytecode;
            overlap = fit(
                    1, OVERLAP_MAX, value -> large.value() - simulatedNs(file, "spread-short", MANY, fitted, value));
        }
        file.measured("cpu.perBytecode", perBytecode, small, "chains takes as long on one core as simulated");
        file.line("cpu.hit", MachineFile.number(perBytecode), "the same");
        file.measured(
                "cpu.missOverlap",
                overlap,
                large,
                "so does spread-short with 50,000 colors; " + OVERLAP_MAX + " at most");
    }

    /** Where a rising function is 0. */
    private static double fit(double from, double to, DoubleUnaryOperator rising) {
        double low = from;
        double high = to;
        for (int i = 0; i < FIT_STEPS; i++) {
            double middle = (low + high) / 2;
            if (rising.applyAsDouble(middle) > 0) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return (low + high) / 2;
    }

    /** An event of an undisturbed run, as {@link Validation} counts them; of the last run, if none was. */
    private static double realNs(String workload, Map<String, Double> parameters) {
        int trials = 0;
        Trial.Result result;
        do {
            result = trial(workload, parameters, TRIAL_MS);
        } while (!Validation.isUndisturbed(workload, result) && ++trials < TRIALS_MAX);
        return 1e6 / result.kEventsPerS();
    }

    private static Trial.Result trial(String workload, Map<String, Double> parameters, int warmMs) {
        return Trial.run(workload, parameters, "mely-off", 1, warmMs, TRIAL_MS);
    }

    private static double simulatedNs(
            MachineFile file, String workload, Map<String, Double> parameters, double perBytecode, double overlap) {
        String code = "cpu.perBytecode=" + perBytecode + "\ncpu.hit=" + perBytecode + "\ncpu.missOverlap=" + overlap;
        MachineSpec spec = MachineSpec.parse(file + code);
        Map<String, Double> all = new TreeMap<>(Validation.SETTINGS);
        all.putAll(parameters);
        return 1e6
                / new Experiment(spec, 1, workload, "mely-off", all, 1, 8_000, 12_000, 100, false)
                        .run()
                        .kEventsPerS();
    }
}
