// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Handler;
import io.mely.StageOptions;
import io.mely.Stealing;

/** A stage of Mely's own engine, and the color it falls back to. */
final class StageImpl<E> extends EngineStage<E> {
    private final ColorImpl own;

    /** Kept here, as is the number of its color, so that a send need not wait for more lines than it must. */
    private final MelyRuntime runtime;

    private final int ownNumber;

    StageImpl(String name, StageOptions options, Stealing stealing, Handler<E> handler, ColorImpl own) {
        super(name, options, stealing, handler);
        this.own = own;
        runtime = own.runtime();
        ownNumber = own.number();
    }

    @Override
    public boolean send(Color color, E event) {
        if (!(color instanceof ColorImpl to) || to.runtime() != runtime) {
            throw new IllegalArgumentException(
                    "color belongs to another runtime: color=" + color + ", stage=" + name());
        }
        return sendTo(to.number(), event);
    }

    @Override
    public boolean send(long key, E event) {
        return sendTo(runtime.slotOf(key) + 1, event);
    }

    @Override
    public boolean sendAt(int slot, E event) {
        runtime.checkSlot(slot);
        return sendTo(slot + 1, event);
    }

    /** Sends an event that runs in a color, unless the stage is single-threaded. */
    private boolean sendTo(int number, E event) {
        return runtime.send(isSingleThreaded() ? ownNumber : number, this, event);
    }

    @Override
    public boolean send(E event) {
        return runtime.send(ownNumber, this, event);
    }

    @Override
    public ColorImpl color() {
        return own;
    }
}
