// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * What a runtime does, being written down: see {@link Mely#record()}.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> While it lasts each handler is timed: two reads of the clock and a few look-ups an event, and some
 * MB a core. Afterwards nothing.
 */
public interface Recording extends AutoCloseable {
    /**
     * Ends the recording. As consistent as {@link Mely#stats()}: exact if the runtime is idle or closed; what runs at this moment may be
     * missing in part.
     *
     * @return what was seen since it began; the first call's answer if it was ended before
     */
    WorkloadProfile stop();

    /** Ends the recording, whether or not somebody wants to know. */
    @Override
    default void close() {
        stop();
    }
}
