// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import io.mely.bench.record.WorkloadProfile;
import io.mely.bench.stingy.model.BufferProgram;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One run: a workload by an engine on a machine.
 *
 * @param machine what it runs on
 * @param cores of the runtime, at most the machine's CPUs
 * @param workload its name
 * @param engine its name, as {@code paper} has them
 * @param parameters of the workload, by name; what is not given has its default
 * @param seed of everything random
 * @param warmUs virtual time before the figures begin
 * @param measureUs virtual time they are taken for, to the end of a round
 * @param lookahead cycles a core may be ahead before it hands over; 0 is exact
 * @param isRecorded whether the timeline is kept
 * @param profile for the workload that is made from one
 * @param program for the workload whose buffers are a program's
 */
public record Experiment(
        MachineSpec machine,
        int cores,
        String workload,
        String engine,
        Map<String, Double> parameters,
        long seed,
        long warmUs,
        long measureUs,
        double lookahead,
        boolean isRecorded,
        @Nullable WorkloadProfile profile,
        @Nullable BufferProgram program) {
    private static final String RIG = "io.mely.bench.simulate.workload.Rig";

    /** Names that were asked for in this JVM, so that it can be told which ones nobody knows. */
    private static final Set<String> ASKED = new ConcurrentSkipListSet<>();

    /** Copies the map, in order. */
    public Experiment {
        parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
        if (cores < 1 || cores > machine.cpus()) {
            throw new IllegalArgumentException(
                    "cores must be 1 to " + machine.cpus() + ", the CPUs of " + machine.name() + ": cores=" + cores);
        }
    }

    /**
     * Without a profile or a program.
     *
     * @param machine what it runs on
     * @param cores of the runtime, at most the machine's CPUs
     * @param workload its name
     * @param engine its name
     * @param parameters of the workload, by name
     * @param seed of everything random
     * @param warmUs virtual time before the figures begin
     * @param measureUs virtual time they are taken for
     * @param lookahead cycles a core may be ahead before it hands over
     * @param isRecorded whether the timeline is kept
     */
    public Experiment(
            MachineSpec machine,
            int cores,
            String workload,
            String engine,
            Map<String, Double> parameters,
            long seed,
            long warmUs,
            long measureUs,
            double lookahead,
            boolean isRecorded) {
        this(machine, cores, workload, engine, parameters, seed, warmUs, measureUs, lookahead, isRecorded, null, null);
    }

    /**
     * A parameter.
     *
     * @param name of it
     * @param otherwise its default
     * @return the value
     */
    public double parameter(String name, double otherwise) {
        ASKED.add(name);
        return parameters.getOrDefault(name, otherwise);
    }

    /**
     * The names that any run of this JVM has asked for.
     *
     * @return in order
     */
    public static Set<String> asked() {
        return Collections.unmodifiableSet(ASKED);
    }

    /**
     * The same with another parameter.
     *
     * @param name of it
     * @param value of it
     * @return a changed copy
     */
    public Experiment with(String name, double value) {
        Map<String, Double> changed = new TreeMap<>(parameters);
        changed.put(name, value);
        return new Experiment(
                machine,
                cores,
                workload,
                engine,
                changed,
                seed,
                warmUs,
                measureUs,
                lookahead,
                isRecorded,
                profile,
                program);
    }

    /**
     * The same on another number of cores.
     *
     * @param count of them
     * @return a changed copy
     */
    public Experiment withCores(int count) {
        return new Experiment(
                machine,
                count,
                workload,
                engine,
                parameters,
                seed,
                warmUs,
                measureUs,
                lookahead,
                isRecorded,
                profile,
                program);
    }

    /**
     * The same by another engine.
     *
     * @param name of it
     * @return a changed copy
     */
    public Experiment withEngine(String name) {
        return new Experiment(
                machine,
                cores,
                workload,
                name,
                parameters,
                seed,
                warmUs,
                measureUs,
                lookahead,
                isRecorded,
                profile,
                program);
    }

    /**
     * Runs it. The production classes are loaded with their costs woven in, and run on the calling thread's virtual machine.
     *
     * @return what came out
     */
    public Outcome run() {
        return rig().apply(this);
    }

    @SuppressWarnings("unchecked") // the class is ours, and loaded elsewhere
    private static synchronized Function<Experiment, Outcome> rig() {
        Function<Experiment, Outcome> known = Loaded.rig;
        if (known == null) {
            try {
                known = (Function<Experiment, Outcome>) new WovenLoader()
                        .loadClass(RIG)
                        .getDeclaredConstructor()
                        .newInstance();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
            Loaded.rig = known;
        }
        return known;
    }

    /** Loading and weaving once is enough: a run leaves nothing behind. */
    private static final class Loaded {
        private static @Nullable Function<Experiment, Outcome> rig;

        private Loaded() {}
    }
}
