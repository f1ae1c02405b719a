// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every planted bug is caught, and by its checkers: without those that see it, the same seeds find nothing. The report is in
 * {@code target/planted-bugs.md}.
 */
@Tag("model")
class PlantedBugTest {
    private static final long SEEDS_MAX = 40_000;
    private static final int LOOKS_MAX = 12;

    private static final Map<String, String> REPORT = new TreeMap<>();

    @TestFactory
    List<DynamicTest> simulation_catches() {
        return testsOf(PlantedBugs.ALL);
    }

    @TestFactory
    @Tag("slow")
    List<DynamicTest> simulation_catchesInTime() {
        return testsOf(PlantedBugs.RARE);
    }

    private static List<DynamicTest> testsOf(List<PlantedBug> bugs) {
        List<DynamicTest> tests = new ArrayList<>();
        for (PlantedBug bug : bugs) {
            tests.add(DynamicTest.dynamicTest(bug.name(), () -> isCaughtByItsCheckers(bug)));
        }
        return tests;
    }

    private static void isCaughtByItsCheckers(PlantedBug bug) {
        Map<String, byte[]> classes = bug.classes();
        Campaign.Outcome caught = run(classes, 0, SEEDS_MAX, Set.of());
        assertThat(caught.check()).as("caught within %s schedules", SEEDS_MAX).isNotNull();
        Set<Check> without = EnumSet.of(caught.check());
        Campaign.Outcome outcome = run(classes, caught.seed(), 1, without);
        for (int look = 0; outcome.check() != null; look++) {
            assertThat(look).as("one more checker each time: %s", without).isLessThan(LOOKS_MAX);
            without.add(outcome.check());
            outcome = run(classes, caught.seed(), 1, without);
        }
        REPORT.put(
                bug.name(),
                "| " + bug.name() + " | " + caught.check() + " | " + caught.seedsRun() + " | " + without.size() + " |");
    }

    private static Campaign.Outcome run(Map<String, byte[]> classes, long first, long seeds, Set<Check> without) {
        return Campaign.woven(classes, first, seeds, without, null, false);
    }

    @AfterAll
    static void report() throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("| Planted bug | Caught by | Schedules | Checkers that see it there |");
        lines.add("| --- | --- | --- | --- |");
        lines.addAll(REPORT.values());
        Path file = Path.of("target", "planted-bugs.md");
        Files.createDirectories(file.getParent());
        Files.write(file, lines);
    }

    // The runtime moves on; a patch that no longer fits it must not pass for a bug that is caught.
    @Test
    void patch_thatDoesNotApply_failsLoudly() {
        PlantedBug gone = PlantedBug.of("gone", "runtime/CoreQueue", "int nothingOfTheKind;", "");
        assertThatThrownBy(gone::classes).hasMessageContaining("there is no longer: int nothingOfTheKind;");
        PlantedBug twice = PlantedBug.of("twice", "runtime/CoreQueue", "assert isLocked();", "");
        assertThatThrownBy(twice::classes).hasMessageContaining("there is more than one: assert isLocked();");
        PlantedBug broken = PlantedBug.of("broken", "runtime/ReadyColors", "private int rotor;", "private int;");
        assertThatThrownBy(broken::classes).hasMessageContaining("does not compile");
    }

    // A shrunk schedule still shows the bug, and is a fraction of the first.
    @Test
    void shrunkSchedule_stillFails() {
        Map<String, byte[]> classes = PlantedBugs.ALL.get(0).classes();
        Campaign.Outcome caught = Campaign.woven(classes, 0, SEEDS_MAX, Set.of(), null, true);
        assertThat(caught.check()).isNotNull();
        assertThat(caught.shrunkDisturbances()).isPositive().isLessThan(caught.disturbances() / 2);
        Campaign.Outcome again =
                Campaign.woven(classes, caught.seed(), 1, Set.of(), Choices.read(caught.shrunk()), false);
        assertThat(again.check()).isEqualTo(caught.check());
        Campaign.Outcome withoutBug =
                Campaign.woven(Map.of(), caught.seed(), 1, Set.of(), Choices.read(caught.shrunk()), false);
        assertThat(withoutBug.check()).as(withoutBug.message()).isNull();
    }
}
