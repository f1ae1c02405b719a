// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

/** Clients that a server had better survive. */
interface Hostile {
    /** Begins. */
    void start();

    /**
     * Waits for the round under way; those that are slow go away.
     *
     * @throws InterruptedException if the caller is interrupted
     */
    void stop() throws InterruptedException;

    /** To be read while they are stopped. */
    ActBooks<?> books();
}
