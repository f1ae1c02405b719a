// SPDX-License-Identifier: Apache-2.0
package io.mely;

import io.mely.spi.Poller;
import java.util.concurrent.locks.LockSupport;

/** Parks, as a core without I/O; a base for pollers that do more. */
class ParkingPoller implements Poller {
    private final Seat seat;
    private volatile Thread owner;

    ParkingPoller(Seat seat) {
        this.seat = seat;
    }

    final Seat seat() {
        return seat;
    }

    @Override
    public void start() {
        owner = Thread.currentThread();
    }

    @Override
    public boolean mayChangeThread() {
        return true;
    }

    @Override
    public void takeOver() {
        owner = Thread.currentThread();
    }

    @Override
    public int poll() {
        return 0;
    }

    @Override
    public int block(long timeoutNs) {
        if (seat.mayBlock()) {
            LockSupport.parkNanos(this, timeoutNs);
        }
        return 0;
    }

    @Override
    public void wakeup() {
        LockSupport.unpark(owner);
    }
}
