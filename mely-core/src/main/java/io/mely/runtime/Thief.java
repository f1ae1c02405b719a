// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Stealing;
import io.mely.spi.NanoClock;
import io.mely.topology.Distance;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One core as a thief: tries victims in order, and takes from at most one.
 *
 * <p>A victim is looked at without its lock first, so an idle core disturbs nobody. Then its inbox is drained under its lock, and the worthiest colors are taken, up to half of the
 * worthy ones. Of a victim that says that it is engaged in a long handler, ready colors are taken even if they are not worth a steal: what they wait for is longer than any steal
 * (<i>rescue</i>).
 *
 * <p><b>Threads.</b> The thief's core only. <b>Costs.</b> Nothing to steal: a few loads a victim. <b>Source.</b> spec: Mely §3.6, §3.7.
 */
final class Thief extends HeadPad {
    /** Most colors of one rescue: what a thief does under its victim's lock stays short. */
    static final int RESCUE_MAX = Stealing.COLORS_MAX;

    /**
     * What the thief measures is paid again: by the victim and the senders for the lines that it took, by itself for those that it touches later.
     * Measured: with 1, chains of events of 80 ns were robbed of what cost more to move than to run.
     */
    private static final int SIDES = 2;

    private final int me;
    private final CoreQueue[] cores;
    private final IntPredicate isEngaged;
    private final int[] distances;
    private final Stealing stealing;
    final VictimOrder order;
    final StealCosts costs;
    private final NanoClock clock;

    long until; // of the last steal, for CoreQueue.adopt

    // counters; one writer
    long steals; // colors taken
    final long[] stealsAt = new long[Distance.values().length]; // of these, by distance
    long attempts; // victims locked
    long rescues; // colors taken from engaged cores although they were not worth a steal; each is a steal too
    long stealTimeNs; // spent in successful steals
    long stolenTime; // time-left of the colors taken, in units of weight: nanoseconds with the time-left heuristic

    /** A thief for the core {@code me}. Distances are [from][to], smaller is nearer; {@code isEngaged}: whether a core is in a handler known to be long. */
    Thief(
            int me,
            CoreQueue[] cores,
            IntPredicate isEngaged,
            int[][] distances,
            Stealing stealing,
            StealCosts costs,
            NanoClock clock) {
        this.me = me;
        this.cores = cores;
        this.isEngaged = isEngaged;
        this.distances = distances[me];
        this.stealing = stealing;
        this.costs = costs;
        this.clock = clock;
        order = new VictimOrder(me, cores, distances[me], stealing.locality());
    }

    /**
     * Tries each victim of a look once.
     *
     * <p>On a large machine a look is at a part of the victims, see {@link VictimOrder}, as long as others follow. No sleep rests on such a look
     * (invariant 6): the last searcher has {@link #seesLoot} behind it, which is at all, and sends the next look to what it saw; so does whoever wakes a
     * thief, by {@link VictimOrder#turnTo}.
     *
     * @return a color whose home is now the thief's core, to be {@link CoreQueue#adopt adopted}, with what else was taken behind it; null if
     *     nothing pays
     */
    @Nullable
    ColorQueue steal(RecordPool pool) {
        int start = order.begin();
        int size = order.size();
        for (int i = 0; i < size; i++) {
            int victim = order.victim(start, i);
            CoreQueue queue = cores[victim];
            boolean isHeldUp = isHeldUp(victim);
            if (isHeldUp || hasLoot(queue)) {
                ColorQueue color = stealFrom(victim, queue, isHeldUp, pool);
                if (color != null) {
                    return color; // the next look goes there, too: where there was loot there may be more
                }
            }
        }
        order.nextTurn();
        return null;
    }

    /**
     * Whether an attempt now is likely to succeed somewhere, on whatever core. Asked between the announcement of a sleep and the sleep.
     *
     * @return true if some victim has loot: the next look goes there, among others
     */
    boolean seesLoot() {
        for (int victim : order.nearestFirst()) {
            if (hasLoot(cores[victim]) || isHeldUp(victim)) {
                order.turnTo(victim);
                return true;
            }
        }
        return false;
    }

    /** Base: two colors with events, of which one may be running. */
    private boolean hasLoot(CoreQueue queue) {
        boolean isLoot = (isBase() ? queue.ready.count() : queue.ready.worthyCount()) != 0;
        return (isLoot || queue.arrivals.hasLong()) && queue.looksBusy();
    }

    /** Whether something waits there for the end of a handler that is known to be long: it may be taken, as soon as that has begun. */
    private boolean isHeldUp(int victim) {
        return isEngaged.test(victim) && cores[victim].hasWork();
    }

    private boolean isBase() {
        return !stealing.timeLeft() && !stealing.penalty();
    }

    private @Nullable ColorQueue stealFrom(int victim, CoreQueue queue, boolean isHeldUp, RecordPool pool) {
        long startNs = clock.nanoTime();
        pool.reserve();
        if (!queue.tryLock()) {
            return null;
        }
        attempts++;
        ColorQueue color = null;
        boolean isRescue = false;
        try {
            queue.arrivals.drain(pool);
            if (queue.looksBusy()) {
                color = take(victim, queue);
            }
            if (color == null && isHeldUp) {
                color = queue.take(CoreQueue.NEXT, cores[me], 0, RESCUE_MAX);
                isRescue = color != null;
            }
            if (color != null) {
                until = queue.migration.leave(color);
            }
        } finally {
            queue.unlock();
        }
        if (color != null) {
            stolen(victim, queue, color, isRescue, clock.nanoTime() - startNs);
        }
        return color;
    }

    private void stolen(int victim, CoreQueue queue, ColorQueue first, boolean isRescue, long elapsedNs) {
        int taken = 0;
        long left = 0;
        ColorQueue color = first;
        while (color != null) {
            taken++;
            left += color.timeLeft();
            color = queue.behind(color);
        }
        if (taken == 1 || !isRescue) {
            costs.sample(distances[victim], SIDES * elapsedNs);
        }
        rescues += isRescue ? taken : 0;
        steals += taken;
        stealsAt[distances[victim]] += taken;
        stealTimeNs += elapsedNs;
        stolenTime += left;
    }

    /** By name, the nearest first, those that occurred. */
    static Map<String, Long> byDistance(long[] counts) {
        Map<String, Long> named = new LinkedHashMap<>();
        Distance[] distances = Distance.values();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                named.put(distances[i].name().toLowerCase(Locale.ROOT).replace('_', ' '), counts[i]);
            }
        }
        return named;
    }

    private @Nullable ColorQueue take(int victim, CoreQueue queue) {
        int rule = isBase() ? CoreQueue.BASE : CoreQueue.WORTHY;
        return queue.take(rule, cores[me], costs.minLeft(distances[victim]), stealing.colorsMax());
    }
}
