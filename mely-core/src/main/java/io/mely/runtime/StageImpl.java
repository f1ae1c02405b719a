// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Handler;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import io.mely.profile.HandlerProfile;
import org.jspecify.annotations.Nullable;

/** A stage: a handler with its profile, and the color it falls back to. */
final class StageImpl<E> extends HandlerProfile implements Stage<E> {
    private final Handler<E> handler;
    private final ColorImpl own;
    private final boolean isSingleThreaded;

    StageImpl(String name, StageOptions options, Stealing stealing, Handler<E> handler, ColorImpl own) {
        super(name, options, stealing);
        this.handler = handler;
        this.own = own;
        isSingleThreaded = options.singleThreaded();
    }

    @Override
    public boolean send(Color color, E event) {
        ColorImpl to = (ColorImpl) color;
        if (to.runtime() != own.runtime()) {
            throw new IllegalArgumentException(
                    "color belongs to another runtime: color=" + color + ", stage=" + name());
        }
        return target(to).send(this, event);
    }

    /** Where an event sent in a color runs. */
    ColorImpl target(ColorImpl color) {
        return isSingleThreaded ? own : color;
    }

    @Override
    public boolean send(E event) {
        return own.send(this, event);
    }

    @Override
    public Color color() {
        return own;
    }

    /** Calls the handler. */
    @SuppressWarnings({"unchecked", "NullAway"}) // only send fills records, with an E
    void handle(@Nullable Object event) throws Exception {
        handler.handle((E) event);
    }
}
