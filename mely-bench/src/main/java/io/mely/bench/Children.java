// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Processes that a measurement has started: none outlives it, however it ends. */
public final class Children {
    private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ALIVE.forEach(Children::kill), "children"));
    }

    private Children() {}

    /**
     * Ends a process when this one ends.
     *
     * @param child that was started
     * @return the same
     */
    public static Process endWithUs(Process child) {
        ALIVE.add(child);
        CompletableFuture<?> unused = child.onExit().thenAccept(ALIVE::remove);
        return child;
    }

    private static void kill(Process child) {
        child.descendants().forEach(ProcessHandle::destroyForcibly);
        child.destroyForcibly();
    }
}
