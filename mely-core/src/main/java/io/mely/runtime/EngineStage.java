// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Handler;
import io.mely.Stage;
import io.mely.StageOptions;
import io.mely.Stealing;
import org.jspecify.annotations.Nullable;

/**
 * What a stage is in every engine: a handler with its profile.
 *
 * @param <E> the type of event
 */
public abstract class EngineStage<E> extends HandlerProfile implements Stage<E> {
    private final Handler<E> handler;
    private final boolean isSingleThreaded;

    /**
     * Makes a stage.
     *
     * @param name for messages
     * @param options annotations
     * @param stealing which heuristics make up the weight
     * @param handler runs its events
     */
    protected EngineStage(String name, StageOptions options, Stealing stealing, Handler<E> handler) {
        super(name, options, stealing);
        this.handler = handler;
        isSingleThreaded = options.singleThreaded();
    }

    @Override
    public abstract EngineColor color();

    @Override
    public boolean send(long key, E event) {
        return send(color().runtime().color(key), event);
    }

    @Override
    public boolean sendAt(int slot, E event) {
        return send(color().runtime().colorAt(slot), event);
    }

    /**
     * Whether its events run in its own color only.
     *
     * @return as annotated
     */
    protected final boolean isSingleThreaded() {
        return isSingleThreaded;
    }

    /** Calls the handler. */
    @SuppressWarnings({"unchecked", "NullAway"}) // only send fills records, with an E
    final void handle(@Nullable Object event) throws Exception {
        handler.handle((E) event);
    }
}
