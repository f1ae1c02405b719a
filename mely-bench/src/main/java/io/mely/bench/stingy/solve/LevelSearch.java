// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Solves the integer program of {@link Levels} by branch and bound: boxes of levels, each bounded from below by {@link Relaxation} and split where the relaxed solution is a fraction.
 *
 * <p>The number of boxes depends on how many solutions are nearly as good as the best, not on the size of the region. Solutions whose objectives differ by less than one part in
 * 10<sup>12</sup> count as equal. It is deterministic.
 *
 * <p><b>Bounds.</b> {@link #BOXES_MAX} boxes; beyond, the best solution so far stands, and {@link #gap()} says how much better another can be at most.
 */
final class LevelSearch {
    /** A guess. Of a thousand random programs in 1 MiB the hardest took 261 (2026-11-29). */
    static final int BOXES_MAX = 50_000;

    private static final double EQUAL = 1e-12;

    /** A guess: each takes what was too much off the rest, so the second nearly always fits. */
    private static final int TRIES_MAX = 8;

    private final Levels levels;
    private final Relaxation relaxation;
    private final Deque<Box> open = new ArrayDeque<>();
    private long[] best;
    private double bestObjective;
    private double leastOpen = Double.POSITIVE_INFINITY;
    private int boxes;

    /** Levels from low to high; none of them has an objective below the bound. */
    private static final class Box {
        private final long[] low;
        private final long[] high;
        private final double bound;

        Box(long[] low, long[] high, double bound) {
            this.low = low;
            this.high = high;
            this.bound = bound;
        }
    }

    /** @param levels whose budget is &gt;= 0 */
    LevelSearch(Levels levels) {
        this.levels = levels;
        relaxation = new Relaxation(levels);
        best = new long[levels.count()];
        bestObjective = levels.objective(best);
        long[] none = new long[levels.count()];
        long[] most = new long[levels.count()];
        Arrays.fill(most, Integer.MAX_VALUE - 1);
        open.push(new Box(none, most, 0));
        while (!open.isEmpty() && boxes < BOXES_MAX) {
            boxes++;
            visit(open.pop());
        }
        for (Box box : open) {
            if (isOfInterest(box.bound)) {
                leastOpen = Math.min(leastOpen, box.bound);
            }
        }
    }

    private boolean isOfInterest(double bound) {
        return bound < bestObjective * (1 - EQUAL);
    }

    private void visit(Box box) {
        long[] low = box.low;
        long[] high = box.high;
        if (!isOfInterest(box.bound) || levels.cost(low) > levels.budget() || !narrow(low, high)) {
            return;
        }
        relaxation.solve(low, high, bestObjective * (1 - EQUAL));
        double bound = relaxation.bound();
        if (!isOfInterest(bound)) {
            return;
        }
        double[] at = relaxation.at();
        offer(rounded(at, low));
        if (!isOfInterest(bound)) {
            return;
        }
        int group = toSplit(at, low, high);
        if (group < 0) {
            return; // one solution, and it was offered
        }
        long below = Math.max(low[group], Math.min(high[group] - 1, (long) Math.floor(at[group])));
        long[] belowHigh = high.clone();
        belowHigh[group] = below;
        long[] aboveLow = low.clone();
        aboveLow[group] = below + 1;
        Box lower = new Box(low, belowHigh, bound);
        Box upper = new Box(aboveLow, high, bound);
        boolean isUpperNearer = at[group] - below > 0.5;
        open.push(isUpperNearer ? lower : upper);
        open.push(isUpperNearer ? upper : lower);
    }

    /** Makes a box smaller without losing the best of it: levels that cost nothing are taken, and those that cost too much are left. False if it is empty. */
    private boolean narrow(long[] low, long[] high) {
        boolean isChanged;
        do {
            isChanged = false;
            for (int group = 0; group < low.length; group++) {
                long most = levels.highest(group, low, high[group]);
                isChanged |= most < high[group];
                high[group] = most;
                if (most < low[group]) {
                    return false;
                }
                long free = levels.free(group, low, most);
                isChanged |= free > low[group];
                low[group] = free;
            }
        } while (isChanged);
        return true;
    }

    /** A whole solution below a relaxed one: some part of the way there from the least levels fits. */
    private long[] rounded(double[] at, long[] low) {
        long room = levels.budget() - levels.cost(low);
        double part = 1;
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            long[] down = below(at, low, part);
            long excess = levels.cost(down) - levels.budget();
            if (excess <= 0) {
                return down;
            }
            part *= (double) room / (room + excess);
        }
        return low.clone();
    }

    private static long[] below(double[] at, long[] low, double part) {
        long[] down = new long[at.length];
        for (int group = 0; group < at.length; group++) {
            down[group] = Math.max(low[group], (long) Math.floor(low[group] + (at[group] - low[group]) * part));
        }
        return down;
    }

    /** Takes a solution that fits, raised where there is room, the most useful first. */
    private void offer(long[] solution) {
        long left = levels.budget() - levels.cost(solution);
        boolean isRaised = true;
        while (isRaised) {
            isRaised = false;
            int chosen = -1;
            double chosenGain = 0;
            for (int group = 0; group < solution.length; group++) {
                long bytes = stepBytes(solution, group);
                double weight = levels.weight(group);
                double gain = weight / (1 + solution[group]) - weight / (2 + solution[group]);
                double each = gain / Math.max((double) bytes, 0.5); // what is free goes first
                if (bytes <= left && solution[group] < Integer.MAX_VALUE - 1 && each > chosenGain) {
                    chosen = group;
                    chosenGain = each;
                }
            }
            if (chosen >= 0) {
                left -= stepBytes(solution, chosen);
                solution[chosen]++;
                isRaised = true;
            }
        }
        double objective = levels.objective(solution);
        if (objective < bestObjective * (1 - EQUAL)) {
            best = solution;
            bestObjective = objective;
        }
    }

    private long stepBytes(long[] solution, int group) {
        long before = levels.cost(solution);
        solution[group]++;
        long after = levels.cost(solution);
        solution[group]--;
        return after - before;
    }

    /** The group whose fraction matters most; the widest one if none has a fraction; -1 if there is only one solution. */
    private int toSplit(double[] at, long[] low, long[] high) {
        int chosen = -1;
        double most = 0;
        for (int group = 0; group < at.length; group++) {
            double fraction = at[group] - Math.floor(at[group]);
            double distance = Math.min(fraction, 1 - fraction);
            double curvature = levels.weight(group) / Math.pow(1 + at[group], 3);
            if (high[group] > low[group] && distance > 1e-9 && distance * distance * curvature > most) {
                chosen = group;
                most = distance * distance * curvature;
            }
        }
        for (int group = 0; chosen < 0 && group < at.length; group++) {
            if (high[group] > low[group] && (most == 0 || high[group] - low[group] > most)) {
                most = high[group] - low[group];
                chosen = group;
            }
        }
        return chosen;
    }

    /** The best levels. */
    long[] best() {
        return best;
    }

    /** How much less, of the best, another solution's objective can be at most; 0: none is better. */
    double gap() {
        return leastOpen == Double.POSITIVE_INFINITY ? 0 : 1 - leastOpen / bestObjective;
    }

    int boxes() {
        return boxes;
    }
}
