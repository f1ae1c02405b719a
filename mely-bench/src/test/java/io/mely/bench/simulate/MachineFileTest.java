// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mely.bench.simulate.HandOvers.Pair;
import io.mely.bench.simulate.HandOvers.Place;
import io.mely.bench.simulate.Tries.Found;
import io.mely.bench.simulate.machine.MachineSpec;
import io.mely.topology.CacheMap;
import io.mely.topology.CacheMap.Cache;
import io.mely.topology.CacheMap.Cpu;
import io.mely.topology.CpuSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What --calibrate writes is what --machine reads. */
class MachineFileTest {
    private static final String CODE = "cpu.perBytecode = 0.2\ncpu.hit = 0.2\ncpu.missOverlap = 4";
    private static final Map<String, String> ENVIRONMENT =
            Map.of("cpu model", "Make (R) \"X\"", "java", "a JVM", "started", "today");

    /** Nanoseconds, at 2 GHz. */
    private static Map<String, Found> found() {
        Map<String, Found> found = new TreeMap<>();
        found.put("cycle", sure(0.5));
        found.put("level 1", sure(2));
        found.put("level 2", sure(7));
        found.put("last level, 2048 KB", new Found(40, 0.8, 100));
        found.put("last level, 4096 KB", sure(42));
        found.put("last level, 8192 KB", sure(45));
        found.put("last level, 16384 KB", sure(50));
        found.put("transfer, sharedCache", sure(30));
        found.put("transfer, sharedLast", sure(60));
        found.put("transfer, otherPackage", sure(150));
        found.put("CAS", sure(4));
        found.put("CAS after read, sharedCache", sure(5));
        found.put("memory", sure(100));
        found.put("remote memory", sure(180));
        found.put("walk", sure(5));
        found.put("walk of two", sure(3));
        found.put("walk of pages", sure(7.5)); // 160 ns a page more
        found.put("computing", sure(2));
        found.put("computing walk", sure(6)); // half of the computing is hidden
        found.put("fence", sure(10));
        found.put("pause", sure(20));
        found.put("clock", sure(25));
        found.put("poll", sure(300));
        return found;
    }

    private static Found sure(double ns) {
        return new Found(ns, 0.01, Tries.TRIES_MIN);
    }

    /** Two packages of four; each two CPUs share a second level. */
    private static CacheMap map(int cpus) {
        List<Cpu> all = new ArrayList<>();
        for (int i = 0; i < cpus; i++) {
            List<Cache> caches = List.of(
                    new Cache(1, 48 << 10, CpuSet.of(i)),
                    new Cache(2, 1 << 20, CpuSet.range(i / 2 * 2, i / 2 * 2 + 2)),
                    new Cache(3, 32 << 20, CpuSet.range(i / 4 * 4, i / 4 * 4 + 4)));
            all.add(new Cpu(i, i / 4, CpuSet.of(i), caches));
        }
        return CacheMap.of(all);
    }

    private static MachineFile file(Map<String, Found> found, int cpus) {
        return new MachineFile(map(cpus), found, new Probes.Sleep(2_000, 3_000, 9_000), ENVIRONMENT);
    }

    @Test
    void file_canBeRead() {
        MachineSpec spec = MachineSpec.parse(file(found(), 8) + CODE);
        assertThat(spec.gigahertz()).isEqualTo(2);
        assertThat(spec.packages()).isEqualTo(2);
        assertThat(spec.cpusPerPackage()).isEqualTo(4);
        assertThat(spec.caches())
                .containsExactly(
                        new MachineSpec.CacheSpec(48 << 10, 8, 1, 4),
                        new MachineSpec.CacheSpec(1 << 20, 8, 2, 14),
                        new MachineSpec.CacheSpec(32 << 20, 16, 4, 80));
        assertThat(spec.transfer()).isEqualTo(new MachineSpec.Transfer(60, 120, 300, 300, true));
        assertThat(spec.memory()).isEqualTo(new MachineSpec.Memory(200, 360, 20, 6, 1.6, 0.5));
        assertThat(spec.os()).isEqualTo(new MachineSpec.Os(2_000, 3_000, 9_000, 300));
        assertThat(spec.name()).isEqualTo("Make (R) 'X', 8 CPUs");
    }

