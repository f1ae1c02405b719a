// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

/**
 * One way to bind the calling thread to a CPU.
 *
 * <p><b>Threads.</b> The thread to be pinned. <b>Errors.</b> {@link UnsupportedOperationException} with the reason when
 * it did not work.
 */
interface Pinner {
    /** Binds the calling thread, and makes sure of it. */
    void pin(int cpu);
}
