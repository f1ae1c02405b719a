// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.queue.EventRecord;
import io.mely.queue.RecordDepot;
import io.mely.queue.RecordPool;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

abstract class SenderHeadPad {
    @SuppressWarnings("unused")
    private long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;
}

abstract class SenderHotFields extends SenderHeadPad {
    long sent;
    long refused;
}

/**
 * What one sending thread owns: its pool of event records and its half of the books.
 *
 * <p>{@code sent} counts every attempt, {@code refused} those answered false; each has one writer. A reader that sums first the run and
 * refused counters and then the sent ones, with acquire, and finds them equal, knows that nothing was pending in between: all of
 * them only grow, and {@code sent >= run + refused} at every moment.
 *
 * <p><b>Threads.</b> Its owner; the counters may be read by any.
 */
final class Sender extends SenderHotFields {
    private static final VarHandle SENT;
    private static final VarHandle REFUSED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SENT = lookup.findVarHandle(SenderHotFields.class, "sent", long.class);
            REFUSED = lookup.findVarHandle(SenderHotFields.class, "refused", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    final RecordPool pool;

    Sender(RecordDepot depot) {
        pool = new RecordPool(depot);
    }

    /** Counts an attempt; the release pairs with {@link #sentAcquire}. */
    void countSent() {
        SENT.setRelease(this, sent + 1);
    }

    /** Counts an attempt before the phase is read: the full fence pairs with the one in {@code MelyRuntime.close}. */
    void countSentFenced() {
        SENT.setVolatile(this, sent + 1);
    }

    void countRefused() {
        REFUSED.setRelease(this, refused + 1);
    }

    long sentAcquire() {
        return (long) SENT.getAcquire(this);
    }

    long refusedAcquire() {
        return (long) REFUSED.getAcquire(this);
    }

    /** Moves all records to another pool: the owner is gone. */
    void drainTo(RecordPool heir) {
        for (EventRecord record = pool.takeLocal(); record != null; record = pool.takeLocal()) {
            heir.give(record);
        }
    }
}
