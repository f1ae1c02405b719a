// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import io.mely.runtime.CoreThread;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

/**
 * Many seeds in a row. {@link #woven} runs it inside another class loader, so what goes in and comes out is of the JDK's types only.
 */
public final class Campaign implements Callable<String[]> {
    private final long firstSeed;
    private final long seeds;
    private final Set<Check> checks;
    private final int[] replayed;
    private final boolean isTraced;

    /**
     * Prepares it.
     *
     * @param firstSeed the first
     * @param seeds how many
     * @param withoutChecks names of checks that are left out
     * @param replayed choices to run the first seed with; null: the seed's own
     * @param isTraced whether a violation's trace is wanted
     */
    public Campaign(long firstSeed, long seeds, String[] withoutChecks, int[] replayed, boolean isTraced) {
        this.firstSeed = firstSeed;
        this.seeds = seeds;
        this.replayed = replayed;
        this.isTraced = isTraced;
        checks = EnumSet.allOf(Check.class);
        for (String name : withoutChecks) {
            checks.remove(Check.valueOf(name));
        }
    }

    /** Runs it on the classes of the application, where only steps and handlers are interleaved. */
    public static Outcome plain(long firstSeed, long seeds) {
        return outcome(new Campaign(firstSeed, seeds, new String[0], null, false).call());
    }

    /** Runs it on woven classes, where every atomic access may be preempted. */
    static Outcome woven(
            Map<String, byte[]> exchanged,
            long firstSeed,
            long seeds,
            Set<Check> without,
            int[] replayed,
            boolean isTraced) {
        try {
            WovenLoader loader = new WovenLoader(exchanged, !without.contains(Check.ASSERTION));
            Constructor<?> constructor = Class.forName(Campaign.class.getName(), true, loader)
                    .getConstructor(long.class, long.class, String[].class, int[].class, boolean.class);
            String[] names = without.stream().map(Check::name).toArray(String[]::new);
            Callable<?> campaign = (Callable<?>) constructor.newInstance(firstSeed, seeds, names, replayed, isTraced);
            return outcome((String[]) campaign.call());
        } catch (Exception e) {
            throw new AssertionError("the woven campaign could not run", e);
        }
    }

    /**
     * What became of it.
     *
     * @param seedsRun how many seeds were run, the failing one included
     * @param check null if every check held
     * @param message of the violation
     * @param seed that failed
     * @param choices that it took
     * @param disturbances of these, the ones that were not the plainest
     * @param decisions made in all
     * @param faults in how many seeds each fault was used
     * @param trace of the violation, if wanted
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    record Outcome(
            long seedsRun,
            Check check,
            String message,
            long seed,
            int[] choices,
            int disturbances,
            long decisions,
            long[] faults,
            String trace) {}

    private static Outcome outcome(String[] text) {
        return new Outcome(
                Long.parseLong(text[0]),
                text[1].isEmpty() ? null : Check.valueOf(text[1]),
                text[2],
                Long.parseLong(text[3]),
                Choices.read(text[4]),
                Integer.parseInt(text[5]),
                Long.parseLong(text[6]),
                Arrays.stream(text[7].split(",")).mapToLong(Long::parseLong).toArray(),
                text[8]);
    }

    @Override
    public String[] call() {
        String[][] result = new String[1][];
        Throwable[] thrown = new Throwable[1];
        CoreThread thread = new CoreThread(
                () -> {
                    try {
                        result[0] = run();
                    } catch (Throwable e) {
                        thrown[0] = e;
                    }
                },
                "campaign");
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        if (thrown[0] != null) {
            throw new AssertionError("the simulator failed", thrown[0]);
        }
        return result[0];
    }

    private String[] run() {
        UnaryOperator<Simulation> change = simulation -> simulation.checks(checks);
        long decisions = 0;
        long[] faults = new long[Fault.values().length];
        for (long i = 0; i < seeds; i++) {
            long seed = firstSeed + i;
            Simulation.Result result = run(seed, change);
            decisions += result.decisions();
            for (int j = 0; j < faults.length; j++) {
                faults[j] += result.faults()[j] > 0 ? 1 : 0;
            }
            Violation violation = result.violation();
            if (violation != null) {
                String trace = "";
                if (isTraced) {
                    Simulation.Result again =
                            run(seed, simulation -> change.apply(simulation).traced());
                    trace = String.join("\n", again.trace()) + "\n" + stackOf(violation);
                }
                return text(i + 1, violation, seed, result, decisions, faults, trace);
            }
        }
        return text(seeds, null, firstSeed, null, decisions, faults, "");
    }

    private Simulation.Result run(long seed, UnaryOperator<Simulation> change) {
        return replayed == null ? Chaos.run(seed, change) : Chaos.replay(seed, replayed, change);
    }

    private static String stackOf(Violation violation) {
        Throwable cause = violation.getCause() == null ? violation : violation.getCause();
        StringBuilder text = new StringBuilder(cause.toString());
        for (StackTraceElement frame : cause.getStackTrace()) {
            text.append("\n    at ").append(frame);
        }
        return text.toString();
    }

    private static String[] text(
            long seedsRun,
            Violation violation,
            long seed,
            Simulation.Result result,
            long decisions,
            long[] faults,
            String trace) {
        return new String[] {
            Long.toString(seedsRun),
            violation == null ? "" : violation.check().name(),
            violation == null ? "" : violation.getMessage(),
            Long.toString(seed),
            result == null ? "" : Choices.write(result.choices()),
            result == null ? "0" : Integer.toString(result.disturbances()),
            Long.toString(decisions),
            String.join(",", Arrays.stream(faults).mapToObj(Long::toString).toArray(String[]::new)),
            trace
        };
    }
}
