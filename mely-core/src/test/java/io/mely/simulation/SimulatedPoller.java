// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import io.mely.spi.Poller;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/** What a simulated core sleeps in: keeps a wake-up until the core next parks, as a thread's permit does, and delivers arrivals. */
final class SimulatedPoller implements Poller {
    private final Consumer<SimulatedPoller> onWakeup;
    private final ArrayDeque<Runnable> arrivals = new ArrayDeque<>();
    private boolean hasPermit;
    private boolean isClosed;

    SimulatedPoller(Consumer<SimulatedPoller> onWakeup) {
        this.onWakeup = onWakeup;
    }

    /** Something for the core's next poll, as a network brings it. */
    void arrive(Runnable what) {
        if (!isClosed) {
            arrivals.add(what);
        }
    }

    boolean isCalled() {
        return hasPermit || !arrivals.isEmpty();
    }

    /** The end of a sleep. */
    void unpark() {
        hasPermit = false;
        poll();
    }

    @Override
    public int poll() {
        int done = 0;
        for (Runnable what = arrivals.poll(); what != null; what = arrivals.poll()) {
            what.run();
            done++;
        }
        return done;
    }

    @Override
    public int block(long timeoutNs) {
        throw new IllegalStateException("the simulator parks the core itself: timeoutNs=" + timeoutNs);
    }

    @Override
    public boolean mayChangeThread() {
        return true;
    }

    @Override
    public void wakeup() {
        hasPermit = true;
        onWakeup.accept(this);
    }

    @Override
    public void close() {
        isClosed = true;
        arrivals.clear();
    }
}
