// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.topology.CacheMap;
import io.mely.topology.CacheMap.Cache;
import io.mely.topology.CacheMap.Cpu;
import io.mely.topology.CpuSet;
import io.mely.topology.Distance;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@SuppressWarnings("EnumOrdinal") // declared from near to far
class MachineTest {
    private static final int SELF = Distance.SAME_CPU.ordinal();
    private static final int NEAR = Distance.SHARED_L2.ordinal();
    private static final int FAR = Distance.OTHER_PACKAGE.ordinal();
    private static final int UNKNOWN = Distance.SAME_PACKAGE.ordinal();

    /** CPUs 0 and 2 share a cache, CPU 1 is another package. */
    private static CacheMap map() {
        Cache shared = new Cache(2, 0, CpuSet.of(0, 2));
        return CacheMap.of(List.of(
                new Cpu(0, 0, CpuSet.of(0), List.of(shared)),
                new Cpu(1, 1, CpuSet.of(1), List.of()),
                new Cpu(2, 0, CpuSet.of(2), List.of(shared))));
    }

    // A quota is rounded up, never above the allowed CPUs, never below one core.
    @ParameterizedTest
    @CsvSource({"0.1, 1", "1.0, 1", "1.01, 2", "1.5, 2", "4.0, 4", "4.5, 4", "1e9, 4", "Infinity, 4"})
    void defaultCores_quota_roundsUpWithinTheAllowed(double quota, int cores) {
        assertThat(Machine.defaultCores(4, quota)).isEqualTo(cores);
    }

    // Cores are as far apart as their CPUs: here CPUs 0, 2 and 1.
    @Test
    void distances_ofCores_areThoseOfTheirCpus() {
        Machine machine = Machine.of(map(), 3, 0);
        assertThat(machine.distances())
                .isDeepEqualTo(new int[][] {{SELF, NEAR, FAR}, {NEAR, SELF, FAR}, {FAR, FAR, SELF}});
        assertThat(machine.distanceClasses()).containsExactlyInAnyOrder(NEAR, FAR);
    }

    // With more cores than CPUs nobody is pinned, and all are as far apart as if nothing were known.
    @Test
    void moreCoresThanCpus_float() {
        Machine machine = Machine.of(map(), 4, 0);
        assertThat(machine.cores()).isEqualTo(4);
        assertThat(machine.distanceClasses()).containsExactly(UNKNOWN);
        assertThat(machine.distances()[2][2]).isEqualTo(SELF);
        assertThat(machine.pin(3)).isEqualTo(-1);
    }

    @Test
    void oneCore_hasNoDistance() {
        assertThat(Machine.of(map(), 1, 0).distanceClasses()).isEmpty();
    }
}
