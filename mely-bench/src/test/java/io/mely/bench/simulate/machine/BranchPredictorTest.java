// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** Patterns are learnt, coins are not. */
class BranchPredictorTest {
    private static final int BRANCHES = 10_000;

    /** Wrong guesses in a thousand, after as many branches to learn. */
    private static double wrong(IntPredicate isTaken) {
        BranchPredictor predictor = new BranchPredictor();
        int wrong = 0;
        for (int i = 0; i < 2 * BRANCHES; i++) {
            boolean isRight = predictor.guesses(42, isTaken.test(i));
            wrong += i >= BRANCHES && !isRight ? 1 : 0;
        }
        return 1e3 * wrong / BRANCHES;
    }

    @Test
    void patterns_areLearnt() {
        assertThat(wrong(i -> true)).isZero();
        assertThat(wrong(i -> false)).isZero();
        assertThat(wrong(i -> i % 2 == 0)).isZero();
        assertThat(wrong(i -> i % 7 != 0)).as("a loop of seven").isZero();
    }

    @Test
    void coin_isWrongEverySecondTime() {
        SplittableRandom random = new SplittableRandom(1);
        assertThat(wrong(i -> random.nextBoolean())).isBetween(400.0, 600.0);
    }
}
