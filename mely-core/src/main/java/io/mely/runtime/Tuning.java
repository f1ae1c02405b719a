// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Stealing;

/**
 * How the cores of a runtime schedule; set through {@link io.mely.Policy}.
 *
 * @param stealing which heuristics are on
 * @param batchThresholdEvents most events of one color in a row
 * @param timeSliceNs longest time between two polls, as far as handlers allow
 * @param spinNs how long an idle core spins before it blocks; -1: decided from the quota
 * @param threadsPerCore most threads of a core, see {@link Crew}
 */
public record Tuning(Stealing stealing, int batchThresholdEvents, long timeSliceNs, long spinNs, int threadsPerCore) {
    /** What holds where nothing is said. Threads, a guess: one costs some 100 KB, and who has more handlers that stand still at once should have them elsewhere. */
    public static final Tuning DEFAULTS = new Tuning(Stealing.mely(), Integer.MAX_VALUE, 100_000, -1, 16);

    /** The same with other heuristics. */
    public Tuning with(Stealing changed) {
        return new Tuning(changed, batchThresholdEvents, timeSliceNs, spinNs, threadsPerCore);
    }
}
