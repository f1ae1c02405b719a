// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that follow a pattern meet in slots no more often than keys drawn by lot would. */
class ColorTableTest {
    private static final int COLORS = 1_024;
    private static final int KEYS = 8 * COLORS;
    private static final int SEEDS = 20;
    /** Of the chi-square beside its mean, in standard deviations; of as many draws by lot the largest is some 3, each fixed by its seed. */
    private static final double DEVIATIONS_MAX = 5;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 8, 16, 24, 32, 40, 50})
    void keys_ofAStride_areSpreadEvenly(int shift) {
        assertSpread(i -> i << shift);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1_000, 65_537, 0x9e3779b97f4a7c15L})
    void keys_ofAFactor_areSpreadEvenly(long factor) {
        assertSpread(i -> i * factor);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 33, 51})
    void keys_ofTwoCounters_areSpreadEvenly(int shift) {
        assertSpread(i -> ((i & 127) << shift) ^ (i >>> 7));
    }

    private static void assertSpread(LongUnaryOperator keys) {
        for (int seed = 0; seed < SEEDS; seed++) {
            try (Mely mely = Mely.builder()
                    .cores(1)
                    .pinned(false)
                    .colors(COLORS)
                    .hashSeed(seed)
                    .build()) {
                int[] counts = new int[COLORS];
                for (long i = 0; i < KEYS; i++) {
                    counts[mely.color(keys.applyAsLong(i)).slot()]++;
                }
                assertThat(counts[0]).as("the default color's").isZero();
                assertThat(deviations(counts)).as("seed %d", seed).isLessThan(DEVIATIONS_MAX);
            }
        }
    }

    private static double deviations(int[] counts) {
        int slots = COLORS - 1;
        double mean = (double) KEYS / slots;
        double chiSquare = 0;
        for (int slot = 1; slot <= slots; slot++) {
            chiSquare += (counts[slot] - mean) * (counts[slot] - mean) / mean;
        }
        return (chiSquare - (slots - 1)) / Math.sqrt(2.0 * (slots - 1));
    }
}
