// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.Lane;
import io.mely.spi.SpinLock;
import org.jspecify.annotations.Nullable;

/** Lanes under a lock, and how many they are. */
abstract class LockedLanes implements LaneQueue {
    private final SpinLock lock = new SpinLock();
    private volatile int size; // written under the lock

    /** Puts a lane in, with the lock. */
    abstract void put(Lane lane, int place);

    /** Takes the next out, with the lock; null if there is none. */
    abstract @Nullable Lane take();

    /** Adds a lane at a place that its class knows. */
    final void add(Lane lane, int place) {
        lock.lock();
        try {
            put(lane, place);
            size(size + 1);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public final @Nullable Lane poll() {
        if (size == 0) {
            return null; // whoever adds one wakes a core afterwards
        }
        lock.lock();
        try {
            Lane lane = take();
            if (lane != null) {
                size(size - 1);
            }
            return lane;
        } finally {
            lock.unlock();
        }
    }

    private void size(int newSize) {
        size = newSize;
    }

    @Override
    public final int size() {
        return size;
    }
}
