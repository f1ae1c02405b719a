// SPDX-License-Identifier: Apache-2.0
package io.mely.steal;

import io.mely.queue.CoreQueue;

/**
 * The core set: in which order a thief tries its victims.
 *
 * <p>With locality by increasing cache distance, rotated inside a class so that neighbours do not all fall on the same victim; without,
 * from the most loaded core upwards, as libasync-smp does. Load is the number of ready colors: events pending per core are not counted
 * anywhere, for a sender would have to touch a counter of another core on each send.
 *
 * <p><b>Threads.</b> The thief only. <b>Costs.</b> O(1) with locality, O(cores) without. <b>Source.</b> spec: Mely §3.5, §3.6.
 */
public final class VictimOrder {
    private final int thief;
    private final boolean isLocal;
    private final CoreQueue[] cores;
    private final int[] order;

    /**
     * Prepares the order.
     *
     * @param thief index of the thief
     * @param cores all cores, the thief included
     * @param distances between cores: [from][to], smaller is nearer
     * @param isLocal whether distance decides
     */
    public VictimOrder(int thief, CoreQueue[] cores, int[][] distances, boolean isLocal) {
        this.thief = thief;
        this.cores = cores;
        this.isLocal = isLocal;
        order = nearestFirst(thief, distances[thief]);
    }

    /** Number of victims. */
    int size() {
        return order.length;
    }

    /**
     * Fixes the order of one attempt.
     *
     * @return where it starts, for {@link #victim}
     */
    int begin() {
        return isLocal ? 0 : mostLoaded(cores);
    }

    /**
     * The i-th victim of an attempt.
     *
     * @param start from {@link #begin}
     * @param i 0 to size - 1
     * @return index of a core
     */
    int victim(int start, int i) {
        if (isLocal) {
            return order[i];
        }
        int count = cores.length;
        int offset = Math.floorMod(thief - start, count); // where the thief itself stands in the round
        return (start + (i < offset ? i : i + 1)) % count;
    }

    /**
     * The cores nearest to a core first.
     *
     * @param from index of a core
     * @param distances from it to each core
     * @return all others
     */
    static int[] nearestFirst(int from, int[] distances) {
        int count = distances.length;
        Integer[] others = new Integer[count - 1];
        for (int i = 1; i < count; i++) {
            others[i - 1] = (from + i) % count;
        }
        java.util.Arrays.sort(
                others, java.util.Comparator.comparingInt(core -> distances[core])); // stable: keeps the rotation
        int[] order = new int[count - 1];
        for (int i = 0; i < order.length; i++) {
            order[i] = others[i];
        }
        return order;
    }

    private static int mostLoaded(CoreQueue[] cores) {
        int best = 0;
        for (int core = 1; core < cores.length; core++) {
            if (cores[core].readyCount() > cores[best].readyCount()) {
                best = core;
            }
        }
        return best;
    }
}
