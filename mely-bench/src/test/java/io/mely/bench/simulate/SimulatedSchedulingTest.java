// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.Ledger;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.simulate.machine.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The quality of scheduling as exact figures, by seed: nothing of the host is in them. A change of the runtime that changes them shows here, to the
 * cycle, and is looked at: {@code -Dmely.simulate.record=true} writes the new ones, whose difference goes into the commit. What must hold whatever the
 * figures is asserted besides.
 */
class SimulatedSchedulingTest {
    private static final MachineSpec XEON =
            MachineSpec.read(SimulatedMachinesTest.MACHINES.resolve("xeon-e5410x2.conf"));
    private static final String GOLDEN = "scheduling.txt";

    private static final Map<String, Outcome> OUTCOMES = new TreeMap<>();

    private static synchronized Outcome outcome(String workload, String engine) {
        return OUTCOMES.computeIfAbsent(
                workload + " " + engine, key -> experiment(workload, engine).run());
    }

    private static Experiment experiment(String workload, String engine) {
        Map<String, Double> parameters = switch (workload) {
            case "unbalanced" -> Map.of("colors", engine.endsWith("-ws") ? 60.0 : 400.0);
            case "penalty" -> Map.of("colors", 10.0, "parts", 16.0);
            case "cache-efficient" -> Map.of("perCore", 8.0);
            default -> Map.of("clients", 16.0);
        };
        long measureUs = workload.equals("penalty") ? 1_000 : 300; // its first stages alone take the shorter time
        return new Experiment(XEON, 8, workload, engine, parameters, 1, 50, measureUs, 100, false);
    }

    private static String figures() {
        StringBuilder text = new StringBuilder();
        String[][] runs = {
            {"unbalanced", "mely-off"},
            {"unbalanced", "mely-base"},
            {"unbalanced", "mely-timeleft"},
            {"unbalanced", "mely"},
            {"unbalanced", "libasync-smp"},
            {"unbalanced", "libasync-smp-ws"},
            {"unbalanced", "libasync-mp"},
            {"unbalanced", "central-queue"},
            {"penalty", "mely-base"},
            {"penalty", "mely-penalty"},
            {"cache-efficient", "mely-base"},
            {"cache-efficient", "mely-locality"},
            {"sws", "mely"},
            {"sfs", "mely"},
        };
        for (String[] run : runs) {
            Outcome outcome = outcome(run[0], run[1]);
            text.append(String.format(
                    Locale.ROOT,
                    "%-16s %-16s events %5d cycles %10.0f steals %4d attempts %4d misses %6d wake-ups %4d%n",
                    run[0],
                    run[1],
                    outcome.events(),
                    outcome.cycles(),
                    outcome.steals(),
                    outcome.attempts(),
                    Math.round(outcome.missesPerEvent(2) * outcome.events()),
                    outcome.wakeups()));
        }
        return text.toString();
    }

    @Test
    void figures_areWhatTheyWere() throws IOException {
        String figures = figures();
        if (Boolean.getBoolean("mely.simulate.record")) {
            Files.writeString(Path.of("src/test/resources/io/mely/bench/simulate", GOLDEN), figures);
            return;
        }
        try (InputStream in = SimulatedSchedulingTest.class.getResourceAsStream(GOLDEN)) {
            String expected = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(figures)
                    .as("scheduling has changed; if that is meant, record it: -Dmely.simulate.record=true")
                    .isEqualTo(expected);
        }
    }

    @Test
    void sameSeed_sameFigures() {
        Outcome first = outcome("unbalanced", "mely-timeleft");
        Outcome second = experiment("unbalanced", "mely-timeleft").run();
        assertThat(Results.figures(second)).isEqualTo(Results.figures(first));
    }

    @Test
    void otherSeed_otherFigures() {
        Outcome first = outcome("unbalanced", "mely-timeleft");
        Experiment e = first.experiment();
        Outcome second = new Experiment(
                        e.machine(),
                        8,
                        "unbalanced",
                        e.engine(),
                        e.parameters(),
                        2,
                        e.warmUs(),
                        e.measureUs(),
                        100,
                        false)
                .run();
        assertThat(second.cycles()).isNotEqualTo(first.cycles());
    }

    // Tables 3 and 4.
    @Test
    void unbalanced_hasThePapersOrder() {
        double off = outcome("unbalanced", "mely-off").kEventsPerS();
        assertThat(outcome("unbalanced", "libasync-smp-ws").kEventsPerS())
                .isLessThan(0.5 * outcome("unbalanced", "libasync-smp").kEventsPerS());
        assertThat(outcome("unbalanced", "mely-base").kEventsPerS())
                .isLessThan(off)
                .isGreaterThan(outcome("unbalanced", "libasync-smp-ws").kEventsPerS());
        assertThat(outcome("unbalanced", "mely-timeleft").kEventsPerS()).isGreaterThan(1.1 * off);
    }

    // Time-left takes long events and leaves short ones: what a steal brings is worth many steals.
    @Test
    void timeLeft_stealsWhatPays() {
        Outcome base = outcome("unbalanced", "mely-base");
        Outcome timeLeft = outcome("unbalanced", "mely-timeleft");
        assertThat(timeLeft.stolenCycles()).isGreaterThan(10 * timeLeft.stealCycles());
        assertThat(base.stolenCycles()).isLessThan(base.stealCycles());
    }

    // Tables 5 and 6.
    @Test
    void penaltyAndLocality_missLess() {
        assertThat(outcome("penalty", "mely-penalty").missesPerEvent(2))
                .isLessThan(0.75 * outcome("penalty", "mely-base").missesPerEvent(2));
        assertThat(outcome("cache-efficient", "mely-locality").missesPerEvent(2))
                .isLessThan(outcome("cache-efficient", "mely-base").missesPerEvent(2));
    }

    // The names that the weaver knows are the runtime's: locks and steals are seen.
    @Test
    void weaver_seesLocksAndSteals() {
        for (String engine : new String[] {"mely-timeleft", "mely-base", "libasync-smp-ws"}) {
            Outcome outcome = outcome("unbalanced", engine);
            long locks = outcome.figures().cores().stream()
                    .mapToLong(Ledger.OfCore::locks)
                    .sum();
            long stolen = outcome.figures().cores().stream()
                    .mapToLong(Ledger.OfCore::stolen)
                    .sum();
            assertThat(locks).as(engine).isGreaterThan(outcome.events() / 2);
            assertThat(stolen).as(engine).isPositive();
        }
    }

    @Test
    void shares_addUpToTheTime() {
        Outcome outcome = outcome("unbalanced", "mely-timeleft");
        for (int core = 0; core < 8; core++) {
            double sum = 0;
            for (Ledger.Activity activity : Ledger.Activity.values()) {
                sum += outcome.share(core, activity);
            }
            assertThat(sum).as("core %d", core).isBetween(0.9, 1.1);
        }
    }
}
