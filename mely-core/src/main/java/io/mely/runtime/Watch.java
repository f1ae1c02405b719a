// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks after cores that stand still: that are awake and have made no step for {@link #STILL_NS}.
 *
 * <p><b>Relief.</b> If its worker is in a handler, the core is given to another worker of its {@link Crew}, which goes on with its sockets, its timers and its other colors. The
 * handler's color stays with the old worker until that returns. One more thread needs a CPU. So this is done only if
 *
 * <ul>
 *   <li>the worker waits, and so needs none;
 *   <li>or another core has slept meanwhile, and something may wait here that it cannot take: {@link Core#hasItsOwn};
 *   <li>or nothing has helped for {@link #LATE_NS}.
 * </ul>
 *
 * Else what waits in the core's queues is loot, and a thief is called.
 *
 * <p>Where all cores compute, a worker may stand still only because it has lost its CPU. One more thread would take the CPU of the next: then all of them are late, and the longer for it.
 *
 * <h2>Who looks</h2>
 *
 * <pre>
 *   some cores sleep, some are awake   a thread of its own, each {@link #LOOK_NS}: a CPU is free for that
 *   all are awake                      they look after each other when they poll, as all cores do; the thread each {@link #FAR_NS}, as all of them may stand still
 *   all sleep                          nobody
 * </pre>
 *
 * <p>Before the thread goes to sleep it says so, and then looks at the cores' announcements once more. A core that wakes takes its announcement back, and then looks
 * whether the thread sleeps. One of them sees the other.
 *
 * <p><b>Costs.</b> A look of the thread takes some microseconds of CPU time, 5 to 40 by the machine. <b>Source.</b> the system monitor of Go's scheduler.
 */
final class Watch {
    /** Who makes no step for so long stands still: twenty times what it takes to wake another worker, so that this pays, and half of what a socket may wait. With 0.5 ms the skewed server, whose long events take as long, had a p99 several times as long. */
    static final long STILL_NS = 1_000_000;

    /** The same where one more thread would take a CPU from others, or has nothing to do that a thief cannot. Source: Go takes a processor from a goroutine after as long. */
    private static final long LATE_NS = 10_000_000;

    /** The thread's time between two looks, while another CPU is idle: they take 1 to 4 % of that. */
    private static final long LOOK_NS = 1_000_000;

    /** The cores' time between two looks: what it takes is a few loads. */
    private static final long CORE_LOOK_NS = STILL_NS / 2;

    /** The thread's time between two looks while every core is awake: there the one bound is the late one. */
    private static final long FAR_NS = LATE_NS / 2;

    /** So many looks in a row at cores that all sleep, and the thread sleeps too: to wake it costs as much as a look or two. */
    private static final int IDLE_LOOKS = 4;

    private final Core[] cores;
    private final Stalls stalls;
    // of who looks
    private final long[] seen; // steps of each core at the last look
    private final long[] seenAtNs; // when it was first seen to have made as many
    private final long[] seenSleeps; // of all cores, then

    private final AtomicBoolean isLooking = new AtomicBoolean();
    private volatile long lookedAtNs;
    private volatile @Nullable Thread thread;
    private volatile boolean isAsleep; // the thread, until a core wakes

    Watch(Core[] cores, Stalls stalls) {
        this.cores = cores;
        this.stalls = stalls;
        seen = new long[cores.length];
        seenAtNs = new long[cores.length];
        seenSleeps = new long[cores.length];
    }

    void start(String name) {
        Thread started = new Thread(null, this::run, name, 0, false);
        started.setDaemon(true);
        started.setContextClassLoader(null);
        started.start();
        thread = started;
    }

    /** A core has woken, or has come to its end. That core. */
    void coreWoke() {
        if (isAsleep) {
            isAsleep = false;
            LockSupport.unpark(thread);
        }
    }

    /** A core that polls looks after the others, if nobody has for a while. */
    void lookIfDue(long nowNs) {
        if (nowNs - lookedAtNs >= CORE_LOOK_NS && thread != null) {
            int unused = lookSafely();
        }
    }

    private void run() {
        int idle = 0;
        while (!areOver()) {
            int awake = lookSafely();
            boolean unused = stalls.look(cores[0].clock.nanoTime());
            idle = awake == 0 ? idle + 1 : 0;
            if (idle == IDLE_LOOKS) {
                idle = 0;
                sleepWithCores();
            } else {
                LockSupport.parkNanos(this, awake == cores.length ? FAR_NS : LOOK_NS);
            }
        }
    }

    /** Sleeps until a core wakes. */
    private void sleepWithCores() {
        isAsleep = true;
        if (countAwake() == 0 && !areOver()) {
            if (stalls.look(cores[0].clock.nanoTime())) { // a handler whose core goes on without it
                LockSupport.parkNanos(this, stalls.lookNs());
            } else {
                LockSupport.park(this);
            }
        }
        isAsleep = false;
    }

    /** Want of memory for one more thread, or a waker that throws, is no reason to end. */
    private int lookSafely() {
        try {
            return look(STILL_NS);
        } catch (Throwable e) {
            Lifecycle.logError("a look at cores that may stand still failed; it is repeated", e);
            return countAwake();
        }
    }

    /** One look at every core, unless another thread looks; who has made no step for so long stands still. The thread, a core, a test or a simulator. Returns how many are awake. */
    int look(long stillNs) {
        if (!isLooking.compareAndSet(false, true)) {
            return countAwake();
        }
        try {
            long nowNs = cores[0].clock.nanoTime();
            lookedAtNs = nowNs;
            boolean isOneAsleep = countAwake() < cores.length;
            long sleeps = countSleeps();
            int awake = 0;
            for (int i = 0; i < cores.length; i++) {
                Core core = cores[i];
                if (core.isAsleep()) {
                    seen[i] = -1;
                    continue;
                }
                awake++;
                long steps = core.steps();
                if (steps != seen[i]) {
                    seen[i] = steps;
                    seenAtNs[i] = nowNs;
                    seenSleeps[i] = sleeps;
                } else if (nowNs - seenAtNs[i] >= stillNs) {
                    boolean isLate = nowNs - seenAtNs[i] >= LATE_NS;
                    boolean isCpuFree = isOneAsleep || sleeps != seenSleeps[i];
                    core.standsStill(steps, isLate || core.isWaiting() || (isCpuFree && core.hasItsOwn()));
                }
            }
            return awake;
        } finally {
            isLooking.set(false);
        }
    }

    private boolean areOver() {
        for (Core core : cores) {
            if (!core.isOver) {
                return false;
            }
        }
        return true;
    }

    /** How often cores have gone to sleep. */
    private long countSleeps() {
        long sleeps = 0;
        for (Core core : cores) {
            sleeps += core.sleeps();
        }
        return sleeps;
    }

    private int countAwake() {
        int awake = 0;
        for (Core core : cores) {
            awake += core.isAsleep() ? 0 : 1;
        }
        return awake;
    }
}
