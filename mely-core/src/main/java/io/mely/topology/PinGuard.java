// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sets free the threads that begin on the CPU of a pinned core.
 *
 * <p>On Linux a thread begins with the CPUs of the thread that starts it. So what a handler on a pinned core starts
 * would share that core's CPU for as long as it lives: the common pool's threads and the carriers of virtual threads,
 * whom the whole JVM uses, and any pool that is not filled yet. To start them beforehand does not help: idle threads of
 * these pools end after 30 to 60 s, and the next handler starts others.
 *
 * <p>So somebody looks at the process's threads now and then. One that is new, no core, and confined to a core's CPU
 * gets all CPUs of the process. A thread that binds itself there later is left alone.
 *
 * <p><b>Threads.</b> Any; the guard is its own lock. <b>Costs.</b> A look reads a folder, 50 us with 30 threads, and
 * asks the kernel about each new thread. <b>Errors.</b> None: without {@code /proc} nobody is guarded.
 */
public final class PinGuard {
    /** From look to look: at 50 us a look that takes one CPU in 2,000. */
    public static final long PERIOD_NS = 100_000_000;

    /** Of this process, whose runtimes share it: a core of one is no stray thread of another. */
    public static final PinGuard OF_PROCESS = new PinGuard();

    private static final Path SELF = Path.of("/proc/thread-self"); // a link to 1234/task/1240
    private static final File THREADS = new File("/proc/self/task");

    private final Map<Integer, Integer> cpus = new HashMap<>(); // of each pinned thread, by its number
    private Set<Integer> known = Set.of();

    PinGuard() {}

    /**
     * Registers the calling thread, which is about to be pinned.
     *
     * @return whether the caller has to make somebody {@link #look}, from now on until that returns false
     */
    public synchronized boolean enter(int cpu) {
        Set<Integer> threads = threads();
        Integer self = self();
        if (threads == null || self == null || Cpus.allowed().size() < 2) {
            return false;
        }
        boolean isFirst = cpus.isEmpty();
        if (isFirst) {
            known = threads;
        }
        cpus.put(self, cpu);
        return isFirst;
    }

    /** Looks once; whether there are pinned threads still. */
    public synchronized boolean look() {
        Set<Integer> threads = threads();
        if (threads == null) {
            return true; // no descriptor is left, say
        }
        for (int thread : threads) {
            if (!known.contains(thread) && !cpus.containsKey(thread)) {
                lookAt(thread);
            }
        }
        known = threads;
        cpus.keySet().retainAll(threads);
        return !cpus.isEmpty();
    }

    private void lookAt(int thread) {
        try {
            CpuSet mask = LinuxAffinity.get(thread);
            if (mask.size() == 1 && cpus.containsValue(mask.first())) {
                LinuxAffinity.set(thread, Cpus.allowed());
            }
        } catch (UnsupportedOperationException e) {
            return; // it has ended
        }
    }

    /** The kernel's number of the calling thread; null where it does not say. */
    private static @Nullable Integer self() {
        try {
            return Integer.valueOf(Files.readSymbolicLink(SELF).getFileName().toString());
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /** The numbers of all threads; null when they cannot be read. */
    private static @Nullable Set<Integer> threads() {
        String[] names = THREADS.list();
        return names == null ? null : Arrays.stream(names).map(Integer::valueOf).collect(Collectors.toSet());
    }
}
