// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.Ledger;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.bench.simulate.machine.Outcome;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The search engine's stages run under every policy of the thesis, and are the same for each. */
class SearchTest {
    private static final MachineSpec MACHINE =
            MachineSpec.read(SimulatedMachinesTest.MACHINES.resolve("opteron-835x2.conf"));

    /** Few clients that think little, about as much load as in the thesis. */
    private static final Map<String, Double> SMALL =
            Map.of("clients", 136.0, "thinkUs", 147_000.0, "stageBytes", 1_024.0, "spinNs", 0.0);

    private static Experiment experiment(String engine, long seed, Map<String, Double> more) {
        Map<String, Double> parameters = new TreeMap<>(SMALL);
        parameters.putAll(more);
        return new Experiment(MACHINE, 8, "search", engine, parameters, seed, 200_000, 600_000, 100, false);
    }

    private static Outcome run(String engine, Map<String, Double> more) {
        return experiment(engine, 1, more).run();
    }

    private static double perS(Outcome outcome) {
        return outcome.extras().getOrDefault("answers", 0.0) / outcome.seconds();
    }

    private static double idle(Outcome outcome) {
        return outcome.share(Ledger.Activity.IDLE);
    }

    // The books of requests are closed inside: the workload throws if one is lost or answered twice.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mely",
                "central-queue",
                "seda",
                "srpt",
                "mg1",
                "cohort",
                "dbr",
                "cohort-2-replicas",
                "cohort-4-replicas",
                "cohort-8-replicas",
                "cohort-2-partitions"
            })
    void everyEngine_answersWhatIsAsked(String engine) {
        Outcome outcome = run(engine, Map.of());
        // N = X (R + Z), which also says that no client was forgotten
        double responseS = outcome.sojournNs().getMean() / 1e9;
        assertThat(perS(outcome) * (responseS + 0.147)).isCloseTo(136, within(0.15 * 136));
        assertThat(outcome.share(Ledger.Activity.HANDLER)).isBetween(0.4, 0.95);
    }

    @ParameterizedTest
    @ValueSource(strings = {"seda", "cohort", "central-queue"})
    void sameSeed_sameFigures_otherSeed_others(String engine) {
        Outcome first = run(engine, Map.of());
        assertThat(Results.figures(run(engine, Map.of()))).isEqualTo(Results.figures(first));
        assertThat(experiment(engine, 2, Map.of()).run().events()).isNotEqualTo(first.events());
    }

    // Stages that their senders call are no events.
    @ParameterizedTest
    @ValueSource(strings = {"seda", "cohort"})
    void underthreaded_answersTheSame(String engine) {
        Outcome normal = run(engine, Map.of());
        Outcome under = run(engine, Map.of("configuration", -1.0));
        assertThat(perS(under)).isCloseTo(perS(normal), within(0.1 * perS(normal)));
    }

    @Test
    void overthreaded_isForPools() {
        assertThat(perS(run("seda", Map.of("configuration", 1.0)))).isPositive();
        assertThatThrownBy(() -> run("cohort", Map.of("configuration", 1.0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("configuration=1");
    }

    // No policy leaves a core idle while requests wait: spec stages §16, gap 2, is not ours.
    @ParameterizedTest
    @ValueSource(strings = {"central-queue", "seda", "srpt", "mg1", "cohort", "dbr", "cohort-8-replicas"})
    void saturated_allCoresAreBusy(String engine) {
        Outcome outcome = run(engine, Map.of("thinkUs", 0.0));
        assertThat(idle(outcome)).isLessThan(engine.equals("cohort-8-replicas") ? 0.3 : 0.03);
    }

    // A bug of this workload's first run: behind a single-threaded stage, all requests were in one part.
    @Test
    void replicas_shareWhatComesFromTheSingleThreadedStage() {
        Outcome outcome = run("cohort-8-replicas", Map.of("thinkUs", 0.0));
        double least = 1;
        for (int core = 0; core < 8; core++) {
            least = Math.min(least, outcome.share(core, Ledger.Activity.HANDLER));
        }
        assertThat(least).isGreaterThan(0.3);
    }

    @Test
    void vainVisits_costTimeIfTheyAreToldTo() {
        double free = run("cohort", Map.of()).sojournNs().getMean();
        assertThat(run("cohort", Map.of("vainVisitUs", 1_000.0)).sojournNs().getMean())
                .isGreaterThan(1.1 * free);
    }

    @Test
    void stageTables_haveEveryRowOfTheThesis() {
        StringWriter out = new StringWriter();
        CommandLine line = SimulateCommand.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(new StringWriter()));
        String machine =
                SimulatedMachinesTest.MACHINES.resolve("opteron-835x2.conf").toString();
        String options = "--stage-tables --seeds 1 --warm-us 20000 --measure-us 60000"
                + " --set clients=40 --set thinkUs=20000 --set stageBytes=1024 --set spinNs=0 --machine " + machine;
        assertThat(line.execute(options.split(" ", -1))).isZero();
        assertThat(out.toString().lines().filter(text -> text.startsWith("| ")))
                .as("two tables with two lines of head each, of 14 and 6 rows")
                .hasSize(2 * 2 + 14 + 6)
                .noneMatch(text -> text.contains("NaN"));
    }
}
