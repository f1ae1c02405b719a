// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy.stingy;

import java.util.ArrayList;
import java.util.List;

/**
 * How large an area is that some objects share.
 *
 * <p>Objects of one color never live together in a request, but one request may have one of them while others have another. So the area is counted jointly, in cells of the largest object: a cell
 * holds instances of one object at a time, as many as fit. That alone could end in a deadlock: all cells are taken by requests that wait for another object of the same area. So each object gets room
 * for one request beside the cells: whichever request is the furthest on its way finds what it needs next. Without that some random programs
 * stop for ever; with it none does ({@code SharedAreaTest}).
 *
 * <p><b>Units.</b> Bytes. <b>Source.</b> spec: Stingy §10.3, §10.4.
 */
public final class AreaSize {
    /** Instances of one object in a cell; the region keeps a bit for each in a word. */
    private static final int PER_CELL_MAX = Long.SIZE;

    private final List<Sharer> sharers = new ArrayList<>();

    private record Sharer(long slotBytes, int own, long count) {}

    /**
     * What an instance takes.
     *
     * @param sizeBytes declared
     * @param lineBytes of a line
     * @return whole lines
     */
    public static long slotBytes(long sizeBytes, int lineBytes) {
        return (sizeBytes + lineBytes - 1) / lineBytes * lineBytes;
    }

    /**
     * How many instances a cell holds.
     *
     * @param slotBytes of an instance
     * @param cellBytes of the cell
     * @return at least one
     */
    public static long perCell(long slotBytes, long cellBytes) {
        return Math.max(1, Math.min(PER_CELL_MAX, cellBytes / slotBytes));
    }

    /**
     * Adds an object.
     *
     * @param slotBytes of an instance
     * @param own instances of one request
     * @param count all instances, at least those
     */
    public void add(long slotBytes, int own, long count) {
        sharers.add(new Sharer(slotBytes, own, count));
    }

    /**
     * The size.
     *
     * @return one request's instances of each object, and cells for what the object that needs most has beyond; never less than cells for all that one object has
     */
    public long bytes() {
        long cellBytes = sharers.stream().mapToLong(Sharer::slotBytes).max().orElse(0);
        long own = 0;
        long beyond = 0;
        long all = 0;
        for (Sharer sharer : sharers) {
            long perCell = perCell(sharer.slotBytes, cellBytes);
            own += sharer.slotBytes * sharer.own;
            beyond = Math.max(beyond, cells(sharer.count - sharer.own, perCell));
            all = Math.max(all, cells(sharer.count, perCell));
        }
        return Math.max(own + beyond * cellBytes, all * cellBytes);
    }

    private static long cells(long instances, long perCell) {
        return (instances + perCell - 1) / perCell;
    }
}
