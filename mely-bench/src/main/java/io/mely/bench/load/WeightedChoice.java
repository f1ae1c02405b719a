// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Chooses at random, by weights.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Logarithmic in their number.
 */
final class WeightedChoice {
    private final double[] sums;

    /** @param weights one or more, &gt; 0 */
    WeightedChoice(double... weights) {
        sums = weights.clone();
        Arrays.parallelPrefix(sums, Double::sum);
    }

    /** The index of one of the weights. */
    int next(SplittableRandom random) {
        int found = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
        // What is not found would stand before the first larger sum, whose weight it fell into.
        return Math.min(found < 0 ? -found - 1 : found + 1, sums.length - 1);
    }
}
