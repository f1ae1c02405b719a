// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import io.mely.Policy;
import io.mely.runtime.CoreThread;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Many seeds in a row. {@link #woven} runs it inside another class loader, so what goes in and comes out is of the JDK's types only.
 */
public final class Campaign implements Callable<String[]> {
    private final @Nullable Supplier<Policy> tested;
    private final long firstSeed;
    private final long seeds;
    private final Set<Check> checks;
    private final int[] replayed;
    private final boolean isExplained;

    /**
     * Prepares it.
     *
     * @param policy name of the class that makes the policy under test, see {@link Subject}; empty for the runtime's own
     * @param firstSeed the first
     * @param seeds how many
     * @param withoutChecks names of checks that are left out
     * @param replayed choices to run the first seed with; null: the seed's own
     * @param isExplained whether a violation is to be shrunk and traced
     */
    public Campaign(
            String policy, long firstSeed, long seeds, String[] withoutChecks, int[] replayed, boolean isExplained) {
        tested = policy.isEmpty() ? null : make(policy);
        this.firstSeed = firstSeed;
        this.seeds = seeds;
        this.replayed = replayed;
        this.isExplained = isExplained;
        checks = EnumSet.allOf(Check.class);
        for (String name : withoutChecks) {
            checks.remove(Check.valueOf(name));
        }
    }

    @SuppressWarnings("unchecked") // a Subject takes no other class
    private static Supplier<Policy> make(String policy) {
        try {
            return (Supplier<Policy>) Class.forName(policy).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("needs a public constructor without arguments: policy=" + policy, e);
        }
    }

    /** Runs it on the classes of the application, where only steps and handlers are interleaved. */
    static Outcome plain(long firstSeed, long seeds, int[] replayed) {
        return outcome(new Campaign("", firstSeed, seeds, new String[0], replayed, true).call());
    }

    /**
     * Runs it on woven classes, as the system properties say: {@code mely.simulation.seeds} sets how many seeds, {@code mely.simulation.seed} the first of them, which is replayed alone if nothing is said of how many, and with
     * {@code mely.simulation.choices} the shrunk one.
     *
     * @param subject what is tested
     * @param seeds how many if the properties say nothing; from 0
     * @return what became of it, explained
     */
    public static Outcome ofProperties(Subject subject, long seeds) {
        Long one = Long.getLong("mely.simulation.seed");
        String choices = System.getProperty("mely.simulation.choices");
        return woven(
                subject,
                Map.of(),
                one == null ? 0 : one,
                Long.getLong("mely.simulation.seeds", one == null ? seeds : 1),
                EnumSet.noneOf(Check.class),
                choices == null ? null : Choices.read(choices),
                true);
    }

    /**
     * Runs it on woven classes, where every atomic access may be preempted.
     *
     * @param subject what is tested
     * @param exchanged by class name: bytes to load instead
     * @param firstSeed the first
     * @param seeds how many
     * @param without checks that are left out
     * @param replayed choices to run the first seed with; null: the seed's own
     * @param isExplained whether a violation is to be shrunk and traced
     * @return what became of it
     */
    static Outcome woven(
            Subject subject,
            Map<String, byte[]> exchanged,
            long firstSeed,
            long seeds,
            Set<Check> without,
            int @Nullable [] replayed,
            boolean isExplained) {
        try {
            WovenLoader loader = new WovenLoader(subject, exchanged, !without.contains(Check.ASSERTION));
            Constructor<?> constructor = Class.forName(Campaign.class.getName(), true, loader)
                    .getConstructor(String.class, long.class, long.class, String[].class, int[].class, boolean.class);
            String[] names = without.stream().map(Check::name).toArray(String[]::new);
            Callable<?> campaign = (Callable<?>)
                    constructor.newInstance(subject.policyName(), firstSeed, seeds, names, replayed, isExplained);
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
     * @param disturbances choices of the failing run that were not the plainest
     * @param decisions made in all
     * @param faults in how many seeds each fault was used
     * @param rarities how often each happened
     * @param shrunk choices of the shrunk run, if an explanation was wanted
     * @param shrunkDisturbances of these, the ones that are not the plainest
     * @param trace of the shrunk run
     */
    public record Outcome(
            long seedsRun,
            @Nullable Check check,
            String message,
            long seed,
            int disturbances,
            long decisions,
            long[] faults,
            long[] rarities,
            String shrunk,
            int shrunkDisturbances,
            String trace) {
        /**
         * The lines that reproduce it.
         *
         * @param module of the test
         * @param test whose system properties are those of WovenSimulationTest
         * @return text
         */
        public String explain(String module, String test) {
            String begin = "mvn -pl " + module + " -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=" + test
                    + " -Dmely.argLine=\"-Dmely.simulation.seed=" + seed;
            return message + "\n" + begin + "\"\nshrunk from " + disturbances + " to " + shrunkDisturbances
                    + " disturbances: " + begin + " -Dmely.simulation.choices=" + shrunk + "\"\n" + trace;
        }
    }

    private static Outcome outcome(String[] text) {
        return new Outcome(
                Long.parseLong(text[0]),
                text[1].isEmpty() ? null : Check.valueOf(text[1]),
                text[2],
                Long.parseLong(text[3]),
                Integer.parseInt(text[4]),
                Long.parseLong(text[5]),
                counts(text[6]),
                counts(text[7]),
                text[8],
                Integer.parseInt(text[9]),
                text[10]);
    }

    private static long[] counts(String text) {
        return Arrays.stream(text.split(",")).mapToLong(Long::parseLong).toArray();
    }

    private static String text(long[] counts) {
        return Arrays.stream(counts).mapToObj(Long::toString).collect(Collectors.joining(","));
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
                return text(i + 1, seed, result, isExplained ? shrink(seed, result, change) : null, decisions, faults);
            }
        }
        return text(seeds, firstSeed, null, null, decisions, faults);
    }

    private Simulation.Result shrink(long seed, Simulation.Result failed, UnaryOperator<Simulation> change) {
        Check check = failed.violation().check();
        int[] shrunk = Shrinker.shrink(failed.choices(), list -> {
            Violation violation = Chaos.replay(seed, list, tested, change).violation();
            return violation != null && violation.check() == check;
        });
        return Chaos.replay(
                seed, shrunk, tested, simulation -> change.apply(simulation).traced());
    }

    private Simulation.Result run(long seed, UnaryOperator<Simulation> change) {
        return replayed == null ? Chaos.run(seed, tested, change) : Chaos.replay(seed, replayed, tested, change);
    }

    private static String[] text(
            long seedsRun,
            long seed,
            Simulation.Result failed,
            Simulation.Result shrunk,
            long decisions,
            long[] faults) {
        Violation violation = failed == null ? null : failed.violation();
        return new String[] {
            Long.toString(seedsRun),
            violation == null ? "" : violation.check().name(),
            violation == null ? "" : violation.getMessage(),
            Long.toString(seed),
            failed == null ? "0" : Integer.toString(failed.disturbances()),
            Long.toString(decisions),
            text(faults),
            text(Yield.rarities()),
            shrunk == null ? "" : Choices.write(shrunk.choices()),
            shrunk == null ? "0" : Integer.toString(shrunk.disturbances()),
            shrunk == null ? "" : traceOf(shrunk)
        };
    }

    private static String traceOf(Simulation.Result result) {
        StringBuilder text = new StringBuilder(String.join("\n", result.trace()));
        Throwable violation = result.violation();
        Throwable cause = violation == null || violation.getCause() == null ? violation : violation.getCause();
        if (cause != null) {
            text.append('\n').append(cause);
            for (StackTraceElement frame : cause.getStackTrace()) {
                text.append("\n    at ").append(frame);
            }
        }
        return text.toString();
    }
}
