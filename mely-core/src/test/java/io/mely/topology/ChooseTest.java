// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which CPUs the cores of a runtime get. */
class ChooseTest {
    @TempDir
    Path temp;

    // A pair, then its package, then the other.
    @Test
    void choose_e5410_fillsACacheThenAPackage() {
        assertThat(Machines.e5410x2().choose(8)).containsExactly(0, 4, 2, 6, 1, 5, 3, 7);
    }

    @Test
    void choose_smt_takesPhysicalCoresFirst() {
        assertThat(Machines.read("smt", temp, 8).choose(6)).containsExactly(0, 1, 2, 3, 4, 5);
    }

    // Strong cores, then whole efficient clusters, second threads last.
    @Test
    void choose_hybrid_takesStrongThenEfficientThenSiblings() {
        assertThat(Machines.read("hybrid", temp, 16).choose(14))
                .containsExactly(0, 2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 1, 3);
    }

    @Test
    void choose_amd16_fillsOneLastLevelCacheBeforeTheNext() {
        assertThat(Machines.read("amd16", temp, 16).choose(6)).containsExactly(0, 1, 2, 3, 4, 5);
    }

    // When a cpuset leaves little of the first cache, the fuller one is begun with.
    @Test
    void choose_unevenCpuset_beginsWithTheFullestCache() {
        CacheMap map = CacheMap.read(Machines.build("amd16", temp), CpuSet.parse("2,4,8-10,14-15"));

        assertThat(map.choose(3)).containsExactly(8, 9, 10);
        assertThat(map.choose(7)).containsExactly(8, 9, 10, 14, 15, 2, 4);
    }

    @Test
    void choose_container_takesADistinctCoreBeforeASibling() {
        CacheMap map = CacheMap.read(Machines.folder("container"), CpuSet.parse("2-3,6"));

        assertThat(map.choose(2)).containsExactly(2, 6);
        assertThat(map.choose(3)).containsExactly(2, 6, 3);
    }

    // A runtime that grows keeps its cores where they are; no CPU is used twice.
    @Test
    void choose_oneMore_extendsThePlan() {
        for (CacheMap map : List.of(
                Machines.e5410x2(),
                Machines.read("amd16", temp.resolve("a"), 16),
                Machines.read("hybrid", temp.resolve("h"), 16))) {
            int[] all = map.choose(map.cpus().size());
            assertThat(CpuSet.of(all)).isEqualTo(map.cpus());
            for (int count = 1; count < all.length; count++) {
                assertThat(map.choose(count)).containsExactly(Arrays.copyOf(all, count));
            }
        }
    }

    // More cores than CPUs is allowed: they float, and one warning says so.
    @Test
    void choose_moreCoresThanCpus_isNoneWithOneWarning() {
        try (LogCapture log = new LogCapture()) {
            assertThat(Machines.e5410x2().choose(9)).hasSize(9).containsOnly(-1);

            assertThat(log.messages()).singleElement().asString().contains("not pinned", "cores=9, cpus=0-7");
        }
    }

    @Test
    void choose_oneCore_hasItsCpu() {
        assertThat(CacheMap.flat(CpuSet.of(77)).choose(1)).containsExactly(77);
    }
}
