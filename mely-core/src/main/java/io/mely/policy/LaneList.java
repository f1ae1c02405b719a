// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.Lane;
import io.mely.spi.SpinLock;
import io.mely.spi.Workers;
import org.jspecify.annotations.Nullable;

/**
 * Lanes under a lock: first in first out, or last in first out.
 *
 * <p><b>Costs.</b> O(1).
 */
final class LaneList implements LaneQueue {
    private final Workers workers;
    private final boolean isLastFirst;
    private final SpinLock lock = new SpinLock();
    private int first = Lane.NONE; // guarded by the lock, as are the links
    private int last = Lane.NONE;
    private volatile int size; // written under the lock

    /** First in, first out. */
    LaneList(Workers workers) {
        this(workers, false);
    }

    LaneList(Workers workers, boolean isLastFirst) {
        this.workers = workers;
        this.isLastFirst = isLastFirst;
    }

    @Override
    public void add(Lane lane) {
        lock.lock();
        try {
            int id = lane.laneId();
            if (first == Lane.NONE) {
                first = id;
                last = id;
            } else if (isLastFirst) {
                lane.link(first);
                first = id;
            } else {
                workers.lane(last).link(id);
                last = id;
            }
            size(size + 1);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Lane poll() {
        if (size == 0) {
            return null;
        }
        lock.lock();
        try {
            if (first == Lane.NONE) {
                return null;
            }
            Lane lane = workers.lane(first);
            first = lane.link();
            lane.link(Lane.NONE);
            size(size - 1);
            return lane;
        } finally {
            lock.unlock();
        }
    }

    private void size(int newSize) {
        size = newSize;
    }

    @Override
    public int size() {
        return size;
    }
}
