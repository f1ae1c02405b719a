// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import io.mely.topology.Pinning;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a worker. It knows which, so that a send finds its core without a thread-local.
 *
 * <p>A test or a simulator makes one thread of this class be many workers in turn, and sets the field before each.
 */
public final class CoreThread extends Thread {
    /** Written by this thread only. */
    @Nullable
    EventWorker worker;

    private @Nullable String name;
    private int priority;
    private @Nullable ClassLoader loader;

    /** Makes a thread, not started. */
    public CoreThread(Runnable body, String name) {
        super(null, body, name, 0, false);
        setDaemon(false); // else inherited from whoever starts the runtime
    }

    /** The thread is set up: handlers find it so. Before its start. */
    void remember() {
        name = getName();
        priority = getPriority();
        loader = getContextClassLoader();
    }

    /** What a handler has left changed is not for the next color's. This thread. */
    @SuppressWarnings("ThreadPriorityCheck") // the program has set it
    void restore() {
        if (getContextClassLoader() != loader) {
            setContextClassLoader(loader);
        }
        if (getPriority() != priority) {
            setPriority(priority);
        }
        String before = name;
        if (before != null && !before.equals(getName())) {
            setName(before);
        }
    }

    /** The color whose event runs on the calling thread. Fails outside a handler, and in one that runs an event without a color. */
    public static Color currentColor() {
        Color color = currentColorOrNull();
        if (color == null) {
            throw new IllegalStateException("Color.current() needs a handler that runs in a color: thread="
                    + Thread.currentThread().getName());
        }
        return color;
    }

    /**
     * Does what may start threads, the carriers of virtual ones included. They would begin with the CPUs of the calling thread; if that is a pinned core
     * they would wait for its CPU while others idle, so it is unpinned for that long.
     */
    static void startingThreads(Runnable starting) {
        if (Thread.currentThread() instanceof CoreThread thread
                && thread.worker instanceof CoreWorker worker
                && worker.core.cpu >= 0) {
            Pinning.doUnpinned(worker.core.cpu, starting);
        } else {
            starting.run();
        }
    }

    static @Nullable ColorImpl currentColorOrNull() {
        EventWorker worker = Thread.currentThread() instanceof CoreThread thread ? thread.worker : null;
        return worker == null ? null : worker.runtime.runningColor(worker);
    }

    /** The worker a thread is, if it belongs to the runtime; null for a thread outside that runtime. */
    static @Nullable EventWorker workerOf(Thread thread, MelyRuntime runtime) {
        EventWorker worker = thread instanceof CoreThread coreThread ? coreThread.worker : null;
        return worker != null && worker.runtime == runtime ? worker : null;
    }
}
