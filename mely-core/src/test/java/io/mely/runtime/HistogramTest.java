// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HistogramTest {
    // A class holds no time that is more than an eighth shorter than its longest, and classes follow each other.
    @Test
    void timesOfAClass_areCloseToEachOther() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100_000; i++) {
            long ns = random.nextLong(1L << 47) >>> random.nextInt(47);
            long longest = of(ns).percentileNs(100);
            assertThat(longest).isBetween(ns, ns + ns / 8);
            assertThat(Histogram.classOf(longest)).isEqualTo(Histogram.classOf(ns));
            assertThat(Histogram.classOf(longest + 1))
                    .isEqualTo(Math.min(Histogram.CLASSES - 1, Histogram.classOf(ns) + 1));
        }
        assertThat(Histogram.classOf(-1)).isZero();
        assertThat(Histogram.classOf(Long.MAX_VALUE)).isEqualTo(Histogram.CLASSES - 1);
    }

    private static Histogram of(long... times) {
        long[] counts = new long[Histogram.CLASSES];
        for (long ns : times) {
            counts[Histogram.classOf(ns)]++;
        }
        return new Histogram(counts);
    }

    // Beside the definition: the shortest of the times that as large a share does not exceed.
    @Test
    void percentiles_areThoseOfTheSortedTimes() {
        SplittableRandom random = new SplittableRandom(2);
        long[] times = random.longs(999, 0, 1_000_000).toArray();
        Histogram histogram = of(times);
        Arrays.sort(times);
        for (double percent : new double[] {0, 0.1, 1, 25, 50, 99, 99.9, 100}) {
            long exact = times[(int) Math.max(0, Math.ceil(999 * percent / 100) - 1)];
            assertThat(histogram.percentileNs(percent)).isBetween(exact, exact + exact / 8);
        }
        assertThat(histogram.count()).isEqualTo(999);
        assertThat(histogram.since(of(times[0], times[998])).count()).isEqualTo(997);
    }

    @Test
    void noTimes_areZero_andAWrongShareIsNamed() {
        assertThat(of().percentileNs(50)).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(1).percentileNs(100.5))
                .withMessage("percent must be 0 to 100: percent=100.5");
        assertThatIllegalArgumentException().isThrownBy(() -> of(1).percentileNs(Double.NaN));
    }
}
