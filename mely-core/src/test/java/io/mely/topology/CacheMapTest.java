// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import static io.mely.topology.Distance.OTHER_PACKAGE;
import static io.mely.topology.Distance.SAME_CPU;
import static io.mely.topology.Distance.SAME_PACKAGE;
import static io.mely.topology.Distance.SHARED_L2;
import static io.mely.topology.Distance.SHARED_L3;
import static io.mely.topology.Distance.SMT_SIBLING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheMapTest {
    @TempDir
    Path temp;

    // The paper's machine, from a folder: pairs share L2, four cores a package, no L3.
    @Test
    void distance_e5410_isPairThenPackageThenOther() {
        CacheMap map = Machines.e5410x2();

        assertThat(map.warnings()).isEmpty();
        assertThat(map.distance(0, 0)).isEqualTo(SAME_CPU);
        assertThat(map.distance(0, 4)).isEqualTo(SHARED_L2);
        assertThat(map.distance(0, 2)).isEqualTo(SAME_PACKAGE);
        assertThat(map.distance(0, 1)).isEqualTo(OTHER_PACKAGE);
        CpuCache l2 = map.cpu(6).caches().get(2);
        assertThat(l2).isEqualTo(new CpuCache(2, CpuCache.Type.UNIFIED, 6L << 20, CpuSet.of(2, 6)));
    }

    // Acceptance check 6 of the specification: the first victim is the pair's other core.
    @Test
    void nearestFirst_e5410_startsWithThePairAndRotatesInsideADistance() {
        CacheMap map = Machines.e5410x2();

        assertThat(map.nearestFirst(0)).containsExactly(4, 2, 6, 1, 3, 5, 7);
        assertThat(map.nearestFirst(4)).containsExactly(0, 6, 2, 5, 7, 1, 3);
        assertThat(map.nearestFirst(7)).containsExactly(3, 1, 5, 0, 2, 4, 6);
    }

    @Test
    void distance_amd16_isGroupThenOther() {
        CacheMap map = Machines.read("amd16", temp, 16);

        assertThat(map.distance(4, 7)).isEqualTo(SHARED_L3);
        assertThat(map.distance(4, 3)).isEqualTo(OTHER_PACKAGE);
        assertThat(map.cpu(9).node()).isEqualTo(2);
        assertThat(map.nearestFirst(5)).startsWith(6, 7, 4, 8, 9);
    }

    @Test
    void distance_smt_isSiblingThenCache() {
        CacheMap map = Machines.read("smt", temp, 8);

        assertThat(map.distance(1, 5)).isEqualTo(SMT_SIBLING);
        assertThat(map.distance(1, 2)).isEqualTo(SHARED_L3);
        assertThat(map.nearestFirst(1)).containsExactly(5, 2, 3, 4, 6, 7, 0);
    }

    @Test
    void distance_hybrid_seesClustersAndKinds() {
        CacheMap map = Machines.read("hybrid", temp, 16);

        assertThat(map.distance(0, 1)).isEqualTo(SMT_SIBLING);
        assertThat(map.distance(8, 11)).isEqualTo(SHARED_L2);
        assertThat(map.distance(8, 12)).isEqualTo(SHARED_L3);
        assertThat(map.cpu(0).isEfficient()).isFalse();
        assertThat(map.cpu(0).capacity()).isEqualTo(Cpu.CAPACITY_MAX);
        assertThat(map.cpu(8).isEfficient()).isTrue();
        assertThat(map.cpu(8).capacity()).isEqualTo(763); // 3.8 of 5.1 GHz
    }

    // Both ways the same, and only the CPU itself at SAME_CPU, on every machine there is.
    @Test
    void distance_anyMachine_isSymmetric() {
        for (CacheMap map : List.of(
                Machines.e5410x2(),
                Machines.read("amd16", temp.resolve("a"), 16),
                Machines.read("hybrid", temp.resolve("h"), 16),
                Machines.read("smt", temp.resolve("s"), 8))) {
            for (int from : map.cpus().stream().toArray()) {
                assertThat(map.nearestFirst(from))
                        .hasSize(map.cpus().size() - 1)
                        .doesNotContain(from);
                for (int to : map.cpus().stream().toArray()) {
                    assertThat(map.distance(from, to)).isEqualTo(map.distance(to, from));
                    assertThat(map.distance(from, to) == SAME_CPU).isEqualTo(from == to);
                }
            }
        }
    }

    // Where one CPU's description lacks what the other's says, both are still equally near.
    @Test
    void distance_oneSidedDescription_isSymmetric() {
        CpuCache shared = new CpuCache(2, CpuCache.Type.UNIFIED, 0, CpuSet.of(0, 1));
        Cpu knows = new Cpu(0, 0, 0, CpuSet.of(0), List.of(shared), 1024, false);
        Cpu knowsNot = new Cpu(1, 0, 0, CpuSet.of(1), List.of(), 1024, false);

        CacheMap map = CacheMap.of(List.of(knows, knowsNot));

        assertThat(map.distance(0, 1)).isEqualTo(SHARED_L2);
        assertThat(map.distance(1, 0)).isEqualTo(SHARED_L2);
    }

    // Sharing instructions brings nobody's data near.
    @Test
    void distance_sharedInstructionCache_doesNotCount() {
        CpuCache shared = new CpuCache(1, CpuCache.Type.INSTRUCTION, 65_536, CpuSet.of(0, 1));
        CacheMap map = CacheMap.of(List.of(
                new Cpu(0, 0, 0, CpuSet.of(0), List.of(shared), 1024, false),
                new Cpu(1, 0, 0, CpuSet.of(1), List.of(shared), 1024, false)));

        assertThat(map.distance(0, 1)).isEqualTo(SAME_PACKAGE);
    }

    @Test
    void flat_anyCpus_areEquallyFarApart() {
        CacheMap map = CacheMap.flat(CpuSet.of(2, 3, 70));

        assertThat(map.distance(2, 70)).isEqualTo(SAME_PACKAGE);
        assertThat(map.nearestFirst(3)).containsExactly(70, 2);
    }

    @Test
    void cpu_notInTheMap_namesBoth() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CacheMap.flat(CpuSet.of(2, 3)).distance(2, 4))
                .withMessageContaining("cpu=4")
                .withMessageContaining("map=2-3");
    }

    @Test
    void of_wrongData_isRefused() {
        Cpu cpu = new Cpu(0, 0, 0, CpuSet.of(0), List.of(), 1024, false);
        assertThatIllegalArgumentException().isThrownBy(() -> CacheMap.of(List.of(cpu, cpu)));
        assertThatIllegalArgumentException().isThrownBy(() -> CacheMap.of(List.of()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Cpu(0, 0, 0, CpuSet.of(1), List.of(), 1024, false))
                .withMessageContaining("siblings");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Cpu(0, 0, 0, CpuSet.of(0), List.of(), 0, false))
                .withMessageContaining("capacity");
        assertThatIllegalArgumentException().isThrownBy(() -> new CpuCache(9, CpuCache.Type.DATA, 0, CpuSet.of(0)));
        assertThatIllegalArgumentException().isThrownBy(() -> new CpuCache(1, CpuCache.Type.DATA, -1, CpuSet.of(0)));
    }

    // The machine the test runs on, whatever it shows of itself, gives a map of CPUs we may use.
    @Test
    void ofThisMachine_coversAllowedCpus() {
        CacheMap map = CacheMap.ofThisMachine(Cpus.allowed());

        assertThat(map.cpus().without(Cpus.allowed()).isEmpty()).isTrue();
        assertThat(map.nearestFirst(map.cpus().first())).hasSize(map.cpus().size() - 1);
    }
}
