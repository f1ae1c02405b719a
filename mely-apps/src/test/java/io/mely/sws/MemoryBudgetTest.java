// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Property: buffers and files fit into what the JVM allows, and each core can serve some requests, or there is no server. */
class MemoryBudgetTest {
    private static final long MIB = 1 << 20;

    private final SwsConfig config = SwsConfig.builder(Path.of("/")).build();

    @Test
    void of_enough_leavesTheConfiguration() {
        for (long limit : new long[] {300 * MIB, 1 << 30, Long.MAX_VALUE}) {
            MemoryBudget budget = MemoryBudget.of(config, 2, limit);
            assertThat(budget.cacheBytes()).isEqualTo(config.get(SwsSettings.CACHE_BUDGET));
            assertThat(budget.bufferBytes())
                    .isGreaterThan(config.get(SwsSettings.MAX_CLIENTS) * (long) Exchange.OUT_BYTES);
        }
    }

    /** Bytes in MiB. */
    @ParameterizedTest
    @CsvSource({"2, 100", "2, 64", "2, 48", "4, 16", "8, 8", "1, 2"})
    void of_little_isDivided(int cores, int limit) {
        MemoryBudget budget = MemoryBudget.of(config, cores, limit * MIB);
        assertThat(budget.bufferBytes() + budget.fileBytes())
                .isEqualTo(limit * MIB - MemoryBudget.RESERVE_BYTES - cores * MemoryBudget.CORE_RESERVE_BYTES);
        assertThat(budget.cacheBytes())
                .isLessThan(config.get(SwsSettings.CACHE_BUDGET))
                .isBetween(budget.fileBytes() / 2, budget.fileBytes() * 4 / 5);
        assertThat(budget.bufferBytes()).isGreaterThanOrEqualTo(least(cores));
    }

    // What a server for few clients does not need for them, its cache can have.
    @Test
    void of_fewClients_theCacheHasTheRest() {
        SwsConfig few = SwsConfig.builder(Path.of("/"))
                .set(SwsSettings.MAX_CLIENTS, 100)
                .build();
        assertThat(MemoryBudget.of(few, 2, 100 * MIB).cacheBytes()).isEqualTo(few.get(SwsSettings.CACHE_BUDGET));
        assertThat(MemoryBudget.of(config, 2, 100 * MIB).cacheBytes()).isLessThan(few.get(SwsSettings.CACHE_BUDGET));
    }

    @Test
    void of_noCacheOrAHugeOne_filesHaveAPart() {
        SwsConfig none =
                SwsConfig.builder(Path.of("/")).set(SwsSettings.CACHE_BUDGET, 0).build();
        MemoryBudget without = MemoryBudget.of(none, 2, 64 * MIB);
        assertThat(without.cacheBytes()).isZero();
        assertThat(without.fileBytes()).isBetween(7 * MIB, 8 * MIB);
        SwsConfig huge = SwsConfig.builder(Path.of("/"))
                .set(SwsSettings.CACHE_BUDGET, Long.MAX_VALUE)
                .build();
        assertThat(MemoryBudget.of(huge, 2, 64 * MIB)).isEqualTo(MemoryBudget.of(config, 2, 64 * MIB));
        assertThat(MemoryBudget.of(huge, 2, Long.MAX_VALUE).cacheBytes()).isGreaterThan(Long.MAX_VALUE / 2);
    }

    @Test
    void of_theLeast_isForRequestsAlone() {
        long limit = MemoryBudget.limitBytesMin(2);
        assertThat(MemoryBudget.of(config, 2, limit)).isEqualTo(new MemoryBudget(least(2), 0, 0));
        assertThatIllegalStateException()
                .isThrownBy(() -> MemoryBudget.of(config, 2, limit - 1))
                .withMessageContaining("1,968,199 bytes of native memory, and 2 threads need 1,968,200");
    }

    private static long least(int cores) {
        return cores * (ThreadState.bytes(false, true) + MemoryBudget.REQUESTS_MIN * (long) Exchange.OUT_BYTES);
    }
}
