// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.StageGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Stages dealt out to parts of the cores: as even a load as there is, and few events from part to part.
 *
 * <p><b>Threads.</b> Immutable. <b>Source.</b> spec: stages §8.2.
 *
 * @param parts how many
 * @param partOf part of each stage by its name, 0 to parts - 1
 * @param imbalance load of the part with the most, over the mean; 1 is even
 * @param cutEvents events that went from part to part in the trial run
 * @param events events between stages in all
 */
public record Partition(int parts, Map<String, Integer> partOf, double imbalance, long cutEvents, long events) {
    /** Up to so many stages two parts are found by trying all: a million. */
    private static final int EXACT_MAX = 20;

    private static final int STARTS = 50;

    /** How much an uneven load counts: a part with all of it is as bad as if every event went from part to part. */
    private static final double BALANCE_WEIGHT = 1;

    /** Copies the map. */
    public Partition {
        partOf = Map.copyOf(partOf);
    }

    /**
     * Finds one from the figures of a trial run. For two parts of twenty stages or fewer it is the best there is; else the best of some, which are made better stage by stage.
     *
     * @param trial of a run of some length; stages that ran nothing are dealt out, too
     * @param parts &gt;= 1
     * @return the partition
     * @throws IllegalArgumentException if two stages have the same name
     */
    public static Partition of(StageGraph trial, int parts) {
        if (parts < 1) {
            throw new IllegalArgumentException("parts must be >= 1: parts=" + parts);
        }
        long names =
                trial.nodes().stream().map(StageGraph.Node::name).distinct().count();
        if (names < trial.nodes().size()) {
            throw new IllegalArgumentException("stages of a partition must have different names");
        }
        Search search = new Search(trial, parts);
        int[] best = parts == 2 && search.count <= EXACT_MAX ? search.exact() : search.improved();
        Map<String, Integer> partOf = new LinkedHashMap<>();
        for (int i = 0; i < best.length; i++) {
            partOf.put(trial.nodes().get(i).name(), best[i]);
        }
        return new Partition(parts, partOf, search.imbalance(best), search.cut(best), search.events);
    }

    /** One search. */
    private static final class Search {
        final int count;
        final long events;
        private final int parts;
        private final double[] loads;
        private final double load;
        private final List<StageGraph.Edge> edges = new ArrayList<>();

        Search(StageGraph trial, int parts) {
            this.parts = parts;
            count = trial.nodes().size();
            loads = trial.nodes().stream()
                    .mapToDouble(node -> (double) node.stats().run() * node.processingTimeNs())
                    .toArray();
            load = Arrays.stream(loads).sum();
            for (StageGraph.Edge edge : trial.edges()) {
                if (edge.from() >= 0 && edge.from() != edge.to()) {
                    edges.add(edge);
                }
            }
            events = edges.stream().mapToLong(StageGraph.Edge::events).sum();
        }

        long cut(int[] partOf) {
            return edges.stream()
                    .filter(edge -> partOf[edge.from()] != partOf[edge.to()])
                    .mapToLong(StageGraph.Edge::events)
                    .sum();
        }

        double imbalance(int[] partOf) {
            if (load == 0) {
                return 1;
            }
            double[] sums = new double[parts];
            for (int i = 0; i < count; i++) {
                sums[partOf[i]] += loads[i];
            }
            return Arrays.stream(sums).max().orElse(0) * parts / load;
        }

        /** What is to be small. */
        private double cost(int[] partOf) {
            double uneven = parts == 1 ? 0 : (imbalance(partOf) - 1) / (parts - 1);
            return BALANCE_WEIGHT * uneven + (events == 0 ? 0 : (double) cut(partOf) / events);
        }

        /** The best of all for two parts; the first stage is in part 0. */
        int[] exact() {
            int[] best = new int[count];
            double least = Double.MAX_VALUE;
            for (int choice = 0; choice < 1 << Math.max(0, count - 1); choice++) {
                int[] partOf = new int[count];
                for (int i = 1; i < count; i++) {
                    partOf[i] = choice >> (i - 1) & 1;
                }
                double cost = cost(partOf);
                if (cost < least) {
                    least = cost;
                    best = partOf;
                }
            }
            return best;
        }

        /** The best of many random ones, after passes in which each stage moves once to where that costs least (Fiduccia and Mattheyses). */
        int[] improved() {
            SplittableRandom random = new SplittableRandom(1);
            int[] best = new int[count];
            double least = cost(best);
            for (int start = 0; start < STARTS; start++) {
                int[] partOf = random.ints(count, 0, parts).toArray();
                double before;
                double cost = cost(partOf);
                do {
                    before = cost;
                    partOf = pass(partOf);
                    cost = cost(partOf);
                } while (cost < before);
                if (cost < least) {
                    least = cost;
                    best = partOf;
                }
            }
            return best;
        }

        /** Each stage moves once, the best move first, also if that is for the worse; returns the best on the way. */
        private int[] pass(int[] from) {
            int[] partOf = from.clone();
            int[] best = from.clone();
            double least = cost(from);
            boolean[] hasMoved = new boolean[count];
            for (int moves = 0; moves < count; moves++) {
                double cost = move(partOf, hasMoved);
                if (cost < least) {
                    least = cost;
                    best = partOf.clone();
                }
            }
            return best;
        }

        private double move(int[] partOf, boolean[] hasMoved) {
            int stage = -1;
            int part = 0;
            double least = Double.MAX_VALUE;
            for (int i = 0; i < count; i++) {
                int old = partOf[i];
                for (int to = 0; to < parts && !hasMoved[i]; to++) {
                    partOf[i] = to;
                    double cost = to == old ? Double.MAX_VALUE : cost(partOf);
                    if (cost < least) {
                        least = cost;
                        stage = i;
                        part = to;
                    }
                }
                partOf[i] = old;
            }
            if (stage >= 0) {
                partOf[stage] = part;
                hasMoved[stage] = true;
            }
            return least;
        }
    }
}
