// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.Lane;
import io.mely.spi.Workers;
import java.util.Arrays;
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
final class SizeClasses extends LockedLanes {
    private static final int BITS = 2; // of a size below its highest one
    private static final int CLASSES = classOf(Long.MAX_VALUE) + 1;

    private final ToLongFunction<Lane> sizes;
    private final LaneChain[] classes = new LaneChain[CLASSES];
    private final BitSet filled = new BitSet(CLASSES);

    SizeClasses(Workers workers, ToLongFunction<Lane> sizes) {
        this.sizes = sizes;
        Arrays.setAll(classes, i -> new LaneChain(workers));
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
        add(lane, classOf(sizes.applyAsLong(lane))); // the size is asked for without the lock
    }

    @Override
    void put(Lane lane, int place) {
        classes[place].addLast(lane);
        filled.set(place);
    }

    @Override
    @Nullable
    Lane take() {
        int smallest = filled.nextSetBit(0);
        if (smallest < 0) {
            return null;
        }
        Lane lane = classes[smallest].poll();
        filled.set(smallest, !classes[smallest].isEmpty());
        return lane;
    }
}
