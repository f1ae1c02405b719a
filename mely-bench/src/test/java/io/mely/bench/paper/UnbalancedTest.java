// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Property: in <i>unbalanced</i> all work is at the first home; in <i>spread</i> each kind of it is spread evenly. */
class UnbalancedTest {
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    void home_spreadsLongAndShortEvenly(int homes) {
        Unbalanced spread = new Unbalanced(Unbalanced.Options.paper().withHomes(homes));
        for (boolean isLong : new boolean[] {true, false}) {
            long[] cycles = spread.cyclesAtHomes(isLong);
            double mean = LongStream.of(cycles).average().orElseThrow();
            for (long at : cycles) {
                assertThat(Math.abs(at - mean) / mean)
                        .as("isLong=%s: %s", isLong, Arrays.toString(cycles))
                        .isLessThan(0.02);
            }
        }
    }

    @Test
    void home_isFirstInThePaper() {
        Unbalanced paper = new Unbalanced(Unbalanced.Options.paper());
        for (int key = 0; key < paper.keys(); key++) {
            assertThat(paper.home(key)).isZero();
        }
        // 2 % of 50,000, 10,000 to 50,000 cycles each.
        assertThat(paper.cyclesAtHomes(true)[0]).isBetween(28_000_000L, 32_000_000L);
        assertThat(paper.cyclesAtHomes(false)).containsExactly(49_000 * 100L);
    }

    @Test
    void options_leaveOutLongEvents() {
        Unbalanced even = new Unbalanced(Unbalanced.Options.paper().withHomes(2).withoutLong());
        assertThat(even.cyclesAtHomes(true)).containsOnly(0);
        assertThat(even.cyclesAtHomes(false)).containsExactly(25_000 * 100L, 25_000 * 100L);
    }
}
