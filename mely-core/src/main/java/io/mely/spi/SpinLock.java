// SPDX-License-Identifier: Apache-2.0
package io.mely.spi;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

abstract class SpinLockHeadPad {
    @SuppressWarnings("unused")
    private long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;
}

abstract class SpinLockField extends SpinLockHeadPad {
    volatile int state;
}

/**
 * A lock on cache lines of its own, which is spun for: for what a core or a group does in some tens of nanoseconds. Its holder may have lost its CPU all the same, so a
 * long wait yields.
 *
 * <p><b>Threads.</b> Any; not reentrant. Under it nobody takes another lock, waits, or calls a {@link Worker} or {@link Workers#wake}.
 */
public final class SpinLock extends SpinLockField {
    private static final int SPINS_BEFORE_YIELD = 256;
    private static final AtomicIntegerFieldUpdater<SpinLockField> STATE =
            AtomicIntegerFieldUpdater.newUpdater(SpinLockField.class, "state");

    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    /** Makes one that is free. */
    public SpinLock() {}

    /** Takes the lock. */
    public void lock() {
        if (!STATE.compareAndSet(this, 0, 1)) {
            lockWhenFree();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // a hint for the case that the holder lost its CPU; right without it
    private void lockWhenFree() {
        for (int spins = 0; !tryLock(); spins++) {
            if (spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /**
     * Takes the lock if it is free.
     *
     * @return whether it is the caller's
     */
    public boolean tryLock() {
        return state == 0 && STATE.compareAndSet(this, 0, 1);
    }

    /** Releases the lock; pairs with the CAS of the next holder. */
    public void unlock() {
        STATE.lazySet(this, 0);
    }

    /**
     * Whether somebody holds it; for checks by who does.
     *
     * @return true if it is held
     */
    public boolean isLocked() {
        return state == 1;
    }
}
