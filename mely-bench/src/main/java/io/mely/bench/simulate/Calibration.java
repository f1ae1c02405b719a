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
 * steals and nothing moves, and with the simulator: three constants are those with which both take the same time.
 */
final class Calibration {
    /** Of each group of things that are measured in turn. */
    private static final long BUDGET_NS = TimeUnit.SECONDS.toNanos(15);

    /** Of the runtime's own code, whose runs are waited for. */
    private static final long CODE_BUDGET_NS = TimeUnit.SECONDS.toNanos(40);

    private static final int TRIAL_MS = 100;
    /** For a run that was undisturbed: one core alone has it soon, if it is to be had. */
    private static final int TRIALS_MAX = 10;

    /** Of all constants in turn: each depends a little on the others. */
    private static final int FITS = 3;

    private static final int FIT_STEPS = 10;
    /** Guess: what a second level asks for at a time. With 16 a busy last cache made everything larger than the second level too slow. */
    private static final int OVERLAP_MAX = 64;
    /** Cycles. Twice what such a branch takes on today's CPUs. */
    private static final int MISPREDICT_MAX = 40;

    private final CacheMap map;
    private final Probes probes = new Probes();
    private final Map<String, Found> found = new LinkedHashMap<>();

    /**
     * Of this machine.
     *
     * @param map its CPUs and caches
     * @throws IllegalArgumentException if the machine does not say its caches, or has one CPU
     */
    Calibration(CacheMap map) {
        this.map = map;
        if (MachineFile.caches(map).isEmpty()) {
            throw new IllegalArgumentException(
                    "this machine does not say which caches it has, so its file has to be written by hand");
        }
        if (map.cpus().size() < 2) {
            throw new IllegalArgumentException("what lines cost on their way takes two CPUs: cpus=" + map.cpus());
        }
    }

    /** A whole file. */
    String text() throws InterruptedException, IOException {
        try (Selector selector = Selector.open()) {
            measure(probes.near(MachineFile.cacheBytes(map), selector), Quartile.LOWER, BUDGET_NS);
        }
        measure(new HandOvers(map).probes(), Quartile.MEDIAN, BUDGET_NS);
        measure(probes.memory(map), Quartile.LOWER, BUDGET_NS);
        measure(probes.streams(MachineFile.left(map, found).bytes()), Quartile.LOWER, BUDGET_NS);
        MachineFile file = new MachineFile(map, found, probes.sleep(), Environment.describe());
        code(file);
        return file + (probes.sink() == 42 ? "\n" : "");
    }

    private void measure(Map<String, DoubleSupplier> all, Quartile quartile, long budgetNs) {
        found.putAll(Tries.measure(all, quartile, System::nanoTime, budgetNs));
    }

    /**
     * What the runtime's code takes: its instructions, by a workload that takes colors in turn; a branch that was guessed wrong, by one that goes from
     * color to color at random; and how much of its waiting for memory is hidden, by what colors add that fit no cache.
     */
    private void code(MachineFile file) {
        Map<String, DoubleSupplier> runs = new LinkedHashMap<>();
        for (Sample sample : Sample.values()) {
            sample.trial(Validation.WARM_MS);
            runs.put(sample.name(), sample::realNs);
        }
        measure(runs, Quartile.LOWER, CODE_BUDGET_NS);
        Found inTurn = of(Sample.IN_TURN);
        Found atRandom = of(Sample.AT_RANDOM);
        Found many = of(Sample.MANY);
        Code code = new Code(0.15, 10, OVERLAP_MAX);
        for (int i = 0; i < FITS; i++) {
            Code now = code;
            Code faster = now.withPerBytecode(fit(
                    0.02, 1, value -> Sample.IN_TURN.simulatedNs(file, now.withPerBytecode(value)) - inTurn.value()));
            Code guessing = faster.withMispredict(fit(
                    0,
                    MISPREDICT_MAX,
                    value -> Sample.AT_RANDOM.simulatedNs(file, faster.withMispredict(value)) - atRandom.value()));
            double addedNs = many.value() - inTurn.value() + Sample.IN_TURN.simulatedNs(file, guessing);
            code = guessing.withMissOverlap(fit(
                    1, OVERLAP_MAX, value -> addedNs - Sample.MANY.simulatedNs(file, guessing.withMissOverlap(value))));
        }
        file.measured(
                "cpu.perBytecode", code.perBytecode(), inTurn, "spread-short takes as long on one core as simulated");
        file.line("cpu.hit", MachineFile.number(code.perBytecode()), "the same");
        file.measured("cpu.mispredict", code.mispredict(), atRandom, "so does chains; " + MISPREDICT_MAX + " at most");
        file.measured(
                "cpu.missOverlap",
                code.missOverlap(),
                many,
                "50,000 colors of spread-short instead of 10,000 add as much; " + OVERLAP_MAX + " at most");
    }

    /** What is fitted. */
    private record Code(double perBytecode, double mispredict, double missOverlap) {
        Code withPerBytecode(double cycles) {
            return new Code(cycles, mispredict, missOverlap);
        }

        Code withMispredict(double cycles) {
            return new Code(perBytecode, cycles, missOverlap);
        }

        Code withMissOverlap(double misses) {
            return new Code(perBytecode, mispredict, misses);
        }

        String text() {
            return "cpu.perBytecode=" + perBytecode + "\ncpu.hit=" + perBytecode + "\ncpu.mispredict=" + mispredict
                    + "\ncpu.missOverlap=" + missOverlap;
        }
    }

    private Found of(Sample sample) {
        return Objects.requireNonNull(found.get(sample.name()));
    }

    /** A workload on one core, where nobody steals and nothing moves, both ways. */
    private enum Sample {
        AT_RANDOM("chains", 1_024),
        IN_TURN("spread-short", 10_000),
        MANY("spread-short", 50_000);

        private final String workload;
        private final int colors;

        Sample(String workload, int colors) {
            this.workload = workload;
            this.colors = colors;
        }

        /** An event of an undisturbed run, as {@link Validation} counts them; of the last run, if none was. */
        double realNs() {
            int trials = 0;
            Trial.Result result;
            do {
                result = trial(TRIAL_MS);
            } while (!Validation.isUndisturbed(workload, result) && ++trials < TRIALS_MAX);
            return 1e6 / result.kEventsPerS();
        }

        Trial.Result trial(int warmMs) {
            return Trial.run(workload, Map.of("colors", (double) colors), "mely-off", 1, warmMs, TRIAL_MS);
        }

        double simulatedNs(MachineFile file, Code code) {
            MachineSpec spec = MachineSpec.parse(file + code.text());
            Map<String, Double> all = new TreeMap<>(Validation.SETTINGS);
            all.put("colors", (double) colors);
            return 1e6
                    / new Experiment(spec, 1, workload, "mely-off", all, 1, 8_000, 12_000, 100, false)
                            .run()
                            .kEventsPerS();
        }
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
}
