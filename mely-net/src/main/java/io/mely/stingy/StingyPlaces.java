// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

/**
 * Places in the regions without buffers on them: for simulators, whose memory is virtual. Everything is counted as if buffers were allocated.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: Stingy §3.
 */
public final class StingyPlaces {
    /** No place: the ordinary allocator has to serve it. */
    public static final long NONE = -1;

    private final Stingy stingy;

    /**
     * Of some regions.
     *
     * @param stingy whose
     */
    public StingyPlaces(Stingy stingy) {
        this.stingy = stingy;
    }

    /**
     * Takes a place for a buffer of a site, on the core whose handler the thread runs.
     *
     * @param site its number
     * @param bytes that are asked for
     * @return core and offset, see {@link #offset}; {@link #NONE} if the region has none for it
     */
    public long take(int site, int bytes) {
        Hand hand = stingy.hand();
        int offset = stingy.tryPlace(hand, site, bytes);
        return offset == Slots.NONE ? NONE : (long) Stingy.coreOf(hand) << Integer.SIZE | offset;
    }

    /**
     * Where a place lies.
     *
     * @param place that was taken
     * @return bytes from the begin of its core's region
     */
    public static int offset(long place) {
        return (int) place;
    }

    /**
     * Gives a place back.
     *
     * @param place that was taken; an IllegalStateException if it was given back before
     */
    public void give(long place) {
        stingy.region(core(place)).give(offset(place));
    }

    /** Whose region a place is in. */
    static int core(long place) {
        return (int) (place >>> Integer.SIZE);
    }
}
