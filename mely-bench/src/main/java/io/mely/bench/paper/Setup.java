// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * What a contender is built from.
 *
 * @param workers threads that run events
 * @param isPinned whether Mely pins its cores; no other contender can
 * @param keys number of keys
 * @param homes worker where a key's events are registered; contenders with one shared queue ignore it
 * @param needsHomes whether the workload is another one if keys are elsewhere
 * @param kinds of events
 * @param pendingMax events that a queue must hold, where a contender's are bounded
 */
record Setup(
        int workers,
        boolean isPinned,
        int keys,
        IntUnaryOperator homes,
        boolean needsHomes,
        List<Kind> kinds,
        int pendingMax) {
    /** Less is no relief. */
    private static final int ROOM_MIN = 1 << 13;

    Setup withKeys(int newKeys) {
        return new Setup(workers, isPinned, newKeys, homes, needsHomes, kinds, pendingMax);
    }

    /** Entries of a ring in which all fit that may be pending, a power of two: a worker that waited for room in its own would wait for ever. */
    int ringRoom() {
        return Math.max(ROOM_MIN, Integer.highestOneBit(2 * pendingMax - 1));
    }
}
