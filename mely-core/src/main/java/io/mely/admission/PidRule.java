// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

/**
 * Adds to the rate what the distance from the target, its change and its sum say; times are in seconds.
 *
 * <p><b>Threads.</b> One at a time. <b>Source.</b> spec: stages §3.4.
 */
final class PidRule implements ControlledRate.Rule {
    private static final double PROPORTIONAL = 1.0;
    private static final double DERIVATIVE = -0.5;
    private static final double INTEGRAL = 0.002;
    private static final int AREAS = 100;
    private static final double NS_PER_S = 1e9;

    private final double targetNs;
    private final double scale;
    private final double[] areas = new double[AREAS]; // the last ones, in a ring
    private int nextArea;
    private double lastError;
    private long lastNs;
    private boolean hasLast;

    PidRule(long targetNs, double scale) {
        this.targetNs = targetNs;
        this.scale = scale;
    }

    @Override
    public double next(double ratePerS, double p90Ns, long nowNs) {
        double error = (targetNs - p90Ns) / targetNs;
        double change = 0;
        double seconds = (nowNs - lastNs) / NS_PER_S;
        if (hasLast && seconds > 0) {
            change = (error - lastError) / seconds;
            areas[nextArea] = error * seconds;
            nextArea = (nextArea + 1) % AREAS;
        }
        hasLast = true;
        lastError = error;
        lastNs = nowNs;
        double sum = 0;
        for (double area : areas) {
            sum += area;
        }
        return ratePerS + scale * (PROPORTIONAL * error + DERIVATIVE * change + INTEGRAL * sum);
    }

    @Override
    public long periodNs() {
        return 5_000_000_000L;
    }

    @Override
    public double oldWeight() {
        return 0.8;
    }
}
