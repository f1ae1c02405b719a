// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import io.mely.deploy.stingy.AreaSize;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** What is asked of the solver: objects and stages by number, without their names. */
final class Problem {
    private final long[] slotBytes;
    private final int[] own;
    private final int[] color;
    private final int colors;
    private final List<BitSet> within;
    private final double[] weight;
    private final BitSet[] notMoreThan;
    private final long regionBytes;

    /**
     * @param slotBytes of an instance, by object
     * @param own instances of a request, by object
     * @param color by object; -1: not managed
     * @param colors how many
     * @param within objects that live in each stage
     * @param weight of each stage
     * @param notMoreThan by object those of which there must not be more
     * @param regionBytes what all areas may take
     */
    Problem(
            long[] slotBytes,
            int[] own,
            int[] color,
            int colors,
            List<BitSet> within,
            double[] weight,
            BitSet[] notMoreThan,
            long regionBytes) {
        this.slotBytes = slotBytes;
        this.own = own;
        this.color = color;
        this.colors = colors;
        this.within = within;
        this.weight = weight;
        this.notMoreThan = notMoreThan;
        this.regionBytes = regionBytes;
    }

    /** Of one request, of an object. */
    long bytes(int object) {
        return slotBytes[object] * own[object];
    }

    /** Areas of so many requests of each object. */
    long bytes(long[] requests) {
        long sum = 0;
        for (int each = 0; each < colors; each++) {
            sum += areaBytes(each, requests);
        }
        return sum;
    }

    /** Bytes of one request of each object: what is needed at least. */
    long leastBytes() {
        long[] one = new long[own.length];
        Arrays.fill(one, 1);
        return bytes(one);
    }

    /** An area of some objects for so many requests. */
    long areaBytes(int wanted, long[] requests) {
        AreaSize size = new AreaSize();
        for (int object = 0; object < own.length; object++) {
            if (color[object] == wanted) {
                size.add(slotBytes[object], own[object], own[object] * requests[object]);
            }
        }
        return size.bytes();
    }

    /** The size of a cell of an area. */
    long cellBytes(int wanted) {
        long most = 0;
        for (int object = 0; object < own.length; object++) {
            most = color[object] == wanted ? Math.max(most, slotBytes[object]) : most;
        }
        return most;
    }

    /** The objects that need as many as an object of the set, and the set. */
    BitSet closed(BitSet objects) {
        BitSet closed = (BitSet) objects.clone();
        int before;
        do {
            before = closed.cardinality();
            for (int object = 0; object < own.length; object++) {
                if (color[object] >= 0 && notMoreThan[object].intersects(closed)) {
                    closed.set(object);
                }
            }
        } while (closed.cardinality() > before);
        return closed;
    }

    long[] slotBytes() {
        return slotBytes;
    }

    int[] own() {
        return own;
    }

    int[] color() {
        return color;
    }

    int colors() {
        return colors;
    }

    List<BitSet> within() {
        return within;
    }

    double[] weight() {
        return weight;
    }

    BitSet[] notMoreThan() {
        return notMoreThan;
    }

    long regionBytes() {
        return regionBytes;
    }
}
