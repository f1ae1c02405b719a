// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.Lane;
import io.mely.spi.Workers;
import org.jspecify.annotations.Nullable;

/** Lanes, first in first out, or last in first out. */
final class LaneList extends LockedLanes {
    private final LaneChain lanes;
    private final boolean isLastFirst;

    /** First in, first out. */
    LaneList(Workers workers) {
        this(workers, false);
    }

    LaneList(Workers workers, boolean isLastFirst) {
        lanes = new LaneChain(workers);
        this.isLastFirst = isLastFirst;
    }

    @Override
    public void add(Lane lane) {
        add(lane, 0);
    }

    @Override
    void put(Lane lane, int place) {
        if (isLastFirst) {
            lanes.addFirst(lane);
        } else {
            lanes.addLast(lane);
        }
    }

    @Override
    @Nullable
    Lane take() {
        return lanes.poll();
    }
}
