// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.Lane;
import org.jspecify.annotations.Nullable;

/**
 * Where lanes of a stage wait: a queue discipline.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> None: it needs no memory.
 */
interface LaneQueue {
    /** Takes in a lane. */
    void add(Lane lane);

    /** Takes out the next; null if there is none. */
    @Nullable
    Lane poll();

    /** How many wait. A peek. */
    int size();
}
