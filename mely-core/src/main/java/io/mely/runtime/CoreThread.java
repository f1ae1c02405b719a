// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a core. It knows which core it steps, so that a send finds its core without a thread-local.
 *
 * <p>A test or a simulator makes one thread of this class step many cores in turn, and sets the field before each.
 */
public final class CoreThread extends Thread {
    /** Written by this thread only. */
    @Nullable
    EngineCore core;

    /**
     * Makes a thread, not started.
     *
     * @param body what it runs
     * @param name of the thread
     */
    public CoreThread(Runnable body, String name) {
        super(null, body, name, 0, false);
        setDaemon(false); // else inherited from whoever starts the runtime
    }

    /**
     * The color whose event runs on the calling thread.
     *
     * @return the running color
     * @throws IllegalStateException outside a handler
     */
    public static Color currentColor() {
        Color color = currentColorOrNull();
        if (color == null) {
            throw new IllegalStateException("Color.current() needs a running handler: thread="
                    + Thread.currentThread().getName());
        }
        return color;
    }

    /**
     * Does what may start threads, the carriers of virtual ones included. They would begin with the CPUs of the calling thread; if that is a pinned core
     * they would wait for its CPU while others idle, so it is unpinned for that long.
     */
    static void startingThreads(Runnable starting) {
        EngineCore core = Thread.currentThread() instanceof CoreThread thread ? thread.core : null;
        if (core == null || core.cpu < 0) {
            starting.run();
        } else {
            core.engine().doUnpinned(core, starting);
        }
    }

    static @Nullable EngineColor currentColorOrNull() {
        EngineCore core = Thread.currentThread() instanceof CoreThread thread ? thread.core : null;
        return core == null ? null : core.runningColor();
    }

    /**
     * The core a thread steps, if that core belongs to the runtime.
     *
     * @param thread any
     * @param runtime whose cores count
     * @return null for a thread outside that runtime
     */
    public static @Nullable EngineCore coreOf(Thread thread, EngineRuntime runtime) {
        if (thread instanceof CoreThread coreThread) {
            EngineCore core = coreThread.core;
            if (core != null && core.engine() == runtime) {
                return core;
            }
        }
        return null;
    }
}
