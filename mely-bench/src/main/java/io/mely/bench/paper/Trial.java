// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.bench.paper.Workload.Measured;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One run of a contender, checked: for those who compare it with what they expected.
 *
 * <p>The parameters of workloads have the names that {@code simulate --set} gives them, so that one map serves both.
 */
public final class Trial {
    /** A shorter run is not for its figures, and a full collection takes longer than it. */
    private static final long COLLECTED_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private Trial() {}

    /**
     * What a run gave, and whether the machine was its own.
     *
     * @param kEventsPerS thousand events a second
     * @param lost share of the workers' time, the warm-up's included, in which they wanted a CPU and had none; of contenders other than Mely
     *     only what the host took
     * @param rescues steals from a worker that was stuck in a handler, the warm-up's included; 0 if the contender does not steal
     */
    public record Result(double kEventsPerS, double lost, long rescues) {}

    /**
     * Runs a contender.
     *
     * @param name of the workload
     * @param parameters of it
     * @param engine its name
     * @param workers threads that run events
     * @param warmMs before the clock starts
     * @param measureMs then, to the end of a round
     * @return what it gave
     * @throws CheckFailedException if it did anything wrong
     * @throws IllegalArgumentException for an unknown workload or engine
     */
    public static Result run(
            String name, Map<String, Double> parameters, String engine, int workers, int warmMs, int measureMs) {
        Function<Setup, KeyedExecutor> contender = Engines.byName().get(engine);
        if (contender == null) {
            throw new IllegalArgumentException("no such contender: engine=" + engine);
        }
        Measured measured = run(
                workload(name, parameters, workers),
                contender,
                workers,
                false,
                false,
                TimeUnit.MILLISECONDS.toNanos(warmMs),
                TimeUnit.MILLISECONDS.toNanos(measureMs),
                TIMEOUT_NS);
        if (measured == null) {
            throw new IllegalArgumentException(engine + " cannot run it: workload=" + name);
        }
        return new Result(measured.kEventsPerS(), measured.lost() / workers, measured.rescuesInAll());
    }

    /**
     * What the handlers of a workload compute, now, with their data in the nearest caches.
     *
     * @param name of the workload
     * @param parameters of it
     * @return nanoseconds by the simulator's parameter that has it in cycles; empty if they only burn cycles
     * @throws IllegalArgumentException for an unknown workload
     */
    public static Map<String, Double> bodiesNs(String name, Map<String, Double> parameters) {
        return workload(name, parameters, 1).bodiesNs();
    }

    /**
     * A cycle of the handlers' work, now.
     *
     * @return nanoseconds
     */
    public static double nsPerCycle() {
        return Cycles.measureNs();
    }

    private static Workload workload(String name, Map<String, Double> parameters, int workers) {
        Unbalanced.Options unbalanced = Unbalanced.Options.paper().withColors(value(parameters, "colors", 50_000));
        int partBytes = value(parameters, "partBytes", 4 << 10);
        return switch (name) {
            case "unbalanced" -> new Unbalanced(unbalanced);
            case "spread" -> new Unbalanced(unbalanced.withHomes(workers));
            case "spread-short" -> new Unbalanced(unbalanced.withHomes(workers).withoutLong());
            case "penalty" ->
                new Penalty(new Penalty.Options(
                        value(parameters, "colors", 256),
                        value(parameters, "parts", 64) * partBytes,
                        partBytes,
                        value(parameters, "kept", 0) != 0));
            case "cache-efficient" ->
                new CacheEfficient(new CacheEfficient.Options(
                        workers, value(parameters, "perCore", 100), value(parameters, "ints", 4_096)));
            case "ping-pong" -> new PingPong(value(parameters, "hops", 20_000));
            case "chains" ->
                new Chains(new Chains.Options(
                        value(parameters, "chains", 1_000),
                        value(parameters, "colors", 1_024),
                        value(parameters, "hops", 100)));
            default -> throw new IllegalArgumentException("no such workload: workload=" + name);
        };
    }

    private static int value(Map<String, Double> parameters, String name, int otherwise) {
        return (int) (double) parameters.getOrDefault(name, (double) otherwise);
    }

    /** Returns null if the contender cannot run it. */
    static @Nullable Measured run(
            Workload workload,
            Function<Setup, KeyedExecutor> engine,
            int workers,
            boolean isPinned,
            boolean keepsHomes,
            long warmNs,
            long measureNs,
            long timeoutNs) {
        // A table, so that to find a home costs a contender the same in every workload.
        int[] homes = IntStream.range(0, workload.keys())
                .map(key -> workload.home(key) % workers)
                .toArray();
        Setup setup = new Setup(
                workers,
                isPinned,
                homes.length,
                key -> homes[key],
                workload.needsHomes(),
                workload.kinds(),
                workload.pendingMax());
        if (keepsHomes) {
            workload.keepHomes();
        }
        try (KeyedExecutor executor = engine.apply(setup)) {
            if (!workload.suits(executor)) {
                return null;
            }
            if (measureNs >= COLLECTED_NS) {
                // Neither what the last contender left nor what this one keeps is moved while the clock runs.
                System.gc();
            }
            return workload.run(executor, warmNs, measureNs, timeoutNs);
        }
    }
}
