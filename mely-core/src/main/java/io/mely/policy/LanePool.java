// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Lanes, and threads that run them, of which there may be more or fewer from time to time.
 *
 * <p>There is a permit for each lane at least, given after it was added. A thread that has taken a permit and finds no lane goes back for another. A thread that leaves, being one too many, gives back the permit that it has taken.
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> spec: stages §3.
 */
final class LanePool implements StageGroup.Sink {
    private static final AtomicLongFieldUpdater<LanePool> SERVED =
            AtomicLongFieldUpdater.newUpdater(LanePool.class, "served");

    private final Workers workers;
    private final String name;
    private final LaneQueue lanes;
    private final PoolSize size;
    private final @Nullable PoolController controller;
    private final Semaphore permits = new Semaphore(0);

    // guarded by this
    private boolean isStarted;
    private boolean isStopped;
    private int named; // threads started so far

    // written under the lock
    private volatile int threads;
    private volatile int wanted;

    private volatile long served; // lanes, for the controller

    LanePool(Workers workers, String name, PoolSize size, @Nullable PoolTuning tuning) {
        this.workers = workers;
        this.name = name;
        this.size = size;
        lanes = new LaneList(workers);
        controller = tuning == null
                ? null
                : new PoolController(tuning, workers.clock().nanoTime());
        wanted = size.initial();
    }

    @Override
    public void add(Lane lane) {
        lanes.add(lane);
        permits.release();
    }

    /** Lets the controller decide, if a period is over. */
    synchronized void control(long nowNs) {
        if (controller != null && controller.isDue(nowNs)) {
            resize(controller.tick(nowNs, waiting(), served, threads));
        }
    }

    /** The runtime has started. Fails if not one thread is to be had. */
    synchronized void start() {
        isStarted = true;
        fill();
        if (threads == 0 && !isStopped) {
            throw new IllegalStateException("no thread for pool " + name);
        }
    }

    /** Nothing runs any more. */
    synchronized void stop() {
        isStopped = true;
        permits.release(threads);
    }

    /** Sets how many threads there are to be, within the bounds of the pool. Who is one too many leaves when it looks for a lane. */
    synchronized void resize(int newWanted) {
        wanted = Math.max(size.min(), Math.min(newWanted, size.max()));
        permits.release(Math.max(0, threads - wanted)); // for those that wait
        fill();
    }

    /** Starts what is missing, as far as threads are to be had. */
    private void fill() {
        while (isStarted && !isStopped && threads < wanted) {
            int before = threads;
            threads = before + 1;
            if (!workers.startThread(name + "-" + named, this::run)) {
                threads = before; // who may have left meanwhile waits for the lock
                return;
            }
            named++;
        }
    }

    private void run(Worker worker) {
        boolean hasLeft = false;
        boolean goesOn = true;
        try {
            while (goesOn) {
                hasLeft = !takePermit();
                if (hasLeft) {
                    return;
                }
                Lane lane = lanes.poll();
                goesOn = lane == null || run(worker, lane);
            }
        } finally {
            if (!hasLeft) {
                left();
            }
        }
    }

    private boolean run(Worker worker, Lane lane) {
        boolean goesOn = worker.run(lane);
        if (controller != null) {
            SERVED.incrementAndGet(this);
        }
        return goesOn;
    }

    /** Waits for a permit. False if the thread has left the pool instead. */
    private boolean takePermit() {
        boolean isTaken;
        try {
            if (threads > size.min()) {
                isTaken = permits.tryAcquire(size.idleNs(), TimeUnit.NANOSECONDS);
            } else {
                permits.acquire();
                isTaken = true;
            }
        } catch (InterruptedException e) {
            return true; // nobody is meant to; it finds no lane, or takes what another's permit was for, who finds none
            // then
        }
        if (!leavesAsTooMany(!isTaken)) {
            return true;
        }
        if (isTaken) {
            permits.release();
        }
        return false;
    }

    /** Whether a thread was one too many. It has left then, so that the next one that asks counts without it. */
    private synchronized boolean leavesAsTooMany(boolean isIdle) {
        if (isIdle && threads > size.min()) {
            wanted = Math.min(wanted, threads - 1);
        }
        if (!isStopped && threads <= wanted) {
            return false;
        }
        left();
        return true;
    }

    private synchronized void left() {
        int before = threads;
        threads = before - 1;
    }

    /** How many threads there are. */
    int threads() {
        return threads;
    }

    /** How many lanes wait. A peek. */
    int waiting() {
        return lanes.size();
    }
}
