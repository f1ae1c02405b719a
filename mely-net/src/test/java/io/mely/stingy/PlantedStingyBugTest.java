// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.simulation.PlantedBug;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

// The random check of the accounts finds mistakes that one could make in them, and nothing without.
@Tag("any-jdk")
class PlantedStingyBugTest {
    private static final int SEEDS = 60;

    private static final List<PlantedBug> BUGS = List.of(
            PlantedBug.of(
                    "a site takes more than there are",
                    "stingy/Slots",
                    "        if (taken[site] == counts[site]) {",
                    "        if (taken[site] < 0) {"),
            PlantedBug.of(
                    "freed twice, and counted twice",
                    "stingy/Slots",
                    "        if ((free[cell] & bit) != 0) {",
                    "        if (cell < 0) {"),
            PlantedBug.of(
                    "a cell is free while one of its places is in use",
                    "stingy/Slots",
                    "        if (free[cell] == full(site)) {",
                    "        if (free[cell] != 0) {"),
            PlantedBug.of(
                    "a cell keeps its owner for good",
                    "stingy/Slots",
                    "            owner[cell] = NONE;\n            freeCells[freeCount++] = cell;\n",
                    "            owner[cell] = NONE;\n"),
            PlantedBug.of(
                    "a place is handed out twice",
                    "stingy/Slots",
                    "        free[cell] &= ~(1L << slot);\n",
                    "        free[cell] &= slot == 1 ? -1L : ~(1L << slot);\n"),
            PlantedBug.of(
                    "a full cell stays in the list",
                    "stingy/Slots",
                    "        if (free[cell] == 0) {\n            unlink(cell, site);",
                    "        if (free[cell] == 0 && cell < 0) {\n            unlink(cell, site);"),
            PlantedBug.of(
                    "own places overlap",
                    "stingy/OwnPlaces",
                    "        return offsetBytes + slotBytes * free.length;",
                    "        return offsetBytes + slotBytes * Math.max(0, free.length - 1);"),
            PlantedBug.of(
                    "an own place is freed twice, and counted twice",
                    "stingy/OwnPlaces",
                    "        if (isFree.get(place)) {",
                    "        if (place < 0) {"),
            PlantedBug.of(
                    "own places are not counted",
                    "stingy/Slots",
                    "        own[site].give(offset);\n        taken[site]--;\n",
                    "        own[site].give(offset);\n"),
            PlantedBug.of(
                    "areas overlap",
                    "stingy/StingyPlan",
                    "        return end;\n",
                    "        return end - LINE_BYTES;\n"));

    /** Loads the package anew, with some classes exchanged. */
    private static final class Exchanging extends ClassLoader {
        private final Map<String, byte[]> exchanged;

        Exchanging(Map<String, byte[]> exchanged) {
            super(Exchanging.class.getClassLoader());
            this.exchanged = exchanged;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.mely.stingy.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] bytes = exchanged.get(name);
            if (bytes == null) {
                try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                    if (in == null) {
                        throw new ClassNotFoundException(name);
                    }
                    bytes = in.readAllBytes();
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    @TestFactory
    List<DynamicTest> randomCheck_catches() {
        return BUGS.stream()
                .map(bug -> DynamicTest.dynamicTest(
                        bug.name(),
                        () -> assertThat(firstFound(bug.classes()))
                                .as("seed that finds it")
                                .isLessThan(SEEDS)))
                .toList();
    }

    @Test
    void randomCheck_findsNothingElse() throws Exception {
        assertThat(firstFound(Map.of())).isEqualTo(SEEDS);
    }

    private static int firstFound(Map<String, byte[]> exchanged) throws Exception {
        Class<?> check = new Exchanging(exchanged).loadClass(RandomSlots.class.getName());
        for (int seed = 0; seed < SEEDS; seed++) {
            Callable<?> run = (Callable<?>) check.getConstructor(Long.class).newInstance((long) seed);
            if (run.call() != null) {
                return seed;
            }
        }
        return SEEDS;
    }
}
