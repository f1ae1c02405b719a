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

    /** Sends from whatever thread calls. */
    boolean send(StageImpl<?> stage, @Nullable Object event) {
        Core core = (Core) CoreThread.coreOf(Thread.currentThread(), runtime);
        return core != null ? core.send(this, stage, event) : runtime.sendOutside(this, stage, event);
    }

    @Override
    public boolean sendEvent(EngineStage<?> stage, @Nullable Object event) {
        return send((StageImpl<?>) stage, event);
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
