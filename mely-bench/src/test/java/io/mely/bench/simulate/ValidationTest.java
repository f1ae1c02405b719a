// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.mely.bench.paper.Trial;
import io.mely.bench.simulate.Validation.Ranking;
import io.mely.bench.simulate.Validation.Row;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.topology.Cpus;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What was measured decides which pairs count; the prediction is judged by those alone, and by its distance from the median. */
class ValidationTest {
    private static Row row(String engine, double predicted, Double... measured) {
        return new Row("chains", engine, List.of(measured), measured.length, predicted);
    }

    @Test
    void error_isFromTheMedian() {
        Row row = row("mely", 120, 90.0, 500.0, 100.0);
        assertThat(row.median()).isEqualTo(100);
        assertThat(row.error()).isCloseTo(0.2, within(1e-9));
        assertThat(row("mely", 60, 100.0, 50.0).median()).isEqualTo(75);
    }

    @Test
    void isWithin_endsAtAFifth() {
        assertThat(row("mely", 119, 100.0).isWithin()).isTrue();
        assertThat(row("mely", 121, 100.0).isWithin()).isFalse();
        assertThat(row("mely", 79, 100.0).isWithin()).isFalse();
    }

    @Test
    void beats_needsRoundsApartAndMoreThanATie() {
        Row slow = row("mely-off", 0, 100.0, 101.0, 102.0);
        assertThat(row("mely", 0, 110.0, 111.0, 112.0).beats(slow)).isTrue();
        assertThat(row("mely", 0, 103.0, 104.0, 104.0).beats(slow)).isFalse();
        assertThat(row("mely", 0, 101.0, 150.0, 160.0).beats(slow)).isFalse();
        assertThat(row("mely", 0, 90.0, 150.0, 150.0, 150.0, 160.0).beats(slow))
                .as("a quarter may stray")
                .isTrue();
        assertThat(slow.beats(slow)).isFalse();
    }

    @Test
    void ranking_countsWhatTheRoundsDecide() {
        Row fast = row("mely", 250, 300.0);
        Row middle = row("mely-off", 270, 200.0);
        Row tie = row("mely-base", 10, 201.0);
        Ranking ranking = Ranking.of(List.of(middle, fast, tie));
        assertThat(ranking.decided()).isEqualTo(2); // fast before each other; those two are a tie
        assertThat(ranking.agreed()).isEqualTo(1);
        assertThat(ranking.measured()).containsExactly("mely", "mely-base", "mely-off");
        assertThat(ranking.predicted()).containsExactly("mely-off", "mely", "mely-base");
    }

    // No run was undisturbed: nothing is said of it.
    @Test
    void rowWithoutMeasurement_isNeitherWithinNorRanked() {
        Row none = row("mely", 100);
        Row some = row("mely-off", 100, 100.0);
        assertThat(none.isWithin()).isFalse();
        assertThat(Ranking.of(List.of(none, some)).measured()).containsExactly("mely-off");
        assertThat(Ranking.of(List.of(none, some)).decided()).isZero();
    }

    @Test
    void isUndisturbed_asksForLostTimeAndWhereColorsSettleForRescues() {
        assertThat(Validation.isUndisturbed("spread", new Trial.Result(1, 0.005, 7)))
                .isTrue();
        assertThat(Validation.isUndisturbed("spread", new Trial.Result(1, 0.0051, 0)))
                .isFalse();
        assertThat(Validation.isUndisturbed("chains", new Trial.Result(1, 0, 1)))
                .isFalse();
        assertThat(Validation.isUndisturbed("chains", new Trial.Result(1, 0, 0)))
                .isTrue();
    }

    @Test
    void text_marksWhatIsTooFarOff() {
        String text = Validation.text(List.of(row("mely", 150, 100.0), row("mely-off", 100, 100.0)));
        assertThat(text).contains("+50 %  *").contains("1 of 2 within 20 %").contains("0 of 0 decided pairs");
    }

