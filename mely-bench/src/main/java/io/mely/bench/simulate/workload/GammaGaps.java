// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import java.util.SplittableRandom;

/**
 * Times between arrivals by a gamma distribution: one parameter makes them regular, Poisson, or bunched. In the long run the number of arrivals in a window has
 * the dispersion that the gaps' squared variation is.
 *
 * <p><b>Source.</b> Marsaglia and Tsang, A simple method for generating gamma variables, 2000.
 */
final class GammaGaps {
    /** More regular than this, or more bunched, is taken for this: the method needs some shape. */
    private static final double DISPERSION_MIN = 0.01;

    private static final double DISPERSION_MAX = 100;

    private final SplittableRandom random;
    private final double shape;
    private final double scale;

    GammaGaps(SplittableRandom random, double mean, double dispersion) {
        this.random = random;
        shape = 1 / Math.max(DISPERSION_MIN, Math.min(DISPERSION_MAX, dispersion));
        scale = mean / shape;
    }

    double next() {
        if (shape >= 1) {
            return scale * standard(shape);
        }
        // below 1: one more, and a power of a uniform number
        return scale * standard(shape + 1) * Math.pow(1 - random.nextDouble(), 1 / shape);
    }

    private double standard(double above1) {
        double d = above1 - 1.0 / 3;
        double c = 1 / Math.sqrt(9 * d);
        while (true) {
            double x = normal();
            double v = 1 + c * x;
            if (v > 0) {
                v = v * v * v;
                double bound = x * x / 2 + d - d * v + d * Math.log(v);
                if (Math.log(1 - random.nextDouble()) < bound) {
                    return d * v;
                }
            }
        }
    }

    /** Box and Muller; a splittable generator has none on JDK 17's older interface. */
    private double normal() {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
