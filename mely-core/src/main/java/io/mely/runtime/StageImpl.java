// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Handler;
import io.mely.StageOptions;
import io.mely.Stealing;

/** A stage of Mely's own engine, and the color it falls back to. */
final class StageImpl<E> extends EngineStage<E> {
    private final ColorImpl own;

    StageImpl(String name, StageOptions options, Stealing stealing, Handler<E> handler, ColorImpl own) {
        super(name, options, stealing, handler);
        this.own = own;
    }

    @Override
    public boolean send(Color color, E event) {
        if (!(color instanceof ColorImpl to) || to.runtime() != own.runtime()) {
            throw new IllegalArgumentException(
                    "color belongs to another runtime: color=" + color + ", stage=" + name());
        }
        return target(to).send(this, event);
    }

    /** Where an event sent in a color runs. */
    private ColorImpl target(ColorImpl color) {
        return isSingleThreaded() ? own : color;
    }

    @Override
    public boolean send(E event) {
        return own.send(this, event);
    }

    @Override
    public ColorImpl color() {
        return own;
    }
}
