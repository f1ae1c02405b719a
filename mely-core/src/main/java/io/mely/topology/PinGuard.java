// SPDX-License-Identifier: Apache-2.0
package io.mely.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

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
 * a file for each new thread. <b>Errors.</b> None: without {@code /proc} nobody is guarded.
 */
public final class PinGuard implements Runnable {
    /** Of this process, whose runtimes share it: a core of one is no stray thread of another. */
    public static final PinGuard OF_PROCESS = new PinGuard();

    private static final long PERIOD_NS = 100_000_000; // at 50 us a look that takes one CPU in 2,000
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path SELF = Path.of("/proc/thread-self"); // a link to 1234/task/1240

    private final Map<String, Integer> pinned = new HashMap<>(); // CPUs by the number of the thread
    private Set<String> known = Set.of();

    PinGuard() {}

    /** Registers the calling thread, which is about to be pinned: whether the caller has to make somebody {@link #run} the guard. */
    public synchronized boolean enter(int cpu) {
        try {
            String self = Files.readSymbolicLink(SELF).getFileName().toString();
            boolean isFirst = pinned.isEmpty();
            if (isFirst) {
                known = threads();
            }
            pinned.put(self, cpu);
            return isFirst;
        } catch (IOException | RuntimeException e) {
            return false; // not Linux
        }
    }

    /** Looks now and then, as long as there are pinned threads. */
    @Override
    public void run() {
        while (look()) {
            LockSupport.parkNanos(this, PERIOD_NS);
        }
    }

    /** Looks once; whether there are pinned threads still. */
    synchronized boolean look() {
        try {
            Set<String> threads = threads();
            threads.removeIf(thread -> !known.contains(thread) && !pinned.containsKey(thread) && !isLookedAt(thread));
            known = threads;
            pinned.keySet().retainAll(threads);
        } catch (IOException e) {
            return true; // no descriptor is left
        }
        return !pinned.isEmpty();
    }

    /** False if it has ended, or no descriptor is left: if it is there it is looked at again. */
    private boolean isLookedAt(String thread) {
        try {
            CpuSet mask = Cpus.mask(THREADS.resolve(thread).resolve("status"));
            if (mask.size() == 1 && pinned.containsValue(mask.first())) {
                Pinning.set(Integer.parseInt(thread), Cpus.allowed());
            }
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static Set<String> threads() throws IOException {
        String[] names = THREADS.toFile().list();
        if (names == null) {
            throw new IOException(THREADS + " cannot be read");
        }
        return new HashSet<>(Arrays.asList(names));
    }
}
