// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Mely;
import io.mely.MelyBuilder;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.function.ToLongBiFunction;
import org.junit.jupiter.api.Test;
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

    @ParameterizedTest
    @ValueSource(strings = {"", "user-", "a long prefix that all of them have in common: "})
    void keysOfNames_areSpreadEvenly(String prefix) {
        assertSpread((table, i) -> table.keyOf(prefix + i));
    }

    // Of a known hash anybody makes as many names as he likes that share it; here of "AaAaAa…" by "BB" for some "Aa".
    @Test
    void keysOfNames_whoseHashCodesAreEqual_areSpreadEvenly() {
        assertThat(pairs(0).hashCode()).isEqualTo(pairs(KEYS - 1).hashCode());
        assertSpread((table, i) -> table.keyOf(pairs(i)));
    }

    private static String pairs(long bits) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < 16; i++) {
            name.append((bits >>> i & 1) == 0 ? "Aa" : "BB");
        }
        return name.toString();
    }

    // Equal names of any type have one key, other names and other seeds other ones: with 64 bits a meeting would be no
    // chance.
    @Test
    void key_isOfTheNameAndTheSeed() {
        Set<Long> keys = new HashSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            ColorTable table = table(seed);
            for (int i = 0; i < KEYS; i++) {
                keys.add(table.keyOf(pairs(i)));
            }
            assertThat(table.keyOf("alice")).isEqualTo(table.keyOf(new StringBuilder("alice")));
        }
        assertThat(keys).hasSize(SEEDS * KEYS);
    }

    private static void assertSpread(LongUnaryOperator keys) {
        assertSpread((table, i) -> keys.applyAsLong(i));
    }

    private static ColorTable table(long seed) {
        MelyBuilder builder = Hooks.NONE.withHashSeed(seed).on(Mely.builder());
        return new ColorTable(Hooks.config(builder.colors(COLORS)), slot -> null);
    }

    private static void assertSpread(ToLongBiFunction<ColorTable, Long> keys) {
        for (int seed = 0; seed < SEEDS; seed++) {
            ColorTable table = table(seed);
            int[] counts = new int[COLORS];
            for (long i = 0; i < KEYS; i++) {
                counts[table.slotOf(keys.applyAsLong(table, i))]++;
            }
            assertThat(counts[0]).as("the default color's").isZero();
            assertThat(deviations(counts)).as("seed %d", seed).isLessThan(DEVIATIONS_MAX);
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
