// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The regions without Netty's buffers on them: for programs that read into and write from {@link ByteBuffer}s, and make no object for each request.
 *
 * <pre>{@code
 * long place = memory.take(site, bytes);
 * if (place != StingyMemory.NONE) {
 *     ByteBuffer buffer = memory.at(place, bytes); // the same object each time
 *     // ...
 *     memory.give(place);
 * } // else the program takes memory of its own
 * }</pre>
 *
 * <p>Takes and gives are counted as {@link StingyAllocator} counts them, and find what a stage's {@link Stingy#supply} has taken for its event.
 *
 * <p><b>Threads.</b> Any. What one thread takes another may give back; the buffer of a place is its holder's. <b>Costs.</b> For each place that was ever used a buffer object, and for each line of the regions a reference. A short lock for each take and give, but for what the handler's stage has taken already. <b>Source.</b> spec: Stingy §3.
 */
public final class StingyMemory {
    /** No place: the ordinary memory has to serve it. */
    public static final long NONE = StingyPlaces.NONE;

    private final Stingy stingy;
    private final StingyPlaces places;

    /** By core and line. Each is touched by who holds the place that begins there; the region's lock is between two of them. */
    private final @Nullable ByteBuffer[][] buffers;

    /**
     * Of some regions.
     *
     * @param stingy whose
     */
    public StingyMemory(Stingy stingy) {
        this.stingy = stingy;
        places = new StingyPlaces(stingy);
        int lines = Math.toIntExact((stingy.plan().bytes() + StingyPlan.LINE_BYTES - 1) / StingyPlan.LINE_BYTES);
        buffers = new @Nullable ByteBuffer[stingy.cores()][lines];
    }

    /**
     * Takes a place for a buffer of a site, in the region of the core whose handler the thread runs.
     *
     * @param site its number
     * @param bytes that are asked for: fewer than the site's declared size, or the region has none for it
     * @return to be given back once; {@link #NONE} if the region has none
     */
    public long take(int site, int bytes) {
        return places.take(site, bytes);
    }

    /**
     * The buffer of a place.
     *
     * @param place that was taken
     * @param bytes that were asked for
     * @return empty, with room for so many; not to be used after the place was given back
     */
    public ByteBuffer at(long place, int bytes) {
        int core = StingyPlaces.core(place);
        int offset = StingyPlaces.offset(place);
        @Nullable ByteBuffer[] ofCore = buffers[core];
        ByteBuffer buffer = ofCore[offset / StingyPlan.LINE_BYTES];
        if (buffer == null || buffer.capacity() != bytes) { // another site's, in an area that they share
            buffer = stingy.region(core).slice(offset, bytes);
            ofCore[offset / StingyPlan.LINE_BYTES] = buffer;
        }
        return buffer.clear();
    }

    /**
     * Gives a place back.
     *
     * @param place that was taken; an IllegalStateException if it was given back before
     */
    public void give(long place) {
        places.give(place);
    }
}
