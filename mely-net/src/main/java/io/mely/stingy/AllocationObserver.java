// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

/**
 * Told of each allocation at a site, whether the region serves it or not: see {@link Stingy#observe}. For tests.
 *
 * <p><b>Threads.</b> The one that allocates. <b>Errors.</b> An exception reaches who allocates, before anything is taken.
 */
@FunctionalInterface
public interface AllocationObserver {
    /**
     * A program allocates.
     *
     * @param site number in the plan; others are allocators without a site
     * @param bytes that it asks for
     */
    void allocated(int site, int bytes);
}