    @Test
    void unknownWorkload_isRefused() {
        assertThatThrownBy(() -> Validation.parameters("timers"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("timers");
    }

    // A parameter that the simulator does not know would be ignored.
    @Test
    void bodies_areParametersOfTheSimulator() {
        MachineSpec machine = MachineSpec.read(SimulatedMachinesTest.MACHINES.resolve("development-2.conf"));
        for (String workload : List.of("penalty", "cache-efficient")) {
            Map<String, Double> small = workload.equals("penalty")
                    ? Map.of("colors", 4.0, "parts", 8.0, "partBytes", 4_096.0, "kept", 1.0)
                    : Map.of("perCore", 4.0, "ints", 1_024.0);
            Map<String, Double> bodiesNs = Trial.bodiesNs(workload, small);
            assertThat(bodiesNs).as(workload).isNotEmpty();
            Experiment without = new Experiment(machine, 1, workload, "mely-off", small, 1, 100, 500, 100, false);
            bodiesNs.forEach((parameter, ns) -> {
                assertThat(ns).as(parameter).isPositive();
                assertThat(without.with(parameter, 1e3 * ns).run().kEventsPerS())
                        .as(parameter)
                        .isLessThan(0.5 * without.with(parameter, ns).run().kEventsPerS());
            });
        }
        assertThat(Trial.bodiesNs("spread", Validation.parameters("spread"))).isEmpty();
    }

    // The machine of the runs is found in the gaps between them.
    @Test
    void measure_leavesRoomAfterEachRun() throws IOException {
        StringWriter progress = new StringWriter();
        Validation validation = new Validation(2, 2, 1, 1, new PrintWriter(progress)); // two rounds, one try of 1 ms
        List<String> gaps = new ArrayList<>();
        validation.measure(
                List.of("ping-pong"),
                List.of("mely-off", "mely"),
                () -> gaps.add(progress.toString().lines().reduce("", (first, second) -> second)));
        assertThat(gaps)
                .containsExactly(
                        "ping-pong: round 1 of 2",
                        "ping-pong: round 1 of 2",
                        "ping-pong: round 2 of 2",
                        "ping-pong: round 2 of 2");
        assertThat(validation.rows()).as("nothing is predicted yet").isEmpty();
    }

    @Test
    void calibrationInTurn_needsNoFile() {
        StringWriter err = new StringWriter();
        CommandLine line = SimulateCommand.commandLine();
        line.setErr(new PrintWriter(err));
        assertThat(line.execute("--calibrate", "--validate", "--machine", "../config/machines/development-2.conf"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--calibrate finds the file of --validate");
    }

    /** What a validation of one row printed and wrote. */
    private record Validated(String printed, String json) {
        static Validated of(Path folder, String... options) throws IOException {
            Path json = folder.resolve("validation.json");
            StringWriter out = new StringWriter();
            CommandLine line = SimulateCommand.commandLine();
            line.setOut(new PrintWriter(out));
            line.setErr(new PrintWriter(new StringWriter()));
            List<String> all = new ArrayList<>(List.of("--validate", "--rounds", "1", "--json", json.toString()));
            all.addAll(List.of("--workload", "ping-pong", "--engine", "mely-off"));
            all.addAll(List.of(options));
            assertThat(line.execute(all.toArray(String[]::new))).isZero();
            assertThat(out.toString()).contains("ping-pong", "mely-off", "decided pairs alike");
            return new Validated(out.toString(), Files.readString(json));
        }
    }

    // The two sides meet: real threads, and their simulator.
    @Test
    void command_measuresAndPredicts(@TempDir Path folder) throws IOException {
        Validated validated =
                Validated.of(folder, "--machine", "../config/machines/development-2.conf", "--real-ms", "1");
        assertThat(validated.json())
                .contains("\"measuredKEventsPerS\": [", "\"predictedKEventsPerS\"", "\"commit\"", "gigahertz");
    }

    @Test
    void workloadWithoutAnotherSide_isRefused() {
        CommandLine line = SimulateCommand.commandLine();
        line.setErr(new PrintWriter(new StringWriter()));
        assertThat(line.execute("--validate", "--workload", "sws")).isEqualTo(2);
    }

    @Test
    @Tag("slow") // a calibration takes a minute, and half a gigabyte
    void command_findsTheMachineOfItsRuns(@TempDir Path folder) throws IOException {
        Validated validated = Validated.of(folder, "--calibrate", "--real-ms", "50");
        String file = validated.printed().substring(0, validated.printed().indexOf("workload"));
        assertThat(MachineSpec.parse(file).cpus()).isEqualTo(Cpus.allowed().size());
        assertThat(file).contains("cpu.missOverlap");
        assertThat(validated.json()).contains("\"machine\": [", "cpu.missOverlap");
    }
}
