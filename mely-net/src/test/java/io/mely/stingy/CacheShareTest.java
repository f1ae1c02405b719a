// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.topology.CacheMap;
import io.mely.topology.CpuSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

// The share of a core: of a cache of its own, or of a shared one.
class CacheShareTest {
    private static CacheMap machine(int cpus, long privateBytes, long sharedBytes) {
        return CacheMap.of(IntStream.range(0, cpus)
                .mapToObj(cpu -> new CacheMap.Cpu(
                        cpu,
                        0,
                        CpuSet.of(cpu),
                        List.of(
                                new CacheMap.Cache(2, privateBytes, CpuSet.of(cpu)),
                                new CacheMap.Cache(3, sharedBytes, CpuSet.range(0, 8)))))
                .toList());
    }

    @Test
    void share_isOfTheCacheThatHasMost() {
        assertThat(CacheShare.of(machine(8, 1 << 20, 32 << 20))).isEqualTo(OptionalLong.of(4 << 20));
        assertThat(CacheShare.of(machine(8, 2 << 20, 8 << 20))).isEqualTo(OptionalLong.of(2 << 20));
    }

    // Of the CPUs that share the cache, this process may use two.
    @Test
    void share_isDividedByTheCpusOfTheProcess() {
        assertThat(CacheShare.of(machine(2, 1 << 20, 32 << 20))).isEqualTo(OptionalLong.of(16 << 20));
    }

    @Test
    void unknownCaches_haveNoShare() {
        assertThat(CacheShare.of(CacheMap.flat(CpuSet.range(0, 4)))).isEmpty();
    }
}
