// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import io.mely.deploy.stingy.AreaSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The integer program in the fewest variables: how many requests each group of stages can hold beyond the first.
 *
 * <p>Let a stage's level be the least count of an object that lives in it. The objective depends on the levels alone. Given the levels, each object needs no more than the highest level of the
 * stages it must serve: those it lives in, and those of objects of which there must not be more than of it. So stages that need the same set of objects are one group with one
 * variable, and their weights add up.
 *
 * <p>There is one constraint: the areas of all colors fit into the region ({@link AreaSize}). That is never less than spec §10.3 asks for, and it implies C1: objects that live together
 * are of different colors, so a stage's objects at the beginning, and one more of what it allocates, are parts of different areas, or else are all of one object and the first of another of
 * the same area.
 *
 * <p><b>Units.</b> Bytes. <b>Source.</b> spec: Stingy §2, §10.3, §10.4.
 */
final class Levels {
    private final List<BitSet> groups = new ArrayList<>();
    private final double[] weights;
    private final double[][] rates; // by color and group: bytes of a request more, at least
    private final long budget; // bytes beyond one request
    private final long least;
    private final Problem problem;

    Levels(Problem problem) {
        this.problem = problem;
        Map<BitSet, Double> byObjects = new LinkedHashMap<>();
        for (int stage = 0; stage < problem.within().size(); stage++) {
            if (problem.weight()[stage] > 0 && !problem.within().get(stage).isEmpty()) {
                byObjects.merge(problem.closed(problem.within().get(stage)), problem.weight()[stage], Double::sum);
            }
        }
        groups.addAll(byObjects.keySet());
        weights = byObjects.values().stream().mapToDouble(Double::doubleValue).toArray();
        rates = new double[problem.colors()][groups.size()];
        for (int group = 0; group < groups.size(); group++) {
            for (int object : groups.get(group).stream().toArray()) {
                int color = problem.color()[object];
                long cell = problem.cellBytes(color);
                double rate =
                        (double) cell * problem.own()[object] / AreaSize.perCell(problem.slotBytes()[object], cell);
                rates[color][group] = Math.max(rates[color][group], rate);
            }
        }
        least = problem.leastBytes();
        budget = problem.regionBytes() - least;
    }

    int count() {
        return weights.length;
    }

    double weight(int group) {
        return weights[group];
    }

    int colors() {
        return rates.length;
    }

    /** A request more in a group takes at least so much of an area, unless another group takes more. */
    double rate(int color, int group) {
        return rates[color][group];
    }

    long budget() {
        return budget;
    }

    /** What the rates of all areas may add up to: where it is kept the budget need not be, but not the other way round. */
    long relaxedBudget() {
        long own = 0;
        for (int object = 0; object < problem.own().length; object++) {
            own += problem.color()[object] < 0 ? 0 : problem.bytes(object);
        }
        return problem.regionBytes() - own;
    }

    /** Bytes of requests beyond the first. */
    long cost(long[] levels) {
        return problem.bytes(requests(levels)) - least;
    }

    /** The highest level of a group if the others stay and the budget is kept; below its own if it is not kept now. */
    long highest(int group, long[] levels, long most) {
        return highest(group, levels, most, budget);
    }

    private long highest(int group, long[] levels, long most, long limit) {
        long[] tried = levels.clone();
        long low = levels[group] - 1;
        long high = most;
        while (low < high) {
            long middle = low + (high - low + 1) / 2;
            tried[group] = middle;
            if (cost(tried) <= limit) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** The highest level of a group that costs nothing if the others stay. */
    long free(int group, long[] levels, long most) {
        return highest(group, levels, most, cost(levels));
    }

    double objective(long[] levels) {
        double sum = 0;
        for (int group = 0; group < levels.length; group++) {
            sum += weights[group] / (1 + levels[group]);
        }
        return sum;
    }

    /** The fewest requests of each object that serve some levels. */
    long[] requests(long[] levels) {
        long[] requests = new long[problem.own().length];
        Arrays.fill(requests, 1);
        for (int group = 0; group < levels.length; group++) {
            BitSet objects = groups.get(group);
            for (int object = objects.nextSetBit(0); object >= 0; object = objects.nextSetBit(object + 1)) {
                requests[object] = Math.max(requests[object], 1 + levels[group]);
            }
        }
        return requests;
    }
}
