// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Who goes on where he was is awaited there, and who jumps is not. */
class PrefetcherTest {
    private static final int FETCHED = 10_000;

    /** Lines in a thousand that were seen coming. */
    private static double foreseen(IntUnaryOperator lines) {
        Prefetcher prefetcher = new Prefetcher();
        int foreseen = 0;
        for (int i = 0; i < FETCHED; i++) {
            foreseen += prefetcher.foresees(lines.applyAsInt(i)) ? 1 : 0;
        }
        return 1e3 * foreseen / FETCHED;
    }

    @Test
    void linesInTurn_areForeseen() {
        assertThat(foreseen(i -> i)).isGreaterThan(999);
        assertThat(foreseen(i -> FETCHED - i)).isGreaterThan(999);
        assertThat(foreseen(i -> 2 * i)).as("every second line").isGreaterThan(999);
        assertThat(foreseen(i -> i % 10 * 1_000_000 + i / 10))
                .as("ten arrays at a time")
                .isGreaterThan(990);
    }

    @Test
    void linesAtRandom_areNot() {
        SplittableRandom random = new SplittableRandom(1);
        assertThat(foreseen(i -> random.nextInt(1_000_000))).isLessThan(10);
        assertThat(foreseen(i -> 1_000 * i)).as("far apart").isZero();
    }

    // What was evicted has to be fetched again: it was not fetched ahead because it was fetched before.
    @Test
    void oneLine_isNotBesideItself() {
        assertThat(foreseen(i -> 7)).isZero();
    }
}
