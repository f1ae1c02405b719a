// SPDX-License-Identifier: Apache-2.0
package io.mely;

/** Seeds of random tests: printed, and taken back by {@code -Dmely.test.seed=N}. */
public final class Seed {
    private Seed() {}

    /** A seed for one test. */
    public static long of(String test) {
        long seed = Long.getLong("mely.test.seed", System.nanoTime());
        System.out.println(test + ": -Dmely.test.seed=" + seed);
        return seed;
    }
}
