// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.Lane;
import io.mely.spi.SpinLock;
import io.mely.spi.Workers;
import java.util.BitSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lanes by the size of their first event, the smallest first: shortest remaining processing time, where that goes with the size.
 *
 * <p>Sizes are told apart to a quarter: there are four classes from one power of two to the next, first in first out. So it needs no memory, whatever is sent.
 *
 * <p><b>Costs.</b> O(1). <b>Source.</b> spec: stages §14, item 2.
 */
final class SizeClasses implements LaneQueue {
    private static final int BITS = 2; // of a size below its highest one
    private static final int CLASSES = classOf(Long.MAX_VALUE) + 1;

    private final Workers workers;
    private final ToLongFunction<Lane> sizes;
    private final SpinLock lock = new SpinLock();
    private final int[] first = new int[CLASSES]; // guarded by the lock, as are the links
    private final int[] last = new int[CLASSES];
    private final BitSet filled = new BitSet(CLASSES);
    private volatile int size; // written under the lock

    SizeClasses(Workers workers, ToLongFunction<Lane> sizes) {
        this.workers = workers;
        this.sizes = sizes;
    }

    /** The larger the size, the larger the class or the same. */
    static int classOf(long size) {
        if (size < 1 << BITS) {
            return (int) Math.max(0, size);
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(size) - BITS;
        return (shift << BITS) + (int) (size >>> shift);
    }

    @Override
    public void add(Lane lane) {
        int sizeClass = classOf(sizes.applyAsLong(lane));
        lock.lock();
        try {
            int id = lane.laneId();
            if (first[sizeClass] == Lane.NONE) {
                first[sizeClass] = id;
                filled.set(sizeClass);
            } else {
                workers.lane(last[sizeClass]).link(id);
            }
            last[sizeClass] = id;
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
            int smallest = filled.nextSetBit(0);
            if (smallest < 0) {
                return null;
            }
            Lane lane = workers.lane(first[smallest]);
            first[smallest] = lane.link();
            lane.link(Lane.NONE);
            if (first[smallest] == Lane.NONE) {
                filled.clear(smallest);
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

    @Override
    public int size() {
        return size;
    }
}
