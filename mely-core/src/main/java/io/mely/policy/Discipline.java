// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.Lane;
import io.mely.spi.Workers;
import java.util.function.ToLongFunction;

/** In which order what waits at a stage is run. Events of one color keep their order under each of them. */
public enum Discipline {
    /** First come, first served. */
    FIRST_IN_FIRST_OUT {
        @Override
        LaneQueue queue(Workers workers, ToLongFunction<Lane> sizes) {
            return new LaneList(workers);
        }
    },
    /** The youngest first: what it works on may be in a cache still. The oldest may wait for ever. */
    LAST_IN_FIRST_OUT {
        @Override
        LaneQueue queue(Workers workers, ToLongFunction<Lane> sizes) {
            return new LaneList(workers, true);
        }
    },
    /** The smallest first, by {@link io.mely.Sized}: the shortest mean wait. Large ones may wait for ever. */
    SMALLEST_FIRST {
        @Override
        LaneQueue queue(Workers workers, ToLongFunction<Lane> sizes) {
            return new SizeClasses(workers, sizes);
        }
    };

    abstract LaneQueue queue(Workers workers, ToLongFunction<Lane> sizes);
}
