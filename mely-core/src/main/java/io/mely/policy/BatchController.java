// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

/**
 * SEDA's batching controller: looks for the smallest batch with which a stage does as much as with large ones, as what waits for the end of a batch waits less then.
 *
 * <p>The throughput is smoothed over windows of a second, and looked at after each fifth. The batch shrinks by a sixth while that stays the same, and grows by a fifth after it has fallen. When all is different, it starts anew with the largest.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §3.3.
 */
final class BatchController {
    private static final long WINDOW_NS = 1_000_000_000;
    private static final int WINDOWS = 5;
    private static final double OLD_WEIGHT = 0.7;
    private static final double FACTOR = 1.2;
    private static final double RESET_LOW = 0.2;
    private static final double RESET_HIGH = 2.0;
    private static final double FALLEN = 0.90;
    private static final double REGAINED = 0.98;
    private static final double NS_PER_S = 1e9;

    private final int min;
    private final int max;
    private volatile double target;

    // guarded by this
    private boolean isGrowing;
    private double bestPerS;
    private double averagePerS;
    private long beganNs;
    private long served;
    private int windows;

    BatchController(int min, int max, long nowNs) {
        this.min = min;
        this.max = max;
        target = max;
        beganNs = nowNs;
    }

    /** Most lanes of a batch. */
    int target() {
        return (int) target;
    }

    /** So many lanes were served. */
    synchronized void served(int lanes, long nowNs) {
        served += lanes;
        long ns = nowNs - beganNs;
        if (ns < WINDOW_NS) {
            return;
        }
        averagePerS = OLD_WEIGHT * averagePerS + (1 - OLD_WEIGHT) * served * NS_PER_S / ns;
        beganNs = nowNs;
        served = 0;
        windows++;
        if (windows == WINDOWS) {
            windows = 0;
            decide(averagePerS);
        }
    }

    synchronized void decide(double perS) {
        if (perS < RESET_LOW * bestPerS || perS >= RESET_HIGH * bestPerS) {
            target = max;
            isGrowing = false;
        }
        if (isGrowing) {
            grow(perS);
        } else if (perS <= FALLEN * bestPerS) {
            isGrowing = true;
            target = Math.min(max, target * FACTOR);
        } else {
            bestPerS = Math.max(bestPerS, perS);
            target = Math.max(min, target / FACTOR);
        }
    }

    private void grow(double perS) {
        bestPerS = Math.max(bestPerS, perS);
        if (perS >= REGAINED * bestPerS) {
            isGrowing = false;
            target = Math.max(min, target / FACTOR);
        } else {
            target *= FACTOR;
            if (target > max) {
                target = max;
                isGrowing = false;
                bestPerS = perS;
            }
        }
    }
}
