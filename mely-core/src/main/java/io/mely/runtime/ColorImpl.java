// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.queue.ColorHome;
import org.jspecify.annotations.Nullable;

/** A color of a runtime: where it lives, and the ways into it. Its events are in a {@link io.mely.queue.ColorQueue}. */
final class ColorImpl extends ColorHome implements EngineColor {
    private final MelyRuntime runtime;

    ColorImpl(MelyRuntime runtime, int slot, int home) {
        super(slot, home);
        this.runtime = runtime;
    }

    @Override
    public MelyRuntime runtime() {
        return runtime;
    }

    @Override
    public boolean sendEvent(EngineStage<?> stage, @Nullable Object event) {
        return runtime.send(this, (StageImpl<?>) stage, event);
    }

    @Override
    public int homeCore() {
        return home();
    }

    @Override
    public String toString() {
        return "Color{slot=" + slot() + ", home=" + home() + "}";
    }
}
