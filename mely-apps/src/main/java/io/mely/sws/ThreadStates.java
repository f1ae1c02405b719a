// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ThreadState} for each thread that runs handlers. A thread gets its own when it first asks; one that has ended leaves its to the next.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> As many as the runtime has threads at once. <b>Costs.</b> One thread-local read.
 */
final class ThreadStates {
    @SuppressWarnings("ThreadLocalUsage") // a server's own: its threads end with it
    private final ThreadLocal<@Nullable ThreadState> own = new ThreadLocal<>();

    private final IntFunction<ThreadState> maker;
    private final int threadsMax;
    private volatile ThreadState[] all = {}; // replaced by who holds this

    /**
     * Makes none yet.
     *
     * @param maker of the state with an index
     */
    ThreadStates(int threadsMax, IntFunction<ThreadState> maker) {
        this.threadsMax = threadsMax;
        this.maker = maker;
    }

    /** The calling thread's. */
    ThreadState own() {
        ThreadState state = own.get();
        return state != null ? state : take();
    }

    private synchronized ThreadState take() {
        Thread thread = Thread.currentThread();
        ThreadState free = null;
        for (ThreadState each : all) {
            if (!each.owner.isAlive()) { // so what it wrote is seen
                free = each;
            }
        }
        if (free == null) {
            int index = all.length;
            if (index == threadsMax) {
                throw new IllegalStateException("more threads than were announced: threads=" + threadsMax);
            }
            free = maker.apply(index);
            ThreadState[] more = Arrays.copyOf(all, index + 1);
            more[index] = free;
            all = more;
        }
        free.owner = thread;
        own.set(free);
        return free;
    }

    /** Those that there are by now. */
    List<ThreadState> all() {
        return Arrays.asList(all);
    }
}
