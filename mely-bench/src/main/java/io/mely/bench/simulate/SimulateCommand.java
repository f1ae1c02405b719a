// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.simulate.machine.Outcome;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code simulate}. */
@Command(name = "simulate", mixinStandardHelpOptions = true)
public final class SimulateCommand implements Callable<Integer> {
    @Option(names = "--machine", required = true)
    private Path machine = Path.of("config/machines/xeon-e5410x2.conf");

    @Option(names = "--workload")
    private String workload = "unbalanced";

    @Option(names = "--engine", split = ",")
    private java.util.List<String> engines = java.util.List.of("mely");

    @Option(names = "--set")
    private Map<String, Double> parameters = new LinkedHashMap<>();

    @Option(names = "--lookahead")
    private double lookahead = 100;

    @Option(names = "--cores")
    private int cores;

    @Option(names = "--warm-us")
    private long warmUs = 20_000;

    @Option(names = "--measure-us")
    private long measureUs = 100_000;

    @Override
    public Integer call() {
        MachineSpec spec = MachineSpec.read(machine);
        for (String engine : engines) {
            long start = System.nanoTime();
            Outcome o = new Experiment(
                            spec,
                            cores == 0 ? spec.cpus() : cores,
                            workload,
                            engine,
                            parameters,
                            1,
                            warmUs,
                            measureUs,
                            lookahead,
                            false)
                    .run();
            System.out.printf(
                    "%-16s %8.0f KEv/s lock %5.2f%% steals/ev %.3f cost %7.0f stolen %7.0f rescues %d attempts %d L2/ev %.2f sleeps %d wakes %d host %.1fs%n",
                    engine,
                    o.kEventsPerS(),
                    o.lockShare() * 100,
                    (double) o.steals() / o.events(),
                    o.stealCycles(),
                    o.stolenCycles(),
                    o.rescues(),
                    o.attempts(),
                    o.missesPerEvent(2),
                    o.sleeps(),
                    o.wakeups(),
                    (System.nanoTime() - start) / 1e9);
        }
        return 0;
    }

    public static int execute(String... args) {
        return new CommandLine(new SimulateCommand()).execute(args);
    }
}
