// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.StageOptions;

/**
 * What the brief turns of each level have run since a lengthy one of that level went or began to wait (ADR 0023). A turn is counted when the next begins, if something lengthy waited when it began itself.
 *
 * <p><b>Threads.</b> The holder of the core's lock. <b>Units.</b> Nanoseconds, as expected.
 */
final class BriefTime {
    private static final int NONE = -1;

    private final long[] ranNs = new long[StageOptions.PRIORITIES];
    private int level = NONE; // of the turn
    private long fromNs;

    /** What the turn has run is its level's. */
    void endTurn(long nowNs) {
        if (level != NONE) {
            ranNs[level] += nowNs - fromNs;
            level = NONE;
        }
    }

    /** A brief one begins. */
    void beginTurn(int newLevel, long nowNs) {
        level = newLevel;
        fromNs = nowNs;
    }

    /** Something else begins, and nobody knows what has run. */
    void forgetTurn() {
        level = NONE;
    }

    /** A lengthy one goes, or is the first that waits. */
    void beginWait(int ofLevel) {
        ranNs[ofLevel] = 0;
    }

    long ranNs(int ofLevel) {
        return ranNs[ofLevel];
    }
}
