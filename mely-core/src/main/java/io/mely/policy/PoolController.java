// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.util.SplittableRandom;

/**
 * SEDA's thread pool controller.
 *
 * <p><b>Threads.</b> Whoever holds the pool's lock. <b>Source.</b> spec: stages §3.2.
 */
final class PoolController {
    private static final int GROW_TICKS = 4;
    private static final int GROWTH_MAX = 1 << 16; // a pool has a bound of its own
    private static final int BEST_TICKS = 10;
    private static final double NEW_WEIGHT = 0.3;
    private static final int STEPS_BACK = 4; // 0 to 3
    private static final double NS_PER_S = 1e9;

    private final PoolTuning tuning;
    private final SplittableRandom random = new SplittableRandom(1);
    private long lastNs;
    private long ticks;
    private long servedBefore;
    private double servedPerS; // smoothed
    private double bestPerS;
    private int bestThreads;

    PoolController(PoolTuning tuning, long nowNs) {
        this.tuning = tuning;
        lastNs = nowNs;
    }

    /** Whether a period is over. */
    boolean isDue(long nowNs) {
        return nowNs - lastNs >= tuning.periodNs();
    }

    /** A period is over. Returns how many threads there are to be. */
    int tick(long nowNs, int waiting, long served, int threads) {
        double seconds = (nowNs - lastNs) / NS_PER_S;
        long periods = (nowNs - lastNs) / tuning.periodNs(); // more than one if the core that looks was held up
        lastNs = nowNs;
        long before = ticks;
        ticks += periods;
        int wanted = threads;
        if (waiting >= tuning.waitingMin()) {
            wanted += (int) Math.min(ticks / GROW_TICKS - before / GROW_TICKS, GROWTH_MAX);
        }
        if (tuning.findsBest()) {
            servedPerS = NEW_WEIGHT * (served - servedBefore) / seconds + (1 - NEW_WEIGHT) * servedPerS;
            servedBefore = served;
            if (ticks / BEST_TICKS > before / BEST_TICKS) {
                wanted = best(wanted, threads);
            }
        }
        return wanted;
    }

    private int best(int wanted, int threads) {
        if (servedPerS >= bestPerS) {
            bestPerS = servedPerS;
            bestThreads = threads;
            return wanted;
        }
        return threads == bestThreads ? wanted : Math.max(1, bestThreads - random.nextInt(STEPS_BACK));
    }
}
