// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.FakeClock;
import io.mely.StageOptions;
import io.mely.Stealing;
import java.util.HashSet;
import java.util.Set;

/** A thief, its victims, and a clock that stands. */
abstract class ThiefSetup {
    static final int COST = 700; // the guess at distance 3

    final FakeClock clock = new FakeClock();
    Cores cores;
    final Set<Integer> engaged = new HashSet<>();
    StealCosts costs;

    /** Core 0 is the thief; core 1 shares a cache with it, the others do not. */
    Thief thief(Stealing stealing, int count) {
        int[][] distances = new int[count][count];
        for (int from = 0; from < count; from++) {
            for (int to = 0; to < count; to++) {
                distances[from][to] = from == to ? 0 : from / 2 == to / 2 ? 3 : 5;
            }
        }
        costs = new StealCosts(new int[] {3, 5}, stealing);
        cores = new Cores(count, costs.intervals());
        return new Thief(0, cores.queues, engaged::contains, distances, stealing, costs, clock);
    }

    static HandlerProfile handler(Stealing stealing, long timeNs, int penalty) {
        return new HandlerProfile("h", new StageOptions(timeNs, penalty, 3, false), stealing);
    }

    Lane ready(int core, HandlerProfile handler, int events) {
        return cores.ready(core, handler, events);
    }

    Lane pick(int core) {
        return cores.pick(core);
    }

    /** What the thief gets. It runs at once, and the rest of a rescue with it. */
    Lane steal(Thief thief) {
        ColorQueue color = thief.steal(cores.pool(0));
        if (color != null) {
            cores.runStolen(0, color, thief.until >= 0);
            while (cores.runNext(0) != null) {
                cores.drain(0);
            }
        }
        return cores.of(color);
    }

    /** Colors that no steal pays for, behind one that runs. */
    void busyWithShorts(int core, int count) {
        readyShorts(core, count + 1, 10);
        pick(core);
    }

    void readyShorts(int core, int count, long timeNs) {
        HandlerProfile tiny = handler(Stealing.mely(), timeNs, 1);
        for (int i = 0; i < count; i++) {
            ready(core, tiny, 1);
        }
    }

    int steals(Thief thief) {
        long before = thief.steals;
        steal(thief);
        return (int) (thief.steals - before);
    }

    long tick() {
        clock.advance(1_500);
        return clock.nanoTime();
    }

    ColorQueue take(Thief thief) {
        return thief.steal(cores.pool(0));
    }
}
