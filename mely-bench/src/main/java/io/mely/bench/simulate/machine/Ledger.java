// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the cores of a machine have spent their time on: activities, locks and steals, in cycles; and, if kept, the timeline. */
public final class Ledger {
    /** What the turn of a core is spent on, for the report and the timeline. */
    public enum Activity {
        /** The runtime's own code. */
        RUNTIME,
        /** A handler: its cycles and its data. */
        HANDLER,
        /** A steal, from the search on if it succeeds. */
        STEAL,
        /** Looking for work in vain. */
        SEARCH,
        /** Blocked in the poller. */
        IDLE
    }

    /** A part of the timeline. */
    public record Span(int core, Activity activity, double from, double to) {}

    /**
     * What a machine has counted.
     *
     * @param now when
     * @param cores by core
     */
    public record Figures(double now, List<OfCore> cores) {}

    /**
     * What one core has done.
     *
     * @param activities cycles of each
     * @param misses by level of caches
     * @param accesses of all kinds
     * @param lockWait cycles until a lock was taken or refused
     * @param lockHeld cycles it was held
     * @param locks taken
     * @param stealCycles of steals that succeeded, from the beginning of the search to the end of the thief's own bookkeeping
     * @param stolen steals that succeeded
     */
    public record OfCore(
            Map<Activity, Double> activities,
            List<Long> misses,
            long accesses,
            double lockWait,
            double lockHeld,
            long locks,
            double stealCycles,
            long stolen) {}

    private final double[][] spent; // [core][activity]
    private final Activity[] doing;
    private final double[] since;
    private final double[] lockFrom;
    private final double[] lockWait;
    private final double[] lockHeld;
    private final double[] heldSince;
    private final long[] locks;
    private final double[] stealFrom;
    private final double[] stealCycles;
    private final long[] stolen;
    private @Nullable List<Span> spans;

    Ledger(int cores) {
        spent = new double[cores][Activity.values().length];
        doing = new Activity[cores];
        Arrays.fill(doing, Activity.RUNTIME);
        since = new double[cores];
        lockFrom = new double[cores];
        lockWait = new double[cores];
        lockHeld = new double[cores];
        heldSince = new double[cores];
        locks = new long[cores];
        stealFrom = new double[cores];
        stealCycles = new double[cores];
        stolen = new long[cores];
    }

    /** All of a core's time since it was last called went to this. */
    void spend(int core, double now, Activity activity) {
        double from = since[core];
        double cycles = now - from;
        if (cycles > 0) {
            spent[core][at(activity)] += cycles;
            since[core] = now;
            List<Span> kept = spans;
            if (kept != null) {
                kept.add(new Span(core, activity, from, now));
            }
        }
    }

    Activity doing(int core) {
        return doing[core];
    }

    void does(int core, Activity activity) {
        doing[core] = activity;
    }

    void lockBegins(int core, double now) {
        lockFrom[core] = now;
    }

    void lockEnds(int core, double now, boolean isTaken) {
        lockWait[core] += now - lockFrom[core];
        if (isTaken) {
            locks[core]++;
            heldSince[core] = now;
        }
    }

    void unlocks(int core, double now) {
        lockHeld[core] += now - heldSince[core];
    }

    void stealBegins(int core, double now) {
        stealFrom[core] = now;
        spend(core, now, Activity.RUNTIME);
    }

    void stealEnds(int core, double now, boolean isTaken) {
        if (isTaken) {
            stolen[core]++;
            stealCycles[core] += now - stealFrom[core];
        }
        spend(core, now, isTaken ? Activity.STEAL : Activity.SEARCH);
    }

    void keepSpans() {
        spans = new ArrayList<>();
    }

    List<Span> spans() {
        List<Span> kept = spans;
        return kept == null ? List.of() : List.copyOf(kept);
    }

    void reset(double now) {
        for (double[] ofCore : spent) {
            Arrays.fill(ofCore, 0);
        }
        Arrays.fill(lockWait, 0);
        Arrays.fill(lockHeld, 0);
        Arrays.fill(locks, 0);
        Arrays.fill(stealCycles, 0);
        Arrays.fill(stolen, 0);
        Arrays.fill(since, now);
    }

    OfCore of(int core, double now, boolean isBlocked, long[] misses, long accesses) {
        Map<Activity, Double> activities = new EnumMap<>(Activity.class);
        for (Activity activity : Activity.values()) {
            activities.put(activity, spent[core][at(activity)]);
        }
        activities.merge(isBlocked ? Activity.IDLE : doing[core], Math.max(0, now - since[core]), Double::sum);
        return new OfCore(
                activities,
                Arrays.stream(misses).boxed().toList(),
                accesses,
                lockWait[core],
                lockHeld[core],
                locks[core],
                stealCycles[core],
                stolen[core]);
    }

    @SuppressWarnings("EnumOrdinal") // the arrays are by it
    private static int at(Activity activity) {
        return activity.ordinal();
    }
}
