// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

abstract class CoreLockField extends HeadPad {
    int state;
}

/**
 * The spin lock of a core. What is done under it takes some tens of nanoseconds, so nobody parks.
 *
 * <p><b>Threads.</b> The owner of the core waits for it, and so does who runs a color of this home for a group; a thief goes on to its next victim instead of waiting for long. Not reentrant.
 */
final class CoreLock extends CoreLockField {
    private static final int SPINS_BEFORE_YIELD = 256;

    /** Guess: a few holds of the lock, as the owner takes it again and again. */
    private static final int SPINS_OF_THIEF = 64;

    private static final VarHandle STATE = Handles.of(MethodHandles.lookup(), "state", int.class);

    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    /** Takes the lock if it is free. */
    boolean tryLock() {
        return (int) STATE.getOpaque(this) == 0 && STATE.compareAndSet(this, 0, 1);
    }

    /** Takes the lock if it comes free soon. False if it stayed taken: the holder may have lost its CPU. */
    boolean tryLockSoon() {
        for (int spins = 0; !tryLock(); spins++) {
            if (spins == SPINS_OF_THIEF) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /** Takes the lock. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint for the case that the holder lost its CPU; right without it
    void lock() {
        for (int spins = 0; !tryLock(); spins++) {
            if (spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                Thread.yield(); // the holder may have lost its CPU
            }
        }
    }

    /** Releases the lock; pairs with the CAS of the next {@link #tryLock}. */
    void unlock() {
        STATE.setRelease(this, 0);
    }

    /** Whether somebody holds it; for checks by who does. */
    boolean isLocked() {
        return state == 1;
    }
}
