// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * How many events of a stage wait, and may wait.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> All who send or run the stage's events write one line of memory.
 */
final class StageBound extends HeadPad {
    private static final AtomicIntegerFieldUpdater<StageBound> WAITING =
            AtomicIntegerFieldUpdater.newUpdater(StageBound.class, "waiting");

    private final int most;

    private volatile int waiting;

    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    StageBound(int most) {
        this.most = most;
    }

    /**
     * Counts an event that is about to be sent.
     *
     * @param isDue it was promised a place before: it is let in anyway
     * @return false if too many wait
     */
    boolean tryEnter(boolean isDue) {
        int known;
        do {
            known = waiting;
            if (known >= most && !isDue) {
                return false;
            }
        } while (!WAITING.compareAndSet(this, known, known + 1));
        return true;
    }

    /** How many wait now. */
    int waiting() {
        return waiting;
    }

    /** It was not sent after all, or its handler is about to be called. */
    void leave() {
        int before = WAITING.getAndDecrement(this);
        assert before > 0 : "left without having entered: waiting=" + before;
    }
}
