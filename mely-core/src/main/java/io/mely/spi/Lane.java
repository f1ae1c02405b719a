// SPDX-License-Identifier: Apache-2.0
package io.mely.spi;

/**
 * What is ready to run: a color, with all its pending events, or one event.
 *
 * <p>It belongs to the group that was handed it, from {@link StageGroup.Sink#add} until {@link Worker#run}, and then must not be touched any more.
 *
 * <p><b>Threads.</b> One at a time; a group hands it from thread to thread under a lock or by a concurrent queue.
 */
public interface Lane {
    /** The {@link #link} to nothing. */
    int NONE = 0;

    /**
     * Its number, for links.
     *
     * @return never {@link #NONE}; {@link Workers#lane} finds the lane
     */
    int laneId();

    /**
     * A link to another lane, the group's own: for lists that need no memory.
     *
     * @return {@link #NONE} when the lane is handed over
     */
    int link();

    /**
     * Sets the link.
     *
     * @param lane number of another lane of the group
     */
    void link(int lane);

    /**
     * Which color it is, or is of.
     *
     * @return a slot; -1 for an event without a color
     */
    int color();
}
