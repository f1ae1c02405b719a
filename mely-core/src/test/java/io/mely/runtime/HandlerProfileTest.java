// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.StageOptions;
import io.mely.Stealing;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// An annotation stands; without one the time is a guess until the first sample, then a smoothed measurement that one
// preempted run
// cannot spoil. The weight is what the heuristics that are on make of it.
class HandlerProfileTest {
    private static HandlerProfile measured(int penalty) {
        return new HandlerProfile("m", StageOptions.defaults().withPenalty(penalty), Stealing.mely());
    }

    private static StageOptions annotated(long ns) {
        return StageOptions.defaults().withProcessingTime(Duration.ofNanos(ns));
    }

    @Test
    void annotation_overridesMeasurement() {
        HandlerProfile profile = new HandlerProfile("a", annotated(5_000), Stealing.mely());
        assertThat(profile.isTimed()).as("no run needs to be timed").isFalse();
        profile.sample(9_000_000);
        profile.sample(1);
        assertThat(profile.processingTimeNs()).isEqualTo(5_000);
        assertThat(profile.weight()).isEqualTo(5_000);
    }

    @Test
    void noAnnotation_isAGuessUntilTheFirstSample() {
        HandlerProfile profile = measured(1);
        assertThat(profile.processingTimeNs()).isEqualTo(HandlerProfile.UNKNOWN_NS);
        assertThat(profile.weight()).isEqualTo(HandlerProfile.UNKNOWN_NS);
        profile.sample(300);
        assertThat(profile.processingTimeNs()).as("replaces the guess").isEqualTo(300);
    }

    @Test
    void isTimed_forTheFirstEightRuns_andWhileEventsAreLong() {
        HandlerProfile profile = measured(1);
        for (int i = 0; i < 8; i++) {
            assertThat(profile.isTimed()).isTrue();
            profile.sample(100);
        }
        assertThat(profile.isTimed()).isFalse();
        for (int i = 0; i < 64; i++) {
            profile.sample(2_000);
        }
        assertThat(profile.isTimed()).isTrue();
    }

    @Test
    void sample_isTheMeanAtFirst_andThenOfAWindow() {
        HandlerProfile profile = measured(1);
        profile.sample(800);
        profile.sample(1_600);
        assertThat(profile.processingTimeNs()).isEqualTo(1_200);
        profile.sample(300);
        assertThat(profile.processingTimeNs()).isEqualTo(900);
        for (int i = 0; i < 1_000; i++) {
            profile.sample(640);
        }
        assertThat(profile.processingTimeNs()).isEqualTo(640);
        profile.sample(6_400);
        assertThat(profile.processingTimeNs()).as("a 64th of the way").isEqualTo(640 + (6_400 - 640) / 64);
    }

    // A stage that turns from 1 us to 5 ms is known to be long after one event.
    @Test
    void sample_thatIsMuchLonger_isBelievedAtOnce() {
        HandlerProfile profile = measured(1);
        for (int i = 0; i < 64; i++) {
            profile.sample(1_000);
        }
        profile.sample(5_000_000);
        assertThat(profile.processingTimeNs()).isBetween(78_000L, 80_000L);
        assertThat(profile.residualNs()).isGreaterThan(Core.ENGAGED_NS);
    }

    // E[S^2] / 2E[S]: for who finds the core in a handler, the long ones count by their length.
    @Test
    void residual_ofUnevenTimes_isMuchLongerThanTheMean() {
        HandlerProfile profile = measured(1);
        for (int i = 0; i < 64; i++) {
            profile.sample(i % 16 == 7 ? 500_000 : 5_000);
        }
        double mean = (15 * 5_000.0 + 500_000) / 16;
        double meanSquare = (15 * 25e6 + 25e10) / 16;
        assertThat(profile.processingTimeNs()).isEqualTo((long) mean);
        assertThat(profile.residualNs())
                .isBetween((long) (meanSquare / (2 * mean)) - 1, (long) (meanSquare / (2 * mean)) + 1);
        assertThat(new HandlerProfile("even", annotated(8_000), Stealing.mely()).residualNs())
                .isEqualTo(4_000);
    }

    @ParameterizedTest
    @CsvSource({"0", "-5", "1"})
    void time_isAtLeastOne(long elapsedNs) {
        HandlerProfile profile = measured(1_000);
        for (int i = 0; i < 50; i++) {
            profile.sample(elapsedNs);
        }
        assertThat(profile.processingTimeNs()).isEqualTo(1);
        assertThat(profile.weight()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"1, 6000", "2, 3000", "1000, 6", "7000, 1", "1000000, 1"})
    void weight_isTimeOverPenalty(int penalty, int weight) {
        HandlerProfile profile = new HandlerProfile("w", annotated(6_000).withPenalty(penalty), Stealing.mely());
        assertThat(profile.weight()).isEqualTo(weight);
    }

    @Test
    void weight_followsTheMeasurement() {
        HandlerProfile profile = measured(10);
        profile.sample(4_000);
        assertThat(profile.weight()).isEqualTo(400);
    }

    // Each heuristic alone: without time-left every event counts the same; without penalty the penalty is not looked
    // at.
    @ParameterizedTest
    @CsvSource({"false, false, 1000", "true, false, 6000", "false, true, 500", "true, true, 3000"})
    void weight_bySwitches(boolean isTimeLeft, boolean isPenalty, int weight) {
        Stealing stealing = new Stealing(true, false, isTimeLeft, isPenalty);
        HandlerProfile profile = new HandlerProfile("s", annotated(6_000).withPenalty(2), stealing);
        assertThat(profile.weight()).isEqualTo(weight);
        assertThat(profile.processingTimeNs()).isEqualTo(6_000);
    }

    @Test
    void weight_ofAVeryLongEvent_isBounded() {
        HandlerProfile profile = new HandlerProfile("long", annotated(Long.MAX_VALUE), Stealing.mely());
        assertThat(profile.weight()).isEqualTo(1 << 30);
    }

    @Test
    void name_and_priority() {
        HandlerProfile profile = new HandlerProfile("p", StageOptions.defaults().withPriority(6), Stealing.off());
        assertThat(profile.name()).isEqualTo("p");
        assertThat(profile.priority()).isEqualTo(6);
        assertThat(profile.toString()).contains("p", "processingTimeNs=1000", "weight=1000");
    }
}
