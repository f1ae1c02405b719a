// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.Stealing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// The bound of worthiness is the cost of the cheapest steal that this machine has; each distance is measured for
// itself, smoothed and kept
// within reason.
class StealCostsTest {
    @ParameterizedTest
    @CsvSource({"3, 700", "5, 1500", "1, 400"})
    void bound_startsAtTheGuessOfTheNearest(int distance, long ns) {
        StealCosts costs = new StealCosts(new int[] {distance, 5}, Stealing.mely());
        assertThat(costs.intervals().bound()).isEqualTo(ns);
        assertThat(costs.minLeft(distance)).isEqualTo(ns);
        assertThat(costs.minLeft(5)).isEqualTo(1_500);
    }

    @Test
    void sample_smoothsByOneEighth_andMovesTheBound() {
        StealCosts costs = new StealCosts(new int[] {3}, Stealing.mely());
        costs.sample(3, 1_500);
        assertThat(costs.minLeft(3)).isEqualTo(800);
        assertThat(costs.intervals().bound()).isEqualTo(800);
    }

    // Else dear steals at the start, by code not compiled yet, would end all stealing: nothing pays, so nothing is
    // measured.
    @Test
    void forget_dearSteals_goesBackToTheGuess() {
        StealCosts costs = new StealCosts(new int[] {3}, Stealing.mely());
        for (int i = 0; i < 200; i++) {
            costs.sample(3, 50_000);
        }
        assertThat(costs.intervals().bound()).isGreaterThan(40_000);
        costs.forget();
        assertThat(costs.intervals().bound()).isBetween(20_000L, 26_000L);
        for (int i = 0; i < 20; i++) {
            costs.forget();
        }
        assertThat(costs.minLeft(3)).isEqualTo(700);
        assertThat(costs.intervals().bound()).isEqualTo(700);
    }

    @Test
    void forget_cheapSteals_staysCheap() {
        StealCosts costs = new StealCosts(new int[] {3}, Stealing.mely());
        for (int i = 0; i < 100; i++) {
            costs.sample(3, 300);
        }
        long cheap = costs.minLeft(3);
        costs.forget();
        assertThat(costs.minLeft(3)).isEqualTo(cheap).isLessThan(400);
    }

    @Test
    void bound_isTheCheapestDistanceThatOccurs() {
        StealCosts costs = new StealCosts(new int[] {2, 4}, Stealing.mely());
        assertThat(costs.intervals().bound()).isEqualTo(500);
        for (int i = 0; i < 100; i++) {
            costs.sample(2, 1_900);
        }
        assertThat(costs.minLeft(2)).isGreaterThan(1_800);
        assertThat(costs.intervals().bound()).as("now the other one").isEqualTo(1_000);
    }

    @Test
    void sample_outlier_countsFourTimesTheEstimate() {
        StealCosts costs = new StealCosts(new int[] {3}, Stealing.mely());
        costs.sample(3, 1_000_000_000);
        assertThat(costs.minLeft(3)).isEqualTo(700 + (2_800 - 700) / 8);
    }

    @Test
    void cost_staysWithinItsLimits() {
        StealCosts costs = new StealCosts(new int[] {0}, Stealing.mely());
        for (int i = 0; i < 200; i++) {
            costs.sample(0, 1);
        }
        assertThat(costs.minLeft(0)).isBetween(100L, 107L); // the smoothing's last step is below one
        for (int i = 0; i < 500; i++) {
            costs.sample(0, Long.MAX_VALUE);
        }
        assertThat(costs.minLeft(0)).isBetween(99_990L, 100_000L);
        costs.sample(0, -1);
        assertThat(costs.minLeft(0)).isPositive();
    }

    // Without time-left a color is worth it as soon as it holds one whole event of penalty 1, and nothing is measured.
    @Test
    void notMeasured_boundIsJustBelowOneEvent() {
        StealCosts costs = new StealCosts(new int[] {3}, Stealing.base());
        assertThat(costs.intervals().bound()).isEqualTo(HandlerProfile.NOMINAL_WEIGHT - 1);
        costs.sample(3, 90_000);
        assertThat(costs.minLeft(3)).isEqualTo(HandlerProfile.NOMINAL_WEIGHT - 1);
        assertThat(costs.intervals().intervalOf(HandlerProfile.NOMINAL_WEIGHT)).isEqualTo(1);
    }

    @Test
    void oneCore_hasNoDistance() {
        assertThat(new StealCosts(new int[0], Stealing.mely()).intervals().bound())
                .isPositive();
    }
}
