// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Colors the dependency graph: objects that live together in a stage get different colors, with as few colors as can be.
 *
 * <p>DSATUR, and then a search that begins with its answer and stops at the size of a clique. Beyond {@link #STEPS_MAX} steps the best so far stands, which is still a coloring.
 *
 * <p><b>Source.</b> spec: Stingy §5.3.
 */
final class Colors {
    /** Of the search; a guess: about a tenth of a second. Graphs of thirty objects need far less. */
    static final int STEPS_MAX = 1_000_000;

    private final BitSet[] neighbors;
    private final int[] order;
    private final int[] color;
    private int[] best;
    private int bestCount;
    private int steps;

    /**
     * @param neighbors who may not share, of each object
     * @param objects to be colored
     * @param bytes of each object: large ones are colored first, so that they share with each other
     */
    Colors(BitSet[] neighbors, BitSet objects, long[] bytes) {
        this.neighbors = neighbors;
        order = objects.stream()
                .boxed()
                .sorted((a, b) -> bytes[a] != bytes[b] ? Long.compare(bytes[b], bytes[a]) : Integer.compare(a, b))
                .mapToInt(Integer::intValue)
                .toArray();
        color = new int[neighbors.length];
        Arrays.fill(color, -1);
        best = color.clone();
        bestCount = Integer.MAX_VALUE;
        int cliqueBound = clique();
        if (dsatur() > cliqueBound) {
            Arrays.fill(color, -1);
            search(0, 0, cliqueBound);
        }
    }

    /** The graph of a program; if nothing is to be shared, that of objects which all live together. */
    static Colors of(Lives lives, int stages, long[] bytes, boolean isShared) {
        BitSet[] neighbors = dependencies(lives, stages, bytes.length);
        for (int object = 0; !isShared && object < neighbors.length; object++) {
            neighbors[object].or(lives.managed());
            neighbors[object].clear(object);
        }
        return new Colors(neighbors, lives.managed(), bytes);
    }

    /** Who lives together with whom. What a stage frees first does not live together with what it allocates then. */
    static BitSet[] dependencies(Lives lives, int stages, int objects) {
        BitSet[] neighbors = new BitSet[objects];
        Arrays.setAll(neighbors, object -> new BitSet());
        for (int stage = 0; stage < stages; stage++) {
            BitSet start = lives.atStart(stage);
            BitSet later = lives.atStart(stage);
            later.andNot(lives.freedFirst(stage));
            later.or(lives.allocated(stage));
            for (BitSet together : List.of(start, later)) {
                together.stream().forEach(object -> neighbors[object].or(together));
            }
        }
        for (int object = 0; object < objects; object++) {
            neighbors[object].clear(object);
        }
        return neighbors;
    }

    /** The size of one that is easy to find: no coloring has less. */
    private int clique() {
        int largest = 0;
        for (int first : order) {
            BitSet candidates = (BitSet) neighbors[first].clone();
            int size = 1;
            for (int object : order) {
                if (candidates.get(object)) {
                    candidates.and(neighbors[object]);
                    size++;
                }
            }
            largest = Math.max(largest, size);
        }
        return largest;
    }

    private int dsatur() {
        int used = 0;
        for (int i = 0; i < order.length; i++) {
            int object = mostConstrained();
            int chosen = usedAround(object).nextClearBit(0);
            color[object] = chosen;
            used = Math.max(used, chosen + 1);
        }
        keep(used);
        return used;
    }

    private void keep(int used) {
        best = color.clone();
        bestCount = used;
    }

    /** The first, in the order of size, of those around which most colors are in use. */
    private int mostConstrained() {
        int chosen = -1;
        int most = -1;
        for (int object : order) {
            int around = usedAround(object).cardinality();
            if (color[object] < 0 && around > most) {
                chosen = object;
                most = around;
            }
        }
        return chosen;
    }

    private BitSet usedAround(int object) {
        BitSet used = new BitSet();
        neighbors[object].stream().filter(other -> color[other] >= 0).forEach(other -> used.set(color[other]));
        return used;
    }

    /** Whether to stop: the best possible was found, or the steps are used up. */
    private boolean search(int colored, int used, int bound) {
        if (used >= bestCount) {
            return false;
        }
        if (colored == order.length) {
            keep(used);
            return used == bound;
        }
        if (++steps > STEPS_MAX) {
            return true;
        }
        int object = mostConstrained();
        BitSet around = usedAround(object);
        for (int chosen = 0; chosen <= used && chosen < bestCount - 1; chosen++) {
            if (!around.get(chosen)) {
                color[object] = chosen;
                if (search(colored + 1, Math.max(used, chosen + 1), bound)) {
                    return true;
                }
            }
        }
        color[object] = -1;
        return false;
    }

    int count() {
        return order.length == 0 ? 0 : bestCount;
    }

    /** -1 for an object that was not to be colored. */
    int of(int object) {
        return best[object];
    }

    /** Objects of a color, by place. */
    int[] members(int wanted) {
        return IntStream.range(0, best.length)
                .filter(object -> best[object] == wanted)
                .toArray();
    }
}
