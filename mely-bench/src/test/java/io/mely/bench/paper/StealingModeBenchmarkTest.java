// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Property: in every mode, each event of each round runs once; without stealing nothing is stolen. */
class StealingModeBenchmarkTest {
    private static final List<String> MODES = List.of("off", "base", "timeleft", "penalty", "locality", "mely");
    private static final List<String> STAGES = List.of("short", "long", "mixed", "penalized");

    static Stream<Arguments> all() {
        return MODES.stream().flatMap(mode -> STAGES.stream().map(stages -> Arguments.of(mode, stages)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void round_runsEachEventOnce(String mode, String stages) throws InterruptedException {
        StealingModeBenchmark benchmark = new StealingModeBenchmark();
        benchmark.stealing = mode;
        benchmark.stages = stages;
        benchmark.cores = 2;
        benchmark.start();
        StealingModeBenchmark.Counts counts = new StealingModeBenchmark.Counts();
        benchmark.home();
        benchmark.round(counts);
        benchmark.home();
        benchmark.round(counts);
        benchmark.close();
        assertThat(counts.rounds).isEqualTo(2);
        if (mode.equals("off")) {
            assertThat(counts.steals + counts.rescues + counts.dearAway).isZero();
        }
    }

    @Test
    void start_refusesNeighboursOnTwoCores() {
        StealingModeBenchmark benchmark = new StealingModeBenchmark();
        benchmark.stealing = "locality";
        benchmark.stages = "neighbours";
        benchmark.cores = 2;
        assertThatThrownBy(benchmark::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cores=2");
    }
}
