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
import java.util.List;
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
 * <p>Alone it takes some minutes, and describes the machine when neighbours leave it alone. In turn with runs that are to be predicted it describes the
 * machine of just that time, neighbours included.
 *
 * <p>A cycle is that of the handlers' work in {@code paper}. What the runtime's own code takes is found with the runtime itself on cores of its own, where nobody
 * steals and nothing moves, and with the simulator: three constants are those with which both take the same time.
 */
final class Calibration implements AutoCloseable {
    /** Of each group of things that are measured in turn. */
    private static final long BUDGET_NS = TimeUnit.SECONDS.toNanos(15);

    /** Of the runtime's own code, whose runs are waited for. */
    private static final long CODE_BUDGET_NS = TimeUnit.SECONDS.toNanos(40);

    private static final int TRIAL_MS = 100;
    /** For runs that were undisturbed. */
    private static final int TRIALS_MAX = 5;

    /** Of all constants in turn: each depends a little on the others. */
    private static final int FITS = 3;

    private static final int FIT_STEPS = 4;
    /** Guess: what a second level asks for at a time. With 16 a busy last cache made everything larger than the second level too slow. */
    private static final int OVERLAP_MAX = 64;
    /** Cycles. Twice what such a branch takes on today's CPUs. */
    private static final int MISPREDICT_MAX = 40;

    private final CacheMap map;
    private final Quartile quartile;
    private final Probes probes = new Probes();
    private final Selector selector;
    private final Tries near;
    private final Tries handOvers;
    private final Tries code;
    private final Tries walks;
    private int rounds;

    private final Map<String, Found> found = new LinkedHashMap<>();

    /**
     * Of this machine.
     *
     * @param map its CPUs and caches
     * @param quartile of what neighbours only make slower
     * @throws IllegalArgumentException if the machine does not say its caches, or has one CPU
     * @throws IOException if there is no selector to be had
     */
    Calibration(CacheMap map, Quartile quartile) throws IOException {
        this.map = map;
        this.quartile = quartile;
        if (MachineFile.caches(map).isEmpty()) {
            throw new IllegalArgumentException(
                    "this machine does not say which caches it has, so its file has to be written by hand");
        }
        if (map.cpus().size() < 2) {
            throw new IllegalArgumentException("what lines cost on their way takes two CPUs: cpus=" + map.cpus());
        }
        selector = Selector.open();
        near = new Tries(probes.near(MachineFile.cacheBytes(map), selector), quartile);
        walks = new Tries(probes.walks(MachineFile.cacheBytes(map)), quartile);
        handOvers = new Tries(new HandOvers(map).probes(), Quartile.MEDIAN);
        code = new Tries(Sample.probes(), quartile);
    }

    /** Measures one group of things after the other, each until it is sure or its time is up. */
    void measure() {
        near.untilSure(System::nanoTime, BUDGET_NS);
        handOvers.untilSure(System::nanoTime, BUDGET_NS);
        measureMemory();
        walks.untilSure(System::nanoTime, BUDGET_NS);
        Sample.warm();
        code.untilSure(System::nanoTime, CODE_BUDGET_NS);
    }

    /** What has to be known, or compiled, before rounds begin. */
    void begin() {
        measureMemory();
        Sample.warm();
    }

    /** A try of hand-overs, which change most from moment to moment, and of one of the other groups but memory in turn: a second, or some if few runs are undisturbed. */
    void round() {
        handOvers.round();
        List<Tries> others = List.of(near, walks, code);
        others.get(rounds++ % others.size()).round();
    }

    /** Its array is not kept, else all that is measured later would have a full heap. */
    private void measureMemory() {
        Tries memory = new Tries(probes.memory(map), quartile);
        memory.untilSure(System::nanoTime, BUDGET_NS);
        found.putAll(memory.found());
    }

    /** A whole file of what was measured. */
    String text() throws InterruptedException, IOException {
        while (near.found().isEmpty() || walks.found().isEmpty() || code.found().isEmpty()) {
            round(); // there were fewer runs than groups
        }
        for (Tries group : List.of(near, handOvers, walks, code)) {
            found.putAll(group.found());
        }
        MachineFile file = new MachineFile(map, found, probes.sleep(), Environment.describe());
        fit(file);
        return file + (probes.sink() == 42 ? "\n" : "");
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }

    /**
     * What the runtime's code takes: its instructions, by a workload that takes colors in turn; a branch that was guessed wrong, by one that goes from
     * color to color at random; and how much of its waiting for memory is hidden, by what colors add that fit no cache.
     */
    private void fit(MachineFile file) {
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

        static Map<String, DoubleSupplier> probes() {
            Map<String, DoubleSupplier> probes = new LinkedHashMap<>();
            for (Sample sample : values()) {
                probes.put(sample.name(), sample::realNs);
            }
            return probes;
        }

        static void warm() {
            for (Sample sample : values()) {
                sample.trials(Validation.WARM_MS);
            }
        }

        /** An event of undisturbed runs, as {@link Validation} counts them; of the last runs, if none were. */
        double realNs() {
            int tries = 0;
            List<Trial.Result> results;
            do {
                results = trials(TRIAL_MS);
            } while (!results.stream().allMatch(result -> Validation.isUndisturbed(workload, result))
                    && ++tries < TRIALS_MAX);
            return results.stream()
                    .mapToDouble(result -> 1e6 / result.kEventsPerS())
                    .average()
                    .orElseThrow();
        }

        private List<Trial.Result> trials(int warmMs) {
            return Validation.both(() -> trial(warmMs), () -> trial(warmMs));
        }

        private Trial.Result trial(int warmMs) {
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

    /** Where a rising function is 0, or the bound that is nearest to it: by false position, which a function that is nearly straight soon ends. */
    private static double fit(double from, double to, DoubleUnaryOperator rising) {
        double low = from;
        double high = to;
        double atLow = rising.applyAsDouble(low);
        double atHigh = rising.applyAsDouble(high);
        if (atLow >= 0) {
            return low;
        }
        if (atHigh <= 0) {
            return high;
        }
        double found = low;
        for (int i = 0; i < FIT_STEPS; i++) {
            found = (low * atHigh - high * atLow) / (atHigh - atLow);
            double there = rising.applyAsDouble(found);
            // The side that stays counts half (Illinois), else a bent function leaves it where it was.
            if (there > 0) {
                high = found;
                atHigh = there;
                atLow /= 2;
            } else {
                low = found;
                atLow = there;
                atHigh /= 2;
            }
        }
        return found;
    }
}
