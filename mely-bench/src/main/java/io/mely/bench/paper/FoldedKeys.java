// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import io.mely.MelyStats;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A contender that is told of fewer keys than there are: some share one, as keys do that meet in a slot of Mely's color table. The driver's is its own.
 *
 * <p>Keys that share one are still run in order, and at home only where that one is.
 */
final class FoldedKeys implements KeyedExecutor {
    private final KeyedExecutor folded;
    private final int keys;

    private FoldedKeys(KeyedExecutor folded, int keys) {
        this.folded = folded;
        this.keys = keys;
    }

    /**
     * Folds the keys of a contender.
     *
     * @param keys at most, beside the driver's
     * @param contender to be told of those
     */
    static Function<Setup, KeyedExecutor> onto(int keys, Function<Setup, KeyedExecutor> contender) {
        return setup -> setup.keys() - 1 <= keys
                ? contender.apply(setup)
                : new FoldedKeys(contender.apply(setup.withKeys(1 + keys)), keys);
    }

    private int fold(int key) {
        return key == Rounds.DRIVER_KEY ? key : 1 + (key - 1) % keys;
    }

    @Override
    public void execute(int key, int kind, Runnable event) {
        folded.execute(fold(key), kind, event);
    }

    @Override
    public boolean hasTimers() {
        return folded.hasTimers();
    }

    @Override
    public Cancel schedule(int key, int kind, long delayNs, Runnable event) {
        return folded.schedule(fold(key), kind, delayNs, event);
    }

    @Override
    public @Nullable MelyStats stats() {
        return folded.stats();
    }

    @Override
    public boolean leavesKeysAway() {
        return folded.leavesKeysAway();
    }

    @Override
    public Homing rehome(int key) {
        return folded.rehome(fold(key));
    }

    @Override
    public boolean isOnFirstWorker() {
        return folded.isOnFirstWorker();
    }

    @Override
    public void close() {
        folded.close();
    }
}
