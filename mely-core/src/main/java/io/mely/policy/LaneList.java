// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.Lane;
import io.mely.spi.SpinLock;
import io.mely.spi.Workers;
import org.jspecify.annotations.Nullable;

/**
 * Lanes, first in first out, under a lock. Needs no memory.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> O(1).
 */
final class LaneList {
    private final Workers workers;
    private final SpinLock lock = new SpinLock();
    private int first = Lane.NONE; // guarded by the lock, as are the links
    private int last = Lane.NONE;
    private volatile int size; // written under the lock

    LaneList(Workers workers) {
        this.workers = workers;
    }

    /** Appends a lane. */
    void add(Lane lane) {
        lock.lock();
        try {
            int id = lane.laneId();
            if (last == Lane.NONE) {
                first = id;
            } else {
                workers.lane(last).link(id);
            }
            last = id;
            size(size + 1);
        } finally {
            lock.unlock();
        }
    }

    /** Takes the first; null if there is none. */
    @Nullable
    Lane poll() {
        lock.lock();
        try {
            if (first == Lane.NONE) {
                return null;
            }
            Lane lane = workers.lane(first);
            first = lane.link();
            lane.link(Lane.NONE);
            if (first == Lane.NONE) {
                last = Lane.NONE;
            }
            size(size - 1);
            return lane;
        } finally {
            lock.unlock();
        }
    }

    private void size(int newSize) {
        size = newSize;
    }

    /** How many wait. A peek. */
    int size() {
        return size;
    }
}
