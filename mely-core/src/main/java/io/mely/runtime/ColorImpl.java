// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.Stage;
import io.mely.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A color of a runtime: the ways into it, for whoever asks for them. Where it lives is in {@link ColorHomes}, its events are in a
 * {@link ColorQueue}.
 */
final class ColorImpl implements Color {
    private final MelyRuntime runtime;
    private final int number;

    ColorImpl(MelyRuntime runtime, int slot) {
        this.runtime = runtime;
        number = slot + 1;
    }

    MelyRuntime runtime() {
        return runtime;
    }

    /** Of its entry in the tables of the queues. */
    int number() {
        return number;
    }

    /** Sends an event in this color from whatever thread calls. False if refused. */
    boolean sendEvent(StageImpl<?> stage, @Nullable Object event) {
        return runtime.sends().send(number, stage, event);
    }

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        if (!sendEvent(runtime.executeStage(), command)) {
            throw new RejectedExecutionException("refused, closed or full: color=" + slot());
        }
    }

    @Override
    public <E> Timer schedule(Duration delay, Stage<E> stage, E event) {
        Objects.requireNonNull(delay, "delay");
        StageImpl<E> to = (StageImpl<E>) Objects.requireNonNull(stage, "stage");
        if (to.color().runtime() != runtime) {
            throw new IllegalArgumentException("stage belongs to another runtime: stage=" + stage.name());
        }
        return runtime.schedule(delay, to.isSingleThreaded() ? to.color() : this, to, event);
    }

    @Override
    public Timer schedule(Duration delay, Runnable command) {
        Objects.requireNonNull(delay, "delay");
        Objects.requireNonNull(command, "command");
        return runtime.schedule(delay, this, runtime.executeStage(), command);
    }

    @Override
    public Timer scheduleAtFixedRate(Duration delay, Duration period, Runnable command) {
        Objects.requireNonNull(delay, "delay");
        Objects.requireNonNull(command, "command");
        if (Objects.requireNonNull(period, "period").isNegative() || period.isZero()) {
            throw new IllegalArgumentException("period must be > 0: period=" + period);
        }
        return new PeriodicTimer(this, delay, TimeUnit.NANOSECONDS.convert(period), command);
    }

    @Override
    public boolean isCurrent() {
        return CoreThread.currentColorOrNull() == this;
    }

    /** Before a wait for what this color must do. Fails in its own events, for which the wait would never end. */
    void checkMayWait() {
        if (isCurrent()) {
            throw new IllegalStateException(
                    "waits for itself: the handler that waits runs in the color which must run what it waits for: color="
                            + slot());
        }
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
