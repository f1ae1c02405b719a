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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheMapTest {
    @TempDir
    Path temp;

    private final LogCapture log = new LogCapture();

    @AfterEach
    void closeLog() {
        log.close();
    }

    // The paper's machine, from a folder: pairs share L2, four cores a package, no L3.
    @Test
    void distance_e5410_isPairThenPackageThenOther() {
        CacheMap map = Machines.e5410x2();

        assertThat(log.messages()).isEmpty();
        assertThat(map.distance(0, 0)).isEqualTo(SAME_CPU);
        assertThat(map.distance(0, 4)).isEqualTo(SHARED_L2);
        assertThat(map.distance(0, 2)).isEqualTo(SAME_PACKAGE);
        assertThat(map.distance(0, 1)).isEqualTo(OTHER_PACKAGE);
        assertThat(map.cpu(6).caches().get(1)).isEqualTo(new CacheMap.Cache(2, 6L << 20, CpuSet.of(2, 6)));
    }

    @Test
    void distance_amd16_isGroupThenOther() {
        CacheMap map = Machines.read("amd16", temp, 16);

        assertThat(map.distance(4, 7)).isEqualTo(SHARED_L3);
        assertThat(map.distance(4, 3)).isEqualTo(OTHER_PACKAGE);
    }

    @Test
    void distance_smt_isSiblingThenCache() {
        CacheMap map = Machines.read("smt", temp, 8);

        assertThat(map.distance(1, 5)).isEqualTo(SMT_SIBLING);
        assertThat(map.distance(1, 2)).isEqualTo(SHARED_L3);
    }

    @Test
    void distance_hybrid_seesClusters() {
        CacheMap map = Machines.read("hybrid", temp, 16);

        assertThat(map.distance(0, 1)).isEqualTo(SMT_SIBLING);
        assertThat(map.distance(8, 11)).isEqualTo(SHARED_L2);
        assertThat(map.distance(8, 12)).isEqualTo(SHARED_L3);
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
        CacheMap.Cache shared = new CacheMap.Cache(2, 0, CpuSet.of(0, 1));
        CacheMap.Cpu knows = new CacheMap.Cpu(0, 0, CpuSet.of(0), List.of(shared));
        CacheMap.Cpu knowsNot = new CacheMap.Cpu(1, 0, CpuSet.of(1), List.of());

        CacheMap map = CacheMap.of(List.of(knows, knowsNot));

        assertThat(map.distance(0, 1)).isEqualTo(SHARED_L2);
        assertThat(map.distance(1, 0)).isEqualTo(SHARED_L2);
    }

    // Sharing instructions brings nobody's data near.
    @Test
    void distance_sharedInstructionCache_doesNotCount() {
        for (int cpu = 0; cpu < 2; cpu++) {
            Machines.write(
                    temp.resolve(CacheMapReader.CPU_FOLDER + "/cpu" + cpu + "/topology/physical_package_id"), "0");
            Machines.write(
                    temp.resolve(CacheMapReader.CPU_FOLDER + "/cpu" + cpu + "/topology/thread_siblings_list"),
                    "" + cpu);
            Path cache = temp.resolve(CacheMapReader.CPU_FOLDER + "/cpu" + cpu + "/cache");
            for (String[] file : new String[][] {
                {"index0/level", "1"}, {"index0/type", "Instruction"}, {"index0/shared_cpu_list", "0-1"},
                {"index1/level", "1"}, {"index1/type", "Data"}, {"index1/shared_cpu_list", "" + cpu}
            }) {
                Machines.write(cache.resolve(file[0]), file[1]);
            }
        }
        CacheMap map = CacheMap.read(temp, CpuSet.range(0, 2));

        assertThat(log.messages()).isEmpty();
        assertThat(map.distance(0, 1)).isEqualTo(SAME_PACKAGE);
    }

    @Test
    void flat_anyCpus_areEquallyFarApart() {
        CacheMap map = CacheMap.flat(CpuSet.of(2, 3, 70));

        assertThat(map.distance(2, 70)).isEqualTo(SAME_PACKAGE);
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
        CacheMap.Cpu cpu = new CacheMap.Cpu(0, 0, CpuSet.of(0), List.of());
        assertThatIllegalArgumentException().isThrownBy(() -> CacheMap.of(List.of(cpu, cpu)));
        assertThatIllegalArgumentException().isThrownBy(() -> CacheMap.of(List.of()));
    }

    // The machine the test runs on, whatever it shows of itself, gives a map of CPUs we may use.
    @Test
    void ofThisMachine_coversAllowedCpus() {
        CacheMap map = CacheMap.ofThisMachine(Cpus.allowed());

        assertThat(map.cpus().without(Cpus.allowed()).isEmpty()).isTrue();
        assertThat(map.cpus().isEmpty()).isFalse();
    }
}
