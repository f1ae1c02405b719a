// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CorePlanTest {
    @TempDir
    Path temp;

    private static int[] cpus(CorePlan plan) {
        return IntStream.range(0, plan.coreCount()).map(plan::cpu).toArray();
    }

    // A quota is rounded up, never above the allowed CPUs, never below one core.
    @ParameterizedTest
    @CsvSource({"0.1, 1", "1.0, 1", "1.01, 2", "1.5, 2", "4.0, 4", "4.5, 4", "1e9, 4"})
    void defaultCores_quota_roundsUpWithinTheAllowed(double quota, int cores) {
        assertThat(CorePlan.defaultCores(CpuSet.of(1, 2, 5, 9), new CpuQuota(quota)))
                .isEqualTo(cores);
    }

    @Test
    void defaultCores_noQuota_isTheAllowed() {
        assertThat(CorePlan.defaultCores(CpuSet.of(1, 2, 5, 9), new CpuQuota(Double.POSITIVE_INFINITY)))
                .isEqualTo(4);
        assertThat(CorePlan.defaultCores(CpuSet.of(), new CpuQuota(Double.POSITIVE_INFINITY)))
                .isEqualTo(1);
    }

    // A pair, then its package, then the other.
    @Test
    void choose_e5410_fillsACacheThenAPackage() {
        CorePlan plan = CorePlan.choose(Machines.e5410x2(), 8);

        assertThat(cpus(plan)).containsExactly(0, 4, 2, 6, 1, 5, 3, 7);
        assertThat(plan.distance(0, 1)).isEqualTo(Distance.SHARED_L2);
        assertThat(plan.distance(1, 2)).isEqualTo(Distance.SAME_PACKAGE);
        assertThat(plan.distance(3, 4)).isEqualTo(Distance.OTHER_PACKAGE);
    }

    @Test
    void choose_smt_takesPhysicalCoresFirst() {
        CorePlan plan = CorePlan.choose(Machines.read("smt", temp, 8), 6);

        assertThat(cpus(plan)).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(plan.distance(0, 4)).isEqualTo(Distance.SMT_SIBLING);
    }

    // Strong cores, then whole efficient clusters, second threads last.
    @Test
    void choose_hybrid_takesStrongThenEfficientThenSiblings() {
        CorePlan plan = CorePlan.choose(Machines.read("hybrid", temp, 16), 14);

        assertThat(cpus(plan)).containsExactly(0, 2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 1, 3);
    }

    @Test
    void choose_amd16_fillsOneLastLevelCacheBeforeTheNext() {
        CorePlan plan = CorePlan.choose(Machines.read("amd16", temp, 16), 6);

        assertThat(cpus(plan)).containsExactly(0, 1, 2, 3, 4, 5);
    }

    // When a cpuset leaves little of the first cache, the fuller one is begun with.
    @Test
    void choose_unevenCpuset_beginsWithTheFullestCache() {
        CacheMap map = CacheMap.read(Machines.build("amd16", temp), CpuSet.parse("2,4,8-10,14-15"));

        assertThat(cpus(CorePlan.choose(map, 3))).containsExactly(8, 9, 10);
        assertThat(cpus(CorePlan.choose(map, 7))).containsExactly(8, 9, 10, 14, 15, 2, 4);
    }

    @Test
    void choose_container_takesADistinctCoreBeforeASibling() {
        CacheMap map = CacheMap.read(Machines.folder("container"), CpuSet.parse("2-3,6"));

        assertThat(cpus(CorePlan.choose(map, 2))).containsExactly(2, 6);
        assertThat(cpus(CorePlan.choose(map, 3))).containsExactly(2, 6, 3);
    }

    // A runtime that grows keeps its cores where they are; no CPU is used twice.
    @Test
    void choose_oneMore_extendsThePlan() {
        for (CacheMap map : List.of(
                Machines.e5410x2(),
                Machines.read("amd16", temp.resolve("a"), 16),
                Machines.read("hybrid", temp.resolve("h"), 16))) {
            int[] all = cpus(CorePlan.choose(map, map.cpus().size()));
            assertThat(CpuSet.of(all)).isEqualTo(map.cpus());
            for (int count = 1; count < all.length; count++) {
                assertThat(cpus(CorePlan.choose(map, count))).containsExactly(Arrays.copyOf(all, count));
            }
        }
    }

    // More cores than CPUs is allowed: they float, and one warning says so.
    @Test
    void choose_moreCoresThanCpus_floatsWithOneWarning() {
        try (LogCapture log = new LogCapture()) {
            CorePlan plan = CorePlan.choose(Machines.e5410x2(), 9);

            assertThat(plan.isFloating()).isTrue();
            assertThat(plan.coreCount()).isEqualTo(9);
            assertThat(log.messages()).singleElement().asString().contains("cores=9, cpus=0-7");
        }
    }

    @Test
    void floating_anyCore_hasNoCpuAndIsFar() {
        CorePlan plan = CorePlan.floating(3);

        assertThat(cpus(plan)).containsOnly(-1);
        assertThat(plan.distance(1, 1)).isEqualTo(Distance.SAME_CPU);
        assertThat(plan.distance(1, 2)).isEqualTo(Distance.SAME_PACKAGE);
        assertThat(plan).hasToString("CorePlan[cores=3, floating]");
    }

    @Test
    void choose_oneCore_hasItsCpu() {
        CorePlan plan = CorePlan.choose(CacheMap.flat(CpuSet.of(77)), 1);

        assertThat(plan).hasToString("CorePlan[cores=1, cpus=[77]]");
        assertThat(plan.isFloating()).isFalse();
    }
}
