// SPDX-License-Identifier: Apache-2.0
package io.mely.spi;

/**
 * The thread that has a core, as a group's visitor sees it.
 *
 * <p><b>Threads.</b> That thread.
 */
public interface Worker {
    /**
     * Runs events of a lane: the first, and those that follow it in the same group, as far as the time slice goes. What is left of a color goes to the sink of the
     * stage that is next.
     *
     * <p>While the handler runs, the core may be given to another thread, as the handler takes too long: then the visitor is that thread's. So after false the
     * caller finishes what concerns this lane, touches nothing else of the visitor, and returns.
     *
     * @param lane the group's; not after this call
     * @return whether the visitor may run more: the core is still this worker's, and the runtime has not stopped
     */
    boolean run(Lane lane);

    /**
     * Whether the core must look at its network and its other groups.
     *
     * @return true when the visitor has run for a time slice
     */
    boolean isSliceOver();
}
