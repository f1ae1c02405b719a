// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.Lane;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a group's own, which runs lanes and may wait in a handler. It has no core.
 *
 * <p><b>Threads.</b> As {@link EventWorker}.
 */
final class PoolWorker extends EventWorker {
    PoolWorker(MelyRuntime runtime, Turn turn) {
        super(runtime, HandlerObserver.OUTSIDE, turn);
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
    int coreIndex() {
        return HandlerObserver.OUTSIDE;
    }
}
