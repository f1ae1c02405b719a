// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import org.jspecify.annotations.Nullable;

/**
 * A color of a runtime: the ways into it, for whoever asks for them. Where it lives is in {@link io.mely.runtime.ColorHomes}, its events are in a
 * {@link io.mely.runtime.ColorQueue}.
 */
final class ColorImpl implements EngineColor {
    private final MelyRuntime runtime;
    private final int number;

    ColorImpl(MelyRuntime runtime, int slot) {
        this.runtime = runtime;
        number = slot + 1;
    }

    @Override
    public MelyRuntime runtime() {
        return runtime;
    }

    /** Of its entry in the tables of the queues. */
    int number() {
        return number;
    }

    @Override
    public boolean sendEvent(EngineStage<?> stage, @Nullable Object event) {
        return runtime.send(number, (StageImpl<?>) stage, event);
    }

    @Override
    public int slot() {
        return number - 1;
    }

    @Override
    public int homeCore() {
        return runtime.homeOf(number);
    }

    @Override
    public String toString() {
        return "Color{slot=" + slot() + ", home=" + homeCore() + "}";
    }
}
