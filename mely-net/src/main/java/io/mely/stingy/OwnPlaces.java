// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import java.util.BitSet;

/**
 * Places of a shared area that are one site's: no other site can take them.
 *
 * <p><b>Threads.</b> The holder of the region's lock. <b>Costs.</b> O(1): the place that was given back last is the first to be taken. <b>Errors.</b> Giving back what is not handed out is an IllegalStateException, and changes nothing. <b>Source.</b> spec: Stingy §10.4.
 */
final class OwnPlaces {
    private final int offsetBytes;
    private final int slotBytes;
    private final int[] free; // a stack
    private final BitSet isFree = new BitSet();
    private int freeCount;

    OwnPlaces(int offsetBytes, int slotBytes, int count) {
        this.offsetBytes = offsetBytes;
        this.slotBytes = slotBytes;
        free = new int[count];
        for (int place = count - 1; place >= 0; place--) {
            put(place);
        }
    }

    private void put(int place) {
        free[freeCount++] = place;
        isFree.set(place);
    }

    int endBytes() {
        return offsetBytes + slotBytes * free.length;
    }

    int free() {
        return freeCount;
    }

    int taken() {
        return free.length - freeCount;
    }

    /** Takes one of those that are free; there is one. Its offset in the region. */
    int take() {
        int place = free[--freeCount];
        assert isFree.get(place) : "handed out twice: place=" + place;
        isFree.clear(place);
        return offsetBytes + place * slotBytes;
    }

    /** Whether an offset lies in them. */
    boolean has(int offset) {
        return offset >= offsetBytes && offset < endBytes();
    }

    /** Gives back a place that was taken. */
    void give(int offset) {
        int place = (offset - offsetBytes) / slotBytes;
        if ((offset - offsetBytes) % slotBytes != 0) {
            throw new IllegalStateException("no buffer of the region, or freed before: offset=" + offset);
        }
        if (isFree.get(place)) {
            throw new IllegalStateException("freed twice: offset=" + offset);
        }
        put(place);
    }

    /** Checks the structure; an AssertionError names what is broken. O(places). */
    void validate() {
        if (isFree.cardinality() != freeCount || isFree.length() > free.length) {
            throw new AssertionError("own places: free=" + freeCount + ", marked=" + isFree);
        }
    }
}
