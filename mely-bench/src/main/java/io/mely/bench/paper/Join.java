// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Finds the last of a round's events. In shards, so that its own line is not what is measured. */
final class Join {
    private static final int SHARDS = 32;
    /** Two lines of 64 bytes. */
    private static final int STRIDE = 32;

    private final AtomicIntegerArray left = new AtomicIntegerArray(SHARDS * STRIDE + STRIDE);
    private final AtomicInteger shardsLeft = new AtomicInteger();

    /** Expects events per color; nothing is under way. */
    void arm(int colors, int eventsPerColor) {
        int used = Math.min(colors, SHARDS);
        shardsLeft.set(used);
        for (int shard = 0; shard < used; shard++) {
            left.set(at(shard), (colors - shard + SHARDS - 1) / SHARDS * eventsPerColor);
        }
    }

    /**
     * Counts an event.
     *
     * @param color 0 to colors - 1
     * @return true for the last of the round
     */
    boolean arrive(int color) {
        int now = left.decrementAndGet(at(color & (SHARDS - 1)));
        if (now < 0) {
            throw new CheckFailedException("color " + color + ": more events than were sent");
        }
        return now == 0 && shardsLeft.decrementAndGet() == 0;
    }

    private static int at(int shard) {
        return (shard + 1) * STRIDE;
    }
}
