// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.Lane;
import io.mely.spi.Supply;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a group's own, which runs lanes and may wait in a handler. It has no core.
 *
 * <p><b>Threads.</b> As {@link EventWorker}.
 */
final class PoolWorker extends EventWorker {
    private final int stockCore;

    PoolWorker(MelyRuntime runtime, Turn turn) {
        super(runtime, HandlerObserver.OUTSIDE, turn);
        stockCore = runtime.nextStockCore();
    }

    /** {@inheritDoc} After the stop nothing runs, and the lane is discarded. */
    @Override
    public boolean run(Lane lane) {
        if (runtime.life().isStopped()) {
            return false;
        }
        endSlice();
        runLane(lane);
        return !runtime.life().isStopped();
    }

    @Override
    void beginHandlers(boolean isLong) {}

    @Override
    boolean send(int number, StageImpl<?> stage, @Nullable Object event) {
        return runtime.sends().sendFromPool(this, number, stage, event);
    }

    @Override
    boolean isLong(HandlerProfile stage) {
        return false; // nothing waits behind its handlers
    }

    @Override
    int stockCore() {
        return stockCore;
    }

    /** {@inheritDoc} What it runs is of its group only, so it has nothing else to do meanwhile. */
    @Override
    boolean takes(StageImpl<?> stage, Supply supply, boolean isFirst) {
        if (!supply.tryTake(stockCore, 1)) {
            supply.pass(stockCore);
        }
        return true;
    }

    @Override
    void park(Lane lane, StageImpl<?> stage) {
        throw new AssertionError("refuses nothing: stage=" + stage.name());
    }

    @Override
    int coreIndex() {
        return HandlerObserver.OUTSIDE;
    }
}
