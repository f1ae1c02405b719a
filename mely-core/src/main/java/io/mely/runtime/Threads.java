// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.topology.PinGuard;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** What later JDKs know of threads, reached without requiring them: virtual threads are final from JDK 21. */
final class Threads {
    private static final @Nullable MethodHandle IS_VIRTUAL = find();

    private Threads() {}

    /** Whether a thread is virtual; false on JDKs that have none. */
    static boolean isVirtual(Thread thread) {
        MethodHandle isVirtual = IS_VIRTUAL;
        if (isVirtual == null) {
            return false;
        }
        try {
            return (boolean) isVirtual.invokeExact(thread);
        } catch (Throwable e) {
            throw new AssertionError("Thread.isVirtual does not throw", e);
        }
    }

    /** An executor of one virtual thread per call; null on JDKs that have none. */
    static @Nullable ExecutorService virtualThreads() {
        if (IS_VIRTUAL == null) {
            return null;
        }
        try {
            return (ExecutorService) MethodHandles.publicLookup()
                    .findStatic(
                            java.util.concurrent.Executors.class,
                            "newVirtualThreadPerTaskExecutor",
                            MethodType.methodType(ExecutorService.class))
                    .invoke();
        } catch (Throwable e) {
            return null; // a preview JDK without the feature enabled
        }
    }

    /**
     * Sees to it that what the calling thread starts once it is pinned does not stay on its CPU for long.
     *
     * @param cpu where it is about to be pinned
     */
    static void guardPin(int cpu) {
        PinGuard guard = PinGuard.OF_PROCESS;
        if (guard.enter(cpu)) {
            Thread thread = new Thread(
                    null,
                    () -> {
                        while (guard.look()) {
                            LockSupport.parkNanos(guard, PinGuard.PERIOD_NS);
                        }
                    },
                    "mely-pin-guard",
                    0,
                    false);
            thread.setDaemon(true);
            thread.setContextClassLoader(null); // it may outlive who started it
            thread.start();
        }
    }

    private static @Nullable MethodHandle find() {
        try {
            return Runtime.version().feature() < 21
                    ? null
                    : MethodHandles.publicLookup()
                            .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
