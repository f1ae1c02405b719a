// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.machine;

/** Woven into the runtime's classes: an object that has a place in the virtual memory. */
public interface Placed {
    /**
     * Where it lies.
     *
     * @return 0 if nobody has touched it yet
     */
    long virtualAddress();

    /**
     * Gives it a place.
     *
     * @param address not 0
     */
    void virtualAddress(long address);

    /**
     * How much room it takes.
     *
     * @return bytes
     */
    int virtualSize();
}
