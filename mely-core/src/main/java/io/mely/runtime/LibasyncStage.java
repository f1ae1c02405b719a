// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Handler;
import io.mely.StageOptions;
import io.mely.Stealing;

/** A stage of a libasync engine: its handler is the callback, a send is its registration. */
final class LibasyncStage<E> extends EngineStage<E> {
    private final LibasyncColor own;

    LibasyncStage(String name, StageOptions options, Stealing stealing, Handler<E> handler, LibasyncColor own) {
        super(name, options, stealing, handler);
        this.own = own;
    }

    @Override
    public boolean send(Color color, E event) {
        return target(color).send(this, event, false);
    }

    @Override
    public boolean send(E event) {
        return own.send(this, event, false);
    }

    @Override
    public boolean sendFirst(Color color, E event) {
        return target(color).send(this, event, true);
    }

    private LibasyncColor target(Color color) {
        if (!(color instanceof LibasyncColor to) || to.runtime() != own.runtime()) {
            throw new IllegalArgumentException(
                    "color belongs to another runtime: color=" + color + ", stage=" + name());
        }
        return isSingleThreaded() ? own : to;
    }

    @Override
    public LibasyncColor color() {
        return own;
    }
}
