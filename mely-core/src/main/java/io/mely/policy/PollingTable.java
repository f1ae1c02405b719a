// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Slots for visits to stages: each as often as the square root rule says, at distances as even as the golden ratio makes them.
 *
 * <p><b>Source.</b> spec: stages §5.
 */
final class PollingTable {
    private static final double RHO_MIN = 0.005;
    private static final double RHO_MAX = 0.99;
    private static final double GOLDEN = (Math.sqrt(5) - 1) / 2;

    private final int[] ranks;

    /**
     * Prepares tables of a size.
     *
     * @param slots a Fibonacci number, so that distances take three values at most; at least one for each stage
     */
    PollingTable(int slots) {
        double[] points = IntStream.range(0, slots)
                .mapToDouble(k -> k * GOLDEN - Math.floor(k * GOLDEN))
                .toArray();
        Integer[] byPoint = IntStream.range(0, slots).boxed().toArray(Integer[]::new);
        Arrays.sort(byPoint, Comparator.comparingDouble(k -> points[k]));
        ranks = new int[slots];
        for (int rank = 0; rank < slots; rank++) {
            ranks[byPoint[rank]] = rank;
        }
    }

    int slots() {
        return ranks.length;
    }

    /** The place of each point among all. */
    int[] ranks() {
        return ranks.clone();
    }

    /**
     * How many slots each stage is to have at least.
     *
     * @param rhos arrival rate over service rate of each stage
     */
    int[] shares(double[] rhos) {
        double[] weights = Arrays.stream(rhos)
                .map(rho -> rho < RHO_MIN ? RHO_MIN : rho >= 1 ? RHO_MAX : rho)
                .map(rho -> Math.sqrt(rho * (1 - rho)))
                .toArray();
        double sum = Arrays.stream(weights).sum();
        return Arrays.stream(weights)
                .mapToInt(weight -> Math.max(1, (int) (weight / sum * ranks.length)))
                .toArray();
    }

    /**
     * Which stage is visited in each slot.
     *
     * @param rhos arrival rate over service rate of each stage, at least one
     */
    int[] table(double[] rhos) {
        if (rhos.length > ranks.length) {
            throw new IllegalArgumentException(
                    "more stages than slots: stages=" + rhos.length + ", slots=" + ranks.length);
        }
        int[] shares = shares(rhos);
        int fill = 0;
        for (int stage = 1; stage < shares.length; stage++) {
            fill = shares[stage] > shares[fill] ? stage : fill;
        }
        int[] table = new int[ranks.length];
        Arrays.fill(table, fill);
        int k = 0;
        for (int stage = 0; stage < shares.length; stage++) {
            for (int i = 0; i < shares[stage] && k < ranks.length; i++, k++) {
                if (shares[table[ranks[k]]]
                        >= shares[stage]) { // a rarer stage may take a slot from a more frequent one
                    table[ranks[k]] = stage;
                }
            }
        }
        visitAll(table, shares.length);
        return table;
    }

    /** Gives a slot of the most frequent stage to each one that has none: where many stages have one slot, the slots run out before the stages. */
    private static void visitAll(int[] table, int stages) {
        int[] slots = new int[stages];
        for (int stage : table) {
            slots[stage]++;
        }
        for (int stage = 0; stage < stages; stage++) {
            if (slots[stage] == 0) {
                int most = 0;
                for (int i = 1; i < table.length; i++) {
                    most = slots[table[i]] > slots[table[most]] ? i : most;
                }
                slots[table[most]]--;
                slots[stage]++;
                table[most] = stage;
            }
        }
    }
}
