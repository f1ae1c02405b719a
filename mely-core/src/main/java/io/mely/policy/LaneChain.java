// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.Lane;
import io.mely.spi.Workers;
import org.jspecify.annotations.Nullable;

/**
 * Lanes that are linked by their own links.
 *
 * <p><b>Threads.</b> Guarded by whoever has it. <b>Costs.</b> O(1), no memory.
 */
final class LaneChain {
    private final Workers workers;
    private int first = Lane.NONE;
    private int last = Lane.NONE; // if there is a first one

    LaneChain(Workers workers) {
        this.workers = workers;
    }

    boolean isEmpty() {
        return first == Lane.NONE;
    }

    void addLast(Lane lane) {
        int id = lane.laneId();
        if (isEmpty()) {
            first = id;
        } else {
            workers.lane(last).link(id);
        }
        last = id;
    }

    void addFirst(Lane lane) {
        int id = lane.laneId();
        if (isEmpty()) {
            last = id;
        } else {
            lane.link(first);
        }
        first = id;
    }

    /** Takes the first; null if there is none. */
    @Nullable
    Lane poll() {
        if (isEmpty()) {
            return null;
        }
        Lane lane = workers.lane(first);
        first = lane.link();
        lane.link(Lane.NONE);
        return lane;
    }
}
