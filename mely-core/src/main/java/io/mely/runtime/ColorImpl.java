// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.queue.ColorQueue;
import io.mely.queue.RecordIndex;
import org.jspecify.annotations.Nullable;

/** A color of a runtime: the color-queue, and the ways into it. */
final class ColorImpl extends ColorQueue implements EngineColor {
    private final MelyRuntime runtime;

    ColorImpl(MelyRuntime runtime, int slot, int home, RecordIndex records) {
        super(slot, home, records);
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
}