    @Test
    void file_neighboursHaveMostOfTheLastLevel_isAsSmallAsWhatIsLeft() {
        Map<String, Found> found = found();
        found.put("last level, 8192 KB", sure(90));
        assertThat(MachineSpec.parse(file(found, 8) + CODE).caches())
                .last()
                .isEqualTo(new MachineSpec.CacheSpec(4 << 20, 16, 4, 80));
        assertThat(file(found, 8).toString()).contains("what is left of 32 MB: in 8192 KB a load takes 180 cycles");
    }

    // What neighbours took from one of the three must not give a share that no machine can have.
    @Test
    void file_walkThatComputesIsOutOfBounds_overlapStaysAShare() {
        Map<String, Found> found = found();
        found.put("computing walk", sure(4));
        found.put("walk of pages", sure(4));
        assertThat(MachineSpec.parse(file(found, 8) + CODE).memory())
                .isEqualTo(new MachineSpec.Memory(200, 360, 20, 6, 0, 1));
        found.put("computing walk", sure(8));
        assertThat(MachineSpec.parse(file(found, 8) + CODE).memory().walkOverlap())
                .isZero();
    }

    @Test
    void file_casNeedsATransfer_linesDoNotMigrate() {
        Map<String, Found> found = found();
        found.put("CAS after read, sharedCache", sure(60));
        assertThat(MachineSpec.parse(file(found, 8) + CODE).transfer().migrates())
                .isFalse();
    }

    @Test
    void file_saysWhatIsUnsure() {
        assertThat(file(found(), 8).toString().lines().filter(line -> line.contains("unsure")))
                .singleElement()
                .asString()
                .contains("latency = 80.000")
                .contains("spread 80 %");
    }

    // A line that no pair was found for is as far as the next farther one that there is.
    @Test
    void file_onePairOnly_isAllDistances() {
        Map<String, Found> found = found();
        found.keySet().removeIf(name -> name.startsWith("transfer") || name.equals("remote memory"));
        found.put("transfer, sharedLast", sure(60));
        found.put("CAS after read, sharedLast", sure(5));
        String file = file(found, 8).toString();
        MachineSpec spec = MachineSpec.parse(file + CODE);
        assertThat(spec.transfer()).isEqualTo(new MachineSpec.Transfer(120, 120, 120, 120, true));
        assertThat(spec.memory().remoteLatency()).isEqualTo(200);
        assertThat(file).contains("no such pair here: as sharedLast");
    }

    @Test
    void pairs_areTheFirstOfEachKind() {
        assertThat(HandOvers.pairs(map(8)))
                .containsOnly(
                        Map.entry(Place.SHARED_CACHE, new Pair(0, 1)),
                        Map.entry(Place.SHARED_LAST, new Pair(0, 2)),
                        Map.entry(Place.OTHER_PACKAGE, new Pair(0, 4)));
    }

    @Test
    void calibration_oneCpu_saysSo() {
        assertThatThrownBy(() -> new Calibration(map(1), Tries.Quartile.LOWER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two CPUs");
    }

    // A container may have three of eight CPUs.
    @Test
    void file_unevenPackages_areOne() {
        MachineSpec spec = MachineSpec.parse(file(found(), 5) + CODE);
        assertThat(spec.packages()).isEqualTo(1);
        assertThat(spec.cpus()).isEqualTo(5);
    }

    @Test
    void calibration_unknownCaches_saysSo() {
        CacheMap flat = CacheMap.flat(CpuSet.of(IntStream.range(0, 2).toArray()));
        assertThatThrownBy(() -> new Calibration(flat, Tries.Quartile.LOWER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("caches");
    }
}
