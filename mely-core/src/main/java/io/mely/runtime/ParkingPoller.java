// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.spi.Poller;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A core without I/O parks. A wake-up before the park is kept by the thread's permit, so none is lost. */
final class ParkingPoller implements Poller {
    private final Seat seat;
    private volatile @Nullable Thread owner;

    ParkingPoller(Seat seat) {
        this.seat = seat;
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
            if (timeoutNs == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, timeoutNs);
            }
        }
        return 0;
    }

    @Override
    public void wakeup() {
        LockSupport.unpark(owner); // null before the start: then there is no sleep to end
    }
}
