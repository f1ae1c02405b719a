// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

/** A part of the heap that has a budget. */
public interface HeapBudget {
    /**
     * Takes some.
     *
     * @param bytes how much
     * @return false if that is more than is left
     */
    boolean take(int bytes);

    /**
     * Gives some back.
     *
     * @param bytes how much
     */
    void giveBack(long bytes);
}
