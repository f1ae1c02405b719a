// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.stingy.model.BufferProgram;
import io.mely.bench.stingy.model.ModelFile;
import io.mely.bench.stingy.model.StageModel;
import io.mely.bench.stingy.run.Curve;
import io.mely.bench.stingy.run.Here;
import io.mely.bench.stingy.solve.Explanation;
import io.mely.bench.stingy.solve.InfeasibleException;
import io.mely.bench.stingy.solve.Planner;
import io.mely.bench.stingy.walk.Walk;
import io.mely.deploy.stingy.HoconFile.WrongFileException;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.PlanFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stingy run}: from classes to a plan, and what the plan brings. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description =
                "Walks classes, makes a plan, and runs the program's stages and buffers with and without it: requests a"
                        + " second and cache misses by requests in flight, on a simulated core, and here with --real."
                        + " A place that ends in .conf is a model, in place of classes. Exit code 1: one request does not fit.")
final class RunCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Mixin
    private final Classes classes = new Classes();

    @Option(
            names = "--machine",
            paramLabel = "FILE",
            description = "Of the simulator; \"simulate --calibrate\" measures this one (default: ${DEFAULT-VALUE}).")
    private Path machine = Path.of("config/machines/development-2-epyc.conf");

    @Option(
            names = "--machine-set",
            paramLabel = "KEY=VALUE",
            description = "A line of the machine's file that counts in place of it, as memory.latency=300.")
    private List<String> better = List.of();

    @Option(
            names = "--region",
            paramLabel = "SIZE",
            description = "As 1 MiB (default: of a model its own, else a core's share of the machine's caches).")
    private @Nullable String region;

    @Option(
            names = "--without",
            split = ",",
            paramLabel = "STAGE",
            description = "Stages that carry little load; requests end where they went there.")
    private List<String> without = List.of();

    @Option(names = "--separate", description = "As of gen.")
    private boolean isSeparate;

    @Option(names = "--plan-out", paramLabel = "FILE", description = "Writes the plan.")
    private @Nullable Path planOut;

    @Option(
            names = "--in-flight",
            split = ",",
            paramLabel = "N",
            description = "Requests in flight (default: ${DEFAULT-VALUE}).")
    private List<Integer> inFlight = List.of(1, 4, 16, 64, 256, 1024, 4096);

    @Option(
            names = "--engine",
            paramLabel = "NAME",
            description = "Policy of the stages (default: ${DEFAULT-VALUE}, the paper's: first come, first served)."
                    + " With mely each request has a color.")
    private String engine = Curve.ENGINE;

    @Option(
            names = "--handler-ns",
            paramLabel = "NS",
            description =
                    "What a handler computes beside its way through the buffers (default: ${DEFAULT-VALUE}: Mely is for"
                            + " handlers of a microsecond and more).")
    private int handlerNs = 1_000;

    @Option(
            names = "--code",
            paramLabel = "SIZE",
            description = "A stage's code, for a weight of 1 (default: ${DEFAULT-VALUE}).")
    private String code = "8 KiB";

    @Option(
            names = "--round-trip-us",
            paramLabel = "US",
            description = "Between the end of a request and the next, simulated only (default: ${DEFAULT-VALUE}).")
    private int roundTripUs = 50;

    @Option(
            names = "--pool-ns",
            paramLabel = "NS",
            description =
                    "A buffer of the ordinary allocator and its release, simulated only (default: ${DEFAULT-VALUE}:"
                            + " measured by the JMH benchmark BufferBenchmark.pool).")
    private double poolNs = 100;

    @Option(
            names = "--buffer-ns",
            paramLabel = "NS",
            description = "The same of the region, beyond its accounts, which are simulated (default: ${DEFAULT-VALUE}:"
                    + " BufferBenchmark.region less .accounts).")
    private double bufferNs = 40;

    @Option(names = "--seed", description = "Of the simulator (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = "--plot", paramLabel = "FILE", description = "Writes requests a second as SVG.")
    private @Nullable Path plot;

    @Option(names = "--plot-misses", paramLabel = "FILE", description = "Writes misses a request as SVG.")
    private @Nullable Path plotMisses;

    @Option(names = "--csv", paramLabel = "FILE", description = "Writes all simulated figures.")
    private @Nullable Path csv;

    @Option(names = "--real", description = "Also on one core here, with real buffers.")
    private boolean isReal;

    @Option(names = "--rounds", description = "Of --real: runs with and without, in turn (default: ${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(
            names = "--requests",
            description = "Of --real: of each run, and at least eight for each in flight (default: ${DEFAULT-VALUE}).")
    private int requests = 50_000;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        PrintWriter out = spec.commandLine().getOut();
        check();
        MachineSpec described = machine();
        Planner planner;
        BufferProgram program;
        MemoryPlan plan;
        try {
            StageModel model = model(described);
            planner = new Planner(model, !isSeparate);
            plan = planner.plan();
            program = new BufferProgram(model, plan);
        } catch (IOException e) {
            throw Output.wrong(spec, Output.unreadable(e));
        } catch (WrongFileException | IllegalArgumentException e) {
            throw Output.wrong(spec, String.valueOf(e.getMessage()));
        } catch (InfeasibleException e) {
            err.println(e.getMessage());
            return Output.FAILED;
        }
        out.println(new Explanation(planner));
        if (plan.objects().isEmpty()) {
            err.println(
                    "No buffer is managed, so nothing would change: --annotations, or an edited model, says what the"
                            + " classes do not.");
            return Output.FAILED;
        }
        int code = planOut == null
                ? Output.OK
                : Output.write(spec, planOut, PlanFile.write(plan, List.of("Made by \"stingy run\".")));
        Curve curve = curve(described, program);
        curve.run(inFlight, said -> {
            err.println(said);
            err.flush();
        });
        out.println(curve.text());
        code = Math.max(code, plot == null ? Output.OK : Output.write(spec, plot, curve.throughputSvg()));
        code = Math.max(code, plotMisses == null ? Output.OK : Output.write(spec, plotMisses, curve.missesSvg()));
        code = Math.max(code, csv == null ? Output.OK : Output.write(spec, csv, curve.csv()));
        if (isReal) {
            out.println(new Here(program, handlerNs, requests, rounds).measure(inFlight));
        }
        out.flush();
        return code;
    }

    private void check() {
        if (inFlight.isEmpty() || inFlight.stream().anyMatch(count -> count < 1 || count > Curve.IN_FLIGHT_MAX)) {
            throw Output.wrong(spec, "--in-flight must be 1 to " + Curve.IN_FLIGHT_MAX + ": " + inFlight);
        }
        if (handlerNs < 0 || roundTripUs < 0 || !(poolNs >= 0) || !(bufferNs >= 0) || rounds < 1 || requests < 1) {
            throw Output.wrong(spec, "times must be >= 0, --rounds and --requests >= 1");
        }
        if (!Curve.engines().contains(engine)) {
            throw Output.wrong(spec, "--engine must be one of " + String.join(", ", Curve.engines()) + ": " + engine);
        }
    }

    private MachineSpec machine() {
        try {
            return MachineSpec.read(machine, String.join("\n", better));
        } catch (IllegalArgumentException e) {
            throw Output.wrong(spec, String.valueOf(e.getMessage()));
        }
    }

    private StageModel model(MachineSpec described) throws IOException, WrongFileException {
        Path first = classes.places.get(0);
        boolean isModel = first.toString().endsWith(".conf");
        if (isModel && (classes.places.size() > 1 || !without.isEmpty() || classes.annotations != null)) {
            throw Output.wrong(
                    spec, "a model stands alone, without other places, --without or --annotations: " + first);
        }
        if (isModel) {
            StageModel model = ModelFile.read(first);
            return region == null ? model : model.withRegion(Output.bytes(spec, "--region", region));
        }
        long bytes = region == null ? Curve.share(described) : Output.bytes(spec, "--region", region);
        Walk walk = new Walk(classes.places, classes.packages, classes.annotations);
        if (walk.stageNames().isEmpty()) {
            throw Output.wrong(spec, "no call of Mely.stage is in these classes");
        }
        walk.unresolved().forEach(what -> spec.commandLine().getErr().println("unknown: " + what));
        WalkCommand.checkStages(spec, walk, without);
        return walk.model(bytes, List.of(), without);
    }

    private Curve curve(MachineSpec described, BufferProgram program) {
        return new Curve(
                described,
                program,
                engine,
                handlerNs,
                roundTripUs,
                codeBytes(),
                new Curve.Costs(poolNs, bufferNs),
                seed);
    }

    private int codeBytes() {
        return (int) Math.min(Integer.MAX_VALUE, Output.bytes(spec, "--code", code));
    }
}
