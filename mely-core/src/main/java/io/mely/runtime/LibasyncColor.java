// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A color of a libasync engine, and its entry in the paper's map from colors to cores.
 *
 * <pre>
 *   home &gt;= 0   the core it lives on; changed under that core's lock
 *   home &lt; 0    in transit to core ~home: senders wait
 * </pre>
 *
 * <p>In libasync-mp it is the core that ran the color last, and a hint.
 */
final class LibasyncColor extends MixedColor implements EngineColor {
    private static final VarHandle HOME;

    static {
        try {
            HOME = MethodHandles.lookup().findVarHandle(LibasyncColor.class, "home", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LibasyncRuntime runtime;
    private final int slot;
    private int home;

    LibasyncColor(LibasyncRuntime runtime, int slot, int home) {
        this.runtime = runtime;
        this.slot = slot;
        this.home = home;
    }

    @Override
    public LibasyncRuntime runtime() {
        return runtime;
    }

    @Override
    public boolean sendEvent(EngineStage<?> stage, @Nullable Object event) {
        return send(stage, event, false);
    }

    boolean send(EngineStage<?> stage, @Nullable Object event, boolean isFirst) {
        Worker worker = CoreThread.workerOf(Thread.currentThread(), runtime);
        return worker != null
                ? ((LibasyncCore) worker.core).send(this, stage, event, isFirst)
                : runtime.sendFromOutside(this, stage, event, isFirst);
    }

    /** Pairs with {@link #homeRelease}. */
    int homeAcquire() {
        return (int) HOME.getAcquire(this);
    }

    void homeRelease(int core) {
        HOME.setRelease(this, core);
    }

    @Override
    public int slot() {
        return slot;
    }

    @Override
    public int homeCore() {
        int core = homeAcquire();
        return core >= 0 ? core : ~core;
    }

    @Override
    public String toString() {
        return "Color{slot=" + slot + ", home=" + homeCore() + "}";
    }
}
