// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

    private static final Map<String, String> REPORT = new TreeMap<>();

    @TestFactory
    List<DynamicTest> simulation_catches() {
        return testsOf(PlantedBugs.ALL);
    }

    @TestFactory
    List<DynamicTest> simulation_catchesThoseOfSupplies() {
        return testsOf(PlantedBugs.SUPPLIES);
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
        REPORT.put(bug.name(), bug.mustBeCaught(Subject.RUNTIME, SEEDS_MAX));
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
        Campaign.Outcome caught = run(classes, 0, SEEDS_MAX, null, true);
        assertThat(caught.check()).isNotNull();
        assertThat(caught.shrunkDisturbances()).isPositive().isLessThan(caught.disturbances() / 2);
        Campaign.Outcome again = run(classes, caught.seed(), 1, Choices.read(caught.shrunk()), false);
        assertThat(again.check()).isEqualTo(caught.check());
        Campaign.Outcome withoutBug = run(Map.of(), caught.seed(), 1, Choices.read(caught.shrunk()), false);
        assertThat(withoutBug.check()).as(withoutBug.message()).isNull();
    }

    private static Campaign.Outcome run(
            Map<String, byte[]> classes, long first, long seeds, int[] replayed, boolean isExplained) {
        return Campaign.woven(Subject.RUNTIME, classes, first, seeds, Set.of(), replayed, isExplained);
    }
}
