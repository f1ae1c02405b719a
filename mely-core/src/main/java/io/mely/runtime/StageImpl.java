// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Handler;
import io.mely.StageOptions;
import io.mely.Stealing;

/** A stage of Mely's own engine, and the color it falls back to. */
final class StageImpl<E> extends EngineStage<E> {
    private final ColorImpl own;

    /** Kept here, so that a send need not wait for its color's line to find it. */
    private final MelyRuntime runtime;

    StageImpl(String name, StageOptions options, Stealing stealing, Handler<E> handler, ColorImpl own) {
        super(name, options, stealing, handler);
        this.own = own;
        runtime = own.runtime();
    }

    @Override
    public boolean send(Color color, E event) {
        if (!(color instanceof ColorImpl to) || to.runtime() != runtime) {
            throw new IllegalArgumentException(
                    "color belongs to another runtime: color=" + color + ", stage=" + name());
        }
        return runtime.send(target(to), this, event);
    }

    /** Where an event sent in a color runs. */
    private ColorImpl target(ColorImpl color) {
        return isSingleThreaded() ? own : color;
    }

    @Override
    public boolean send(E event) {
        return runtime.send(own, this, event);
    }

    @Override
    public ColorImpl color() {
        return own;
    }
}
