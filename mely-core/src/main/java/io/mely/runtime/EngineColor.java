// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Stage;
import io.mely.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** What a color is in every engine: a way into its runtime. */
public interface EngineColor extends Color {
    /**
     * The runtime it belongs to.
     *
     * @return always the same
     */
    EngineRuntime runtime();

    /**
     * Sends an event in this color from whatever thread calls.
     *
     * @param stage of the same runtime
     * @param event what to send
     * @return false if refused
     */
    boolean sendEvent(EngineStage<?> stage, @Nullable Object event);

    @Override
    default void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        if (!sendEvent(runtime().executeStage(), command)) {
            throw new RejectedExecutionException("refused, closed or full: color=" + slot());
        }
    }

    @Override
    default <E> Timer schedule(Duration delay, Stage<E> stage, E event) {
        Objects.requireNonNull(delay, "delay");
        EngineStage<E> to = (EngineStage<E>) Objects.requireNonNull(stage, "stage");
        if (to.color().runtime() != runtime()) {
            throw new IllegalArgumentException("stage belongs to another runtime: stage=" + stage.name());
        }
        return runtime().schedule(delay, to.isSingleThreaded() ? to.color() : this, to, event);
    }

    @Override
    default Timer schedule(Duration delay, Runnable command) {
        Objects.requireNonNull(delay, "delay");
        Objects.requireNonNull(command, "command");
        return runtime().schedule(delay, this, runtime().executeStage(), command);
    }

    @Override
    default boolean isCurrent() {
        return CoreThread.currentColorOrNull() == this;
    }
}
