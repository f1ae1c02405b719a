// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import java.util.Collection;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * Median, least and most of the rounds; all NaN if there is none.
 *
 * @param median the middle one, or the mean of the middle two
 * @param least of all
 * @param most of all
 */
public record Stat(double median, double least, double most) {
    /**
     * Of one figure of each element.
     *
     * @param samples any
     * @param value the figure; those that are NaN do not count
     * @return NaN three times if none counts
     */
    public static <T> Stat of(Collection<T> samples, ToDoubleFunction<T> value) {
        return of(samples.stream().mapToDouble(value).toArray());
    }

    /**
     * Of values.
     *
     * @param values those that are NaN do not count
     * @return NaN three times if none counts
     */
    public static Stat of(double... values) {
        double[] sorted =
                DoubleStream.of(values).filter(v -> !Double.isNaN(v)).sorted().toArray();
        if (sorted.length == 0) {
            return new Stat(Double.NaN, Double.NaN, Double.NaN);
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Stat(median, sorted[0], sorted[sorted.length - 1]);
    }

    /**
     * Least to most.
     *
     * @param format of one
     * @return "-" if there is none
     */
    public String spread(DoubleFunction<String> format) {
        return Double.isNaN(median) ? "-" : format.apply(least) + "-" + format.apply(most);
    }
}
