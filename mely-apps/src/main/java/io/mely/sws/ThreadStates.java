// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ThreadState} for each thread that runs handlers. A thread gets its own when it first asks; one that has ended leaves its to the next.
 *
 * <p>A thread that has left its pool runs for some microseconds more, and its successor may ask before it has ended. Then the successor waits for that.
 *
 * <p><b>Threads.</b> Any. <b>Bounds.</b> As many as the runtime has threads at once. <b>Costs.</b> One thread-local read. <b>Errors.</b>
 * {@link IllegalStateException} if there are more threads than were announced.
 */
final class ThreadStates {
    /** Far longer than the end of a thread takes. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

    private static final long LOOK_NS = 100_000;

    @SuppressWarnings("ThreadLocalUsage") // a server's own: its threads end with it
    private final ThreadLocal<@Nullable ThreadState> own = new ThreadLocal<>();

    private final IntFunction<ThreadState> maker;
    private final int threadsMax;
    private final long patienceNs;
    private volatile ThreadState[] all = {}; // replaced by who holds this

    /**
     * Makes none yet.
     *
     * @param threadsMax most threads at once
     * @param maker of the state with an index, below threadsMax
     */
    ThreadStates(int threadsMax, IntFunction<ThreadState> maker) {
        this(threadsMax, maker, PATIENCE_NS);
    }

    /** The same, with another wait for threads to end. */
    ThreadStates(int threadsMax, IntFunction<ThreadState> maker, long patienceNs) {
        this.threadsMax = threadsMax;
        this.maker = maker;
        this.patienceNs = patienceNs;
    }

    /** The calling thread's. */
    ThreadState own() {
        ThreadState state = own.get();
        return state != null ? state : take();
    }

    private synchronized ThreadState take() {
        ThreadState state = all.length < threadsMax ? leftOrMade() : awaitLeft();
        state.owner = Thread.currentThread();
        own.set(state);
        return state;
    }

    private ThreadState leftOrMade() {
        ThreadState left = left();
        if (left != null) {
            return left;
        }
        int index = all.length;
        ThreadState made = maker.apply(index);
        ThreadState[] more = Arrays.copyOf(all, index + 1);
        more[index] = made;
        all = more;
        return made;
    }

    private ThreadState awaitLeft() {
        long fromNs = System.nanoTime();
        ThreadState left = left();
        while (left == null) {
            if (System.nanoTime() - fromNs >= patienceNs) {
                throw new IllegalStateException("more threads than were announced: threads=" + threadsMax);
            }
            LockSupport.parkNanos(this, LOOK_NS);
            left = left();
        }
        return left;
    }

    /** Of a thread that has ended, so that what it wrote is seen; null if there is none. */
    private @Nullable ThreadState left() {
        for (ThreadState each : all) {
            if (!each.owner.isAlive()) {
                return each;
            }
        }
        return null;
    }

    /** Those that there are by now. */
    List<ThreadState> all() {
        return Arrays.asList(all);
    }
}
