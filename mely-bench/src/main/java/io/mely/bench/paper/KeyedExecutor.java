// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.MelyStats;
import org.jspecify.annotations.Nullable;

/**
 * What all contenders can do: run events of one key one at a time and in the order sent, those of different keys in parallel.
 *
 * <p><b>Threads.</b> Any thread sends.
 */
interface KeyedExecutor extends AutoCloseable {
    /**
     * Sends an event.
     *
     * @param key 0 to keys - 1
     * @param kind index of what is known about it; most contenders have no use for it
     * @param event what to run
     */
    void execute(int key, int kind, Runnable event);

    /** Counters, from Mely only. */
    default @Nullable MelyStats stats() {
        return null;
    }

    /**
     * Puts every key back to its home, where a contender moves keys and leaves them there. Called by the driver, with nothing else
     * pending or running.
     *
     * @return false if it cannot any more
     */
    default boolean rehome() {
        return true;
    }

    /** Whether the calling event runs on the first worker, as far as the contender knows. */
    default boolean isOnFirstWorker() {
        return true;
    }

    /** Stops its threads; nothing is pending. */
    @Override
    void close();
}
