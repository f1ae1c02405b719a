// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A lower bound of the objective in a box of levels, and where it is reached when levels may be fractions.
 *
 * <p>The cost of levels is a sum of maxima, so each choice of one term from each maximum is a linear lower bound of it: a cut. With a multiplier for each cut the Lagrangian falls apart into one
 * variable each, and whatever the multipliers, its minimum is a lower bound. The multipliers are raised one after the other, each until its cut is just kept; then the cut that the solution
 * breaks most is added. Cuts hold everywhere, so they are kept from box to box.
 *
 * <p><b>Bounds.</b> {@link #ROUNDS_MAX} cuts a box, {@link #SWEEPS_MAX} passes over the multipliers; beyond, the bound is valid but lower.
 */
final class Relaxation {
    /** A guess, as the next one. */
    private static final int ROUNDS_MAX = 12;

    private static final int SWEEPS_MAX = 40;

    /** What counts as kept, of the budget. */
    private static final double TOLERANCE = 1e-9;

    private final Levels levels;
    private final List<double[]> cuts = new ArrayList<>();
    private final List<Double> multipliers = new ArrayList<>();
    private final double[] at;
    private double[] prices;
    private final double budget;
    private double bound;

    Relaxation(Levels levels) {
        this.levels = levels;
        budget = levels.relaxedBudget();
        at = new double[levels.count()];
        prices = new double[levels.count()];
    }

    /**
     * Solves a box.
     *
     * @param low least levels
     * @param high highest levels
     * @param enough a bound from which on nobody is interested
     */
    void solve(long[] low, long[] high, double enough) {
        for (int round = 0; round < ROUNDS_MAX; round++) {
            sweep(low, high);
            bound = bound(low, high);
            if (bound >= enough || !addCut()) {
                return;
            }
        }
    }

    /** No solution in the box is below. */
    double bound() {
        return bound;
    }

    /** Where the relaxed objective is least, nearly. */
    double[] at() {
        return at;
    }

    private void sweep(long[] low, long[] high) {
        refreshPrices();
        for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
            double moved = 0;
            for (int cut = 0; cut < cuts.size(); cut++) {
                double before = multipliers.get(cut);
                double now = tight(cut, low, high);
                multipliers.set(cut, now);
                moved = Math.max(moved, Math.abs(now - before) / Math.max(now, before == 0 ? 1 : before));
            }
            if (moved < TOLERANCE) {
                break;
            }
        }
        refreshPrices();
        for (int group = 0; group < at.length; group++) {
            at[group] = best(group, prices[group], low[group], high[group]);
        }
    }

    private void refreshPrices() {
        Arrays.fill(prices, 0);
        for (int cut = 0; cut < cuts.size(); cut++) {
            for (int group = 0; group < prices.length; group++) {
                prices[group] += multipliers.get(cut) * cuts.get(cut)[group];
            }
        }
    }

    /** Sets one multiplier so that its cut is just kept, with the others as they are; 0 if it is kept without. */
    private double tight(int index, long[] low, long[] high) {
        double[] cut = cuts.get(index);
        double before = multipliers.get(index);
        double[] others = new double[prices.length];
        for (int group = 0; group < others.length; group++) {
            others[group] = Math.max(0, prices[group] - before * cut[group]);
        }
        double from = 0;
        double to = 0;
        if (use(cut, others, 0, low, high) > budget) {
            to = Math.max(before, Double.MIN_NORMAL);
            while (use(cut, others, to, low, high) > budget && to < Double.MAX_VALUE / 4) {
                from = to;
                to *= 4;
            }
            while (to - from > 1e-13 * to) {
                double middle = (from + to) / 2;
                if (use(cut, others, middle, low, high) > budget) {
                    from = middle;
                } else {
                    to = middle;
                }
            }
        }
        for (int group = 0; group < others.length; group++) {
            prices[group] = others[group] + to * cut[group];
        }
        return to;
    }

    private double use(double[] cut, double[] others, double multiplier, long[] low, long[] high) {
        double sum = 0;
        for (int group = 0; group < cut.length; group++) {
            if (cut[group] > 0) {
                sum += cut[group] * best(group, others[group] + multiplier * cut[group], low[group], high[group]);
            }
        }
        return sum;
    }

    /** Where {@code weight / (1 + y) + price * y} is least. */
    private double best(int group, double price, long low, long high) {
        double free = price <= 0 ? high : Math.sqrt(levels.weight(group) / price) - 1;
        return Math.min((double) high, Math.max((double) low, free));
    }

    /** The Lagrangian, with whole levels: it is convex in each, so the least one is beside the fractional one. */
    private double bound(long[] low, long[] high) {
        double sum = 0;
        for (double multiplier : multipliers) {
            sum -= multiplier * budget;
        }
        for (int group = 0; group < at.length; group++) {
            long below = Math.max(low[group], Math.min(high[group], (long) Math.floor(at[group])));
            long above = Math.min(high[group], below + 1);
            sum += Math.min(part(group, below), part(group, above));
        }
        return sum;
    }

    private double part(int group, long level) {
        return levels.weight(group) / (1 + level) + prices[group] * level;
    }

    /** Adds the linear piece that is the cost where the solution is; false if the cost is within the budget there. */
    private boolean addCut() {
        double[] cut = new double[at.length];
        double cost = 0;
        for (int color = 0; color < levels.colors(); color++) {
            int most = -1;
            for (int group = 0; group < at.length; group++) {
                if (most < 0 || levels.rate(color, group) * at[group] > levels.rate(color, most) * at[most]) {
                    most = group;
                }
            }
            if (most >= 0) {
                cut[most] += levels.rate(color, most);
                cost += levels.rate(color, most) * at[most];
            }
        }
        if (cost <= budget * (1 + TOLERANCE)) {
            return false;
        }
        cuts.add(cut);
        multipliers.add(0.0);
        return true;
    }
}
