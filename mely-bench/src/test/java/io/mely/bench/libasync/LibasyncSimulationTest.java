// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.simulation.Campaign;
import io.mely.simulation.PlantedBug;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * libasync's engines keep the invariants in any order of atomic accesses that nesting can make, and whatever breaks a rule of theirs is caught.
 *
 * <p>For the system properties see {@link Campaign#ofProperties}.
 */
@Tag("model")
class LibasyncSimulationTest {
    private static final long SEEDS = 3_000;
    private static final long BUG_SEEDS_MAX = 10_000;

    @ParameterizedTest
    @ValueSource(classes = {SimulatedEngine.Mp.class, SimulatedEngine.Smp.class, SimulatedEngine.SmpStealing.class})
    void seeds_keepTheInvariants(Class<? extends SimulatedEngine> engine) {
        Campaign.Outcome outcome = Campaign.ofProperties(SimulatedEngine.subject(engine), SEEDS);
        System.out.println("simulated " + outcome.seedsRun() + " seeds of " + engine.getSimpleName() + ", "
                + outcome.decisions() + " decisions");
        assertThat(outcome.check())
                .as(() -> outcome.explain("mely-bench", "LibasyncSimulationTest"))
                .isNull();
    }

    private record Planted(Class<? extends SimulatedEngine> engine, PlantedBug bug) {
        static Planted of(Class<? extends SimulatedEngine> engine, String name, String file, String from, String to) {
            return new Planted(engine, PlantedBug.of(name, "bench/libasync/" + file, from, to));
        }

        void mustBeCaught() {
            System.out.println(bug.mustBeCaught(SimulatedEngine.subject(engine), BUG_SEEDS_MAX));
        }
    }

    @TestFactory
    Stream<DynamicTest> plantedBugs_areCaught() {
        List<Planted> bugs = List.of(
                Planted.of(
                        SimulatedEngine.Mp.class,
                        "a color that is picked does not count as running",
                        "MixedList",
                        "        color.isRunning = true;\n",
                        ""),
                Planted.of(
                        SimulatedEngine.Mp.class,
                        "priorities go past earlier events of a color",
                        "MixedList",
                        "if (weight > bestWeight && isFirstOf(color.slot, seen)) {",
                        "if (weight > bestWeight) {"),
                Planted.of(
                        SimulatedEngine.Mp.class,
                        "who has lost the core does not end its color",
                        "MixedVisitor",
                        "next(ended, isOurs && ",
                        "next(isOurs ? ended : null, isOurs && "),
                Planted.of(
                        SimulatedEngine.Mp.class,
                        "an event that is added wakes nobody",
                        "LibasyncMp",
                        "            workers.wakeOne();\n",
                        ""),
                Planted.of(
                        SimulatedEngine.Smp.class,
                        "who has lost the core goes on with the visit",
                        "MixedVisitor",
                        "next(ended, isOurs && !worker.isSliceOver())",
                        "next(ended, !worker.isSliceOver())"),
                Planted.of(
                        SimulatedEngine.Smp.class,
                        "what a visit leaves behind wakes nobody",
                        "MixedVisitor",
                        "            wakeUp.run();\n",
                        ""),
                Planted.of(
                        SimulatedEngine.Smp.class,
                        "a core sleeps on what waits in its list",
                        "MixedVisitor",
                        "    public boolean hasWork() {\n        return list.eligible() != 0;",
                        "    public boolean hasWork() {\n        return false;"),
                Planted.of(
                        SimulatedEngine.SmpStealing.class,
                        "a sender that has the lock does not look at the home again",
                        "LibasyncSmp",
                        "                if (color.home() == core) {",
                        "                if (core >= 0) {"),
                Planted.of(
                        SimulatedEngine.SmpStealing.class,
                        "a running color is stolen",
                        "MixedList",
                        "if (!color.isRunning && 2L * color.pending < size) {",
                        "if (2L * color.pending < size) {"),
                Planted.of(
                        SimulatedEngine.SmpStealing.class,
                        "a steal leaves the last event of the color behind",
                        "MixedList",
                        "next != Lane.NONE && chain.count() < color.pending) {",
                        "next != Lane.NONE && chain.count() < Math.max(1, color.pending - 1)) {"));
        return bugs.stream().map(each -> DynamicTest.dynamicTest(each.bug().name(), each::mustBeCaught));
    }
}
