// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;

/**
 * The invariants hold in any order of atomic accesses that nesting can make, under faults and after them.
 *
 * <p>For the system properties see {@link Campaign#ofProperties}.
 */
@Tag("model")
class WovenSimulationTest {
    private static final long SEEDS = 20_000;
    private static final long SEEDS_OF_PARTS = Long.getLong("mely.simulation.seeds", SEEDS) / 4;

    @Test
    void seeds_keepTheInvariants() {
        Campaign.Outcome outcome = Campaign.ofProperties(Subject.RUNTIME, SEEDS);
        System.out.println("simulated " + outcome.seedsRun() + " seeds, " + outcome.decisions() + " decisions, "
                + Arrays.toString(outcome.rarities()) + " of " + Arrays.toString(Rarity.values()));
        assertThat(outcome.check())
                .as(() -> outcome.explain("mely-core", "WovenSimulationTest"))
                .isNull();
        if (outcome.seedsRun() >= 1_000) {
            assertThat(outcome.faults()).as("every fault was used").doesNotContain(0);
            assertThat(outcome.rarities()).as("colors moved in every way").doesNotContain(0);
        }
    }

    // With four cores or less a look is at all victims; here it is at one near and one other.
    @Test
    void looksAtAPart_keepTheInvariants() {
        String file = "runtime/VictimOrder";
        PlantedBug smallLooks = PlantedBug.of("small looks", file, "WHOLE_MAX = 16;", "WHOLE_MAX = 1;")
                .and(file, "TURN = 8;", "TURN = 1;");
        Campaign.Outcome outcome = Campaign.woven(
                Subject.RUNTIME, smallLooks.classes(), 0, SEEDS_OF_PARTS, EnumSet.noneOf(Check.class), null, true);
        assertThat(outcome.check())
                .as(() -> outcome.explain("mely-core", "WovenSimulationTest"))
                .isNull();
    }

    // A class of the runtime that extends an Atomic is called under its own name.
    @Test
    void weaver_knowsTheAtomicsOfTheRuntime() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path file : classFiles()) {
            try (InputStream in = Files.newInputStream(file)) {
                ClassReader reader = new ClassReader(in);
                if (reader.getSuperName() != null && reader.getSuperName().startsWith("java/util/concurrent/atomic/")) {
                    found.add(reader.getClassName());
                }
            }
        }
        assertThat(found).isEqualTo(new TreeSet<>(Weaver.ATOMIC_SUBCLASSES));
    }

    private static List<Path> classFiles() throws IOException {
        Path root = Path.of(io.mely.Mely.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .resolve("io/mely");
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".class")).toList();
        }
    }
}
