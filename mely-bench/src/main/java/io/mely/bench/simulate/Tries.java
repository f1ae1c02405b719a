// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Measures several things in turn, by short tries.
 *
 * <p>Neighbours only add, for a while. So the tries of one thing are spread over all of the time, and its value is their lower quartile; where the host
 * may help as well, or its neighbours are part of the question, their median. It is sure if the quartile below that is near it: then a quarter of the tries
 * agree, whatever happened to the others.
 */
final class Tries {
    static final int TRIES_MIN = 12;

    /** Of the value over the quartile below it. Guess. */
    static final double SPREAD_MAX = 0.1;

    /** Which of the tries is believed. */
    enum Quartile {
        /** Where neighbours only add. */
        LOWER(1),
        /** Where it depends on which of the host's CPUs one happens to have, and where what is to be predicted has neighbours as well. */
        MEDIAN(2);

        private final int number;

        Quartile(int number) {
            this.number = number;
        }

        private Found of(List<Double> tries) {
            List<Double> sorted = tries.stream().sorted().toList();
            double value = sorted.get((sorted.size() - 1) * number / 4);
            double below = sorted.get((sorted.size() - 1) * (number - 1) / 4);
            return new Found(value, value / below - 1, sorted.size());
        }
    }

    /**
     * What is known of one thing.
     *
     * @param value a quartile of its tries
     * @param spread by how much of the quartile below that is above it
     * @param tries made
     */
    record Found(double value, double spread, int tries) {
        boolean isSure() {
            return tries >= TRIES_MIN && spread <= SPREAD_MAX;
        }
    }

    private final Map<String, DoubleSupplier> probes;
    private final Quartile quartile;
    private final Map<String, List<Double>> tries = new LinkedHashMap<>();

    /**
     * Of some things.
     *
     * @param probes by name; each call is a try
     * @param quartile of its tries is a thing's value
     */
    Tries(Map<String, DoubleSupplier> probes, Quartile quartile) {
        this.probes = new LinkedHashMap<>(probes);
        this.quartile = quartile;
    }

    /** Tries each once. */
    void round() {
        probes.forEach((name, probe) ->
                tries.computeIfAbsent(name, key -> new ArrayList<>()).add(probe.getAsDouble()));
    }

    /**
     * Rounds until each is sure or the time is up.
     *
     * @param clockNs when it is
     * @param budgetNs after which no other round begins
     */
    void untilSure(LongSupplier clockNs, long budgetNs) {
        long startNs = clockNs.getAsLong();
        do {
            round();
        } while (!found().values().stream().allMatch(Found::isSure) && clockNs.getAsLong() - startNs < budgetNs);
    }

    /** What is known of each that was tried, by name, in the same order. */
    Map<String, Found> found() {
        Map<String, Found> found = new LinkedHashMap<>();
        tries.forEach((name, ofIt) -> found.put(name, quartile.of(ofIt)));
        return found;
    }
}
