// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.Lane;
import io.mely.spi.Supply;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs the events of one core, while it has that.
 *
 * <p>A core has one worker at a time. When that one stands still in a handler, {@link Watch} gives the core to another: see {@link Crew}.
 *
 * <p><b>Threads.</b> As {@link EventWorker}.
 */
final class CoreWorker extends EventWorker {
    private static final AtomicIntegerFieldUpdater<CoreWorker> HAS_CORE =
            AtomicIntegerFieldUpdater.newUpdater(CoreWorker.class, "hasCore");

    /** The core it works for, now or when that needs it. */
    final Core core;

    /** Whether the core is its own: see {@link #giveCore} and {@link #loseCore}. */
    volatile int hasCore; // 0 or 1

    CoreWorker(Core core, Turn turn) {
        super(core.runtime(), core.core(), turn);
        this.core = core;
    }

    // ------------------------------------------------------------------ its core

    /** Makes the core its own, and wakes it if it waits for that. Any thread. */
    void giveCore() {
        hasCore = 1;
        LockSupport.unpark(thread);
    }

    /** Whether the core is its own. Any thread; a hint to all but itself. */
    boolean hasCore() {
        return hasCore == 1;
    }

    /** Waits until it has the core. Its thread. False if everything stops before, and nobody is about to give it the core. */
    boolean awaitCore() {
        while (!hasCore()) {
            if (runtime.life().isStopped() && core.crew().leave(this)) {
                return false;
            }
            LockSupport.park(this);
        }
        return true;
    }

    /**
     * Takes the core from it: the holder of the lock under which the core is given to another worker; or itself when everything stops, to end the core's life.
     *
     * @return true for one of them
     */
    boolean loseCore() {
        return HAS_CORE.compareAndSet(this, 1, 0);
    }

    // ------------------------------------------------------------------ running

    /** {@inheritDoc} The core is its own during a handler, and may be another worker's after it. */
    @Override
    public boolean run(Lane lane) {
        CoreQueue queue = core.queue();
        queue.beginVisit();
        runLane(lane);
        queue.lock();
        try {
            disengage();
            if (hasCore()) {
                queue.endTurn();
            }
        } finally {
            queue.unlock();
        }
        return hasCore() && !runtime.life().isStopped();
    }

    @Override
    void beginHandlers(boolean isLong) {
        if (isLong) {
            turn.isEngaged = true;
            runtime.wakeups().engage(core);
        }
        core.queue().beginHandlers();
    }

    /** The core is said to be engaged no more, with its lock, if this worker has said so and still has it. */
    void disengage() {
        if (turn.isEngaged) {
            turn.isEngaged = false;
            if (hasCore()) {
                runtime.wakeups().disengage(core);
            }
        }
    }

    /** Whether it may run another lane: it has its core, some of the slice is left, and nothing has stopped. */
    boolean mayGoOn() {
        return hasCore() && !isSliceOver() && !runtime.life().isStopped();
    }

    @Override
    int stockCore() {
        return core.core();
    }

    @Override
    boolean takes(StageImpl<?> stage, Supply supply, boolean isFirst) {
        byte entry = isFirst ? turn.entry : Turn.ANEW;
        int stock = stockCore();
        boolean isTaken = entry != Turn.PASSING
                && (entry == Turn.RESUMED || !core.parking().isWaiting(stage))
                && supply.tryTake(stock, 1);
        if (isTaken) {
            return true;
        }
        if (entry == Turn.PASSING || !turn.mayWait()) {
            supply.pass(stock);
            return true;
        }
        return false;
    }

    @Override
    void park(Lane lane, StageImpl<?> stage) {
        core.parking().park(lane, stage, turn.isFirstRefused && turn.entry == Turn.RESUMED);
    }

    @Override
    boolean send(int number, StageImpl<?> stage, @Nullable Object event) {
        return runtime.sends().send(this, number, stage, event, false);
    }

    @Override
    boolean isLong(HandlerProfile stage) {
        return core.isLong(stage);
    }

    @Override
    int coreIndex() {
        return core.core();
    }
}
