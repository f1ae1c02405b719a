// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.StageGroup;

/** How often cores went to stages, for benchmarks. */
public final class VisitFigures {
    private VisitFigures() {}

    /**
     * Visits of a core.
     *
     * @param visitor of any group
     * @return 0 if it does not go from stage to stage
     */
    public static long visits(StageGroup.Visitor visitor) {
        return visitor instanceof StageVisitor ours ? ours.visits() : 0;
    }

    /**
     * Visits of a core that found something.
     *
     * @param visitor of any group
     * @return 0 if it does not go from stage to stage
     */
    public static long successes(StageGroup.Visitor visitor) {
        return visitor instanceof StageVisitor ours ? ours.successes() : 0;
    }
}
