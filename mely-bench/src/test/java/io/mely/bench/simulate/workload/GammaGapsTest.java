// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Gaps have their mean, and their squared variation is the dispersion that was asked for.
class GammaGapsTest {
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.5, 1, 2, 10})
    void gaps_haveTheirMoments(double dispersion) {
        GammaGaps gaps = new GammaGaps(new SplittableRandom(7), 1_000, dispersion);
        int count = 400_000;
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < count; i++) {
            double gap = gaps.next();
            assertThat(gap).isGreaterThanOrEqualTo(0);
            sum += gap;
            squares += gap * gap;
        }
        double mean = sum / count;
        assertThat(mean).isCloseTo(1_000, within(1_000 * 4 * Math.sqrt(dispersion / count)));
        assertThat(squares / count / mean / mean - 1).isCloseTo(dispersion, within(dispersion * 0.05));
    }
}
