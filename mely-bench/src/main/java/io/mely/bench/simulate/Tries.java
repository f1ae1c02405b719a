// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Measures several things in turn, by short tries, until each is sure or the time is up.
 *
 * <p>Neighbours only add, for a while. So the tries of one thing are spread over all of the time, its value is their lower quartile, and it is sure if
 * the quartile is near the least: then a quarter of the tries agree, whatever happened to the others.
 */
final class Tries {
    static final int TRIES_MIN = 12;

    /** Of the quartile over the least. Guess. */
    static final double SPREAD_MAX = 0.1;

    /**
     * What is known of one thing.
     *
     * @param value lower quartile of its tries
     * @param spread by how much of the least that is above it
     * @param tries made
     */
    record Found(double value, double spread, int tries) {
        static Found of(List<Double> tries) {
            List<Double> sorted = tries.stream().sorted().toList();
            double least = sorted.get(0);
            double quartile = sorted.get((sorted.size() - 1) / 4);
            return new Found(quartile, quartile / least - 1, sorted.size());
        }

        boolean isSure() {
            return tries >= TRIES_MIN && spread <= SPREAD_MAX;
        }
    }

    private Tries() {}

    /**
     * Measures.
     *
     * @param probes by name; each call is a try, and gives what neighbours only make larger
     * @param clockNs when it is
     * @param budgetNs after which no other round of tries begins
     * @return by name, in the same order
     */
    static Map<String, Found> measure(Map<String, DoubleSupplier> probes, LongSupplier clockNs, long budgetNs) {
        Map<String, List<Double>> tries = new LinkedHashMap<>();
        Map<String, Found> found = new LinkedHashMap<>();
        long startNs = clockNs.getAsLong();
        do {
            probes.forEach((name, probe) -> {
                List<Double> ofIt = tries.computeIfAbsent(name, key -> new ArrayList<>());
                ofIt.add(probe.getAsDouble());
                found.put(name, Found.of(ofIt));
            });
        } while (!found.values().stream().allMatch(Found::isSure) && clockNs.getAsLong() - startNs < budgetNs);
        return found;
    }
}
