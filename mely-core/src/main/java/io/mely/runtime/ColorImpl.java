// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Stage;
import io.mely.Timer;
import io.mely.queue.ColorQueue;
import io.mely.queue.RecordIndex;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A color of a runtime: the color-queue, and the ways into it. */
final class ColorImpl extends ColorQueue implements Color {
    private final MelyRuntime runtime;

    ColorImpl(MelyRuntime runtime, int slot, int home, RecordIndex records) {
        super(slot, home, records);
        this.runtime = runtime;
    }

    MelyRuntime runtime() {
        return runtime;
    }

    /** Sends from whatever thread calls. */
    boolean send(StageImpl<?> stage, @Nullable Object event) {
        Core core = CoreThread.coreOf(Thread.currentThread(), runtime);
        return core != null ? core.send(this, stage, event) : runtime.sendOutside(this, stage, event);
    }

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        if (!send(runtime.executeStage(), command)) {
            throw new RejectedExecutionException("refused, closed or full: color=" + slot());
        }
    }

    @Override
    public <E> Timer schedule(Duration delay, Stage<E> stage, E event) {
        StageImpl<E> to = (StageImpl<E>) stage;
        if (((ColorImpl) to.color()).runtime != runtime) {
            throw new IllegalArgumentException("stage belongs to another runtime: stage=" + stage.name());
        }
        return runtime.schedule(delay, to.target(this), to, event);
    }

    @Override
    public Timer schedule(Duration delay, Runnable command) {
        return runtime.schedule(delay, this, runtime.executeStage(), command);
    }

    @Override
    public boolean isCurrent() {
        return CoreThread.currentColorOrNull() == this;
    }

    @Override
    public int homeCore() {
        return home();
    }
}
