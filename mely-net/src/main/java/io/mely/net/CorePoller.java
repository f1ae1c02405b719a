// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import io.mely.spi.Poller;
import io.netty.util.concurrent.FastThreadLocal;
import java.lang.System.Logger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Steps one event loop in the rhythm of its core.
 *
 * <pre>
 *   NEW ── start ──► STEPPED ── the loop is shut down by its user ──► PARKED ── close ──► CLOSED
 *    │                  └────────────────────── close ───────────────────────────────────►│
 *    └────────────────────────── close, by any thread ───────────────────────────────────►┘
 *
 *   PARKED   the runtime goes on without a network; the core's thread parks
 * </pre>
 *
 * Whose thread steps may change between two turns: see {@link #takeOver}, and {@link CoreEventLoop} for why.
 *
 * <h2>No wake-up is lost</h2>
 *
 * The loop announces its sleep, asks {@link Seat#mayBlock} and sleeps; {@link #wakeup} takes the announcement back and writes to the
 * eventfd only if there was one. A loop that is being shut down ignores wake-ups, but does not sleep either; one that was, leaves the
 * sleeping to the thread's permit.
 *
 * <h2>No report is lost</h2>
 *
 * A report of readiness that its handler refuses stays in {@link OwedReports}, which is emptied here.
 */
final class CorePoller implements Poller {
    private static final Logger LOGGER = System.getLogger(CorePoller.class.getName());

    /** Longest time for the loop's own tasks in one poll: the default time slice of a core. */
    private static final long TASKS_NS = 100_000;

    /** Turns a loop is given to terminate; it needs one, if none fails. */
    private static final int CLOSE_TURNS_MAX = 1_000;

    private final CoreEventLoopGroup group;
    private final Transport transport;
    private final Seat seat;
    private final CoreEventLoop loop;
    private final OwedReports owed;
    private volatile @Nullable Thread owner;
    private boolean isParked; // in turns, as isClosed
    private boolean isClosed;

    CorePoller(CoreEventLoopGroup group, Transport transport, Seat seat, CoreEventLoop loop) {
        this.group = group;
        this.transport = transport;
        this.seat = seat;
        this.loop = loop;
        owed = loop.owed();
    }

    @Override
    public void start() {
        owner = Thread.currentThread();
    }

    @Override
    public boolean mayChangeThread() {
        return true;
    }

    /**
     * {@inheritDoc} That thread may go on to use the loop's channels and sockets, as any other may.
     *
     * <p><b>Costs.</b> A write. What Netty keeps for the old thread, such as its allocator's arena, stays with that thread until it ends.
     */
    @Override
    public void takeOver() {
        owner = Thread.currentThread();
    }

    @Override
    public int poll() {
        int taken = owed.offer(); // first: they are the oldest
        if (isParked) {
            return taken;
        }
        try {
            int handled = loop.runNow(TASKS_NS);
            return taken + handled + parkedIfTerminated();
        } catch (Throwable e) {
            return failed(e);
        }
    }

    @Override
    public int block(long timeoutNs) {
        long restNs = owed.isEmpty() ? timeoutNs : Math.min(timeoutNs, OwedReports.RETRY_NS);
        if (isParked) {
            if (seat.mayBlock()) {
                LockSupport.parkNanos(this, restNs);
            }
            return owed.offer();
        }
        try {
            int handled = loop.run(transport.restNs(restNs), TASKS_NS);
            return handled + owed.offer() + parkedIfTerminated();
        } catch (Throwable e) {
            return failed(e);
        }
    }

    /** Netty catches what channels throw; this is an error of the machine or a bug, and no reason for a core to die. */
    private int failed(Throwable e) {
        LOGGER.log(Logger.Level.ERROR, "event loop of core " + seat.core() + " failed; it goes on", e);
        return 1;
    }

    private int parkedIfTerminated() {
        if (!loop.isTerminated()) {
            return 0;
        }
        isParked = true;
        group.loopTerminated();
        return 1;
    }

    @Override
    public void wakeup() {
        if (loop.isShuttingDown()) {
            LockSupport.unpark(owner); // null before the start: then there is no sleep to end
        } else {
            loop.wakeup();
        }
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        loop.seal();
        loop.close();
        for (int turns = 0; !loop.isTerminated() && turns < CLOSE_TURNS_MAX; turns++) {
            try {
                loop.runNow(0);
            } catch (Throwable e) {
                failed(e);
            }
        }
        if (!isParked) {
            group.loopTerminated();
        }
        if (owner == Thread.currentThread()) {
            FastThreadLocal.removeAll(); // gives back what Netty's allocator keeps for this thread
        }
    }
}
