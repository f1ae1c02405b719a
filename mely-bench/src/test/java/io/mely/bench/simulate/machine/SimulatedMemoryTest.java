// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An access costs what the machine's file says for the place where the line is. */
class SimulatedMemoryTest {
    private static final Path MACHINE = Path.of("../config/machines/xeon-e5410x2.conf");

    private final MachineSpec spec = MachineSpec.read(MACHINE);
    private MemoryModel memory;
    private int line;
    private double now;

    @BeforeEach
    void newMemory() {
        memory = new MemoryModel(spec, new int[] {0, 1, 2, 3, 4, 5, 6, 7});
        line = memory.newLines(64);
    }

    /** Far apart in time, so that no access waits for another. */
    private double access(int core, boolean isWrite) {
        now += 10_000;
        return memory.access(core, line, isWrite, now);
    }

    @Test
    void firstRead_comesFromMemory() {
        assertThat(access(0, false)).isEqualTo(spec.memory().latency());
    }

    @Test
    void secondRead_hits() {
        access(0, false);
        assertThat(access(0, false)).isEqualTo(spec.cpu().hit());
    }

    @Test
    void read_ofWhatTheNeighbourRead_hitsTheSharedCache() {
        access(0, false);
        assertThat(access(1, false)).isEqualTo(spec.caches().get(1).latency());
    }

    @Test
    void read_ofAModifiedLine_movesItByDistance() {
        access(0, true);
        assertThat(access(1, false)).isEqualTo(spec.transfer().sharedCache());
        access(0, true);
        assertThat(access(4, false)).isEqualTo(spec.transfer().otherPackage());
    }

    // A copy elsewhere must go before a write; it is a miss for its holder afterwards.
    @Test
    void write_invalidatesCopies() {
        access(0, true);
        access(4, false);
        assertThat(access(0, true)).isEqualTo(spec.transfer().otherPackage());
        assertThat(access(0, true)).isEqualTo(spec.cpu().hit());
        long before = memory.misses[4][1];
        access(4, false);
        assertThat(memory.misses[4][1]).isEqualTo(before + 1);
    }

    // Where lines migrate a lock is taken for one transfer: the read that finds it free brings it. A line that is read
    // in turn is shared.
    @Test
    void read_ofAModifiedLine_takesItOverWhereLinesMigrate() {
        MachineSpec migrating = MachineSpec.read(MACHINE, "transfer.migrates = true");
        memory = new MemoryModel(migrating, new int[] {0, 1, 2, 3, 4, 5, 6, 7});
        line = memory.newLines(64);
        double transfer = spec.transfer().otherPackage();
        access(0, true);
        assertThat(access(4, false)).isEqualTo(transfer);
        assertThat(access(4, true)).isEqualTo(spec.cpu().hit());
        assertThat(access(0, false)).isEqualTo(transfer);
        assertThat(access(4, false)).isEqualTo(transfer);
        assertThat(access(0, false)).isEqualTo(spec.cpu().hit());
        assertThat(access(4, false)).isEqualTo(spec.cpu().hit());
        assertThat(access(4, true)).isEqualTo(transfer);
    }

    @Test
    void readers_ofOneModifiedLine_waitForEachOther() {
        access(0, true);
        double first = memory.access(2, line, false, now + 1_000);
        memory.access(0, line, true, now + 2_000);
        double second = memory.access(2, line, false, now + 2_001);
        assertThat(first).isEqualTo(spec.transfer().samePackage());
        assertThat(second).isGreaterThan(first);
    }

    // What one package has and another gets goes over both of their links.
    @Test
    void lineFromAnotherPackage_keepsBothLinksBusy() {
        access(0, true);
        now += 10_000;
        memory.access(4, line, false, now);
        double waited = spec.memory().latency() + spec.memory().busCycles();
        assertThat(memory.access(2, line + 1, false, now)).isEqualTo(waited);

        access(4, true);
        now += 10_000;
        memory.access(6, line, false, now);
        assertThat(memory.access(2, line + 2, false, now))
                .as("of the same package")
                .isEqualTo(spec.memory().latency());
    }

    // What another core must give up cannot be fetched ahead.
    @Test
    void hasWaited_forAnotherCoreOnly() {
        access(0, true);
        assertThat(memory.hasWaited).isFalse();
        access(4, false);
        assertThat(memory.hasWaited).isTrue();
        access(4, false);
        assertThat(memory.hasWaited).isFalse();
        access(0, true);
        assertThat(memory.hasWaited).isTrue();
    }

    // A set holds as many lines as it has ways; one more, and the least recently used is out.
    @Test
    void cache_forgetsTheLeastRecentlyUsed() {
        CacheModel cache = new CacheModel(8 * 64, 8);
        for (int i = 0; i < 8; i++) {
            cache.fill(i, 0);
        }
        assertThat(cache.hit(0, 0)).isTrue();
        cache.fill(8, 0);
        assertThat(cache.holds(0, 0)).isTrue();
        assertThat(cache.holds(1, 0)).isFalse();
    }

    @Test
    void cache_knowsVersions() {
        CacheModel cache = new CacheModel(8 * 64, 8);
        cache.fill(1, 0);
        assertThat(cache.hit(1, 1)).isFalse();
    }

    @Test
    void offsets_areThoseOfPaddedClasses() {
        Layouts.Layout layout = Layouts.layout("io/mely/runtime/CoreQueue");
        int running = layout.offset("running");
        assertThat(running).isGreaterThanOrEqualTo(128);
        assertThat(layout.offset("core") - running).isGreaterThanOrEqualTo(128);
    }
}
