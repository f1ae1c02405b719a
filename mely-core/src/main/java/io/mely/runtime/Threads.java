// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** What later JDKs know of threads, reached without requiring them: virtual threads are final from JDK 21. */
final class Threads {
    private static final @Nullable MethodHandle IS_VIRTUAL = find();

    private Threads() {}

    /** Whether a thread is virtual; false on JDKs that have none. */
    static boolean isVirtual(Thread thread) {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
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
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            return null; // a preview JDK without the feature enabled
        }
    }

    private static @Nullable MethodHandle find() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
