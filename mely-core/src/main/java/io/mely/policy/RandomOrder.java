// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.util.SplittableRandom;

/** Any stage, by chance: a baseline. */
final class RandomOrder implements VisitOrder {
    private final SplittableRandom random;

    RandomOrder(long seed) {
        random = new SplittableRandom(seed);
    }

    @Override
    public int next(Stages stages, Visit last) {
        return random.nextInt(stages.count());
    }
}
