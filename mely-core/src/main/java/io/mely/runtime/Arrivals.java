// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.VarHandle;

/** Written by the lock holder and by senders, read by thieves that look before they lock. */
abstract class ArrivalsHotFields extends HeadPad {
    /** The last drain did not come to the end of the inbox. */
    volatile boolean isBacklogged;
    /** The inbox may hold something long. Set by senders, taken back by whoever drains. */
    volatile boolean isLong;
}

abstract class ArrivalsTailPad extends ArrivalsHotFields {
    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;
}

/**
 * What has arrived at a core and is in no color yet: what others sent, in the {@link Inbox}, and what other cores forward, in {@link Migration}. Whoever drains it moves
 * it into the colors, and forwards what is for colors that have left.
 *
 * <p><b>Threads.</b> The holder of the core's lock, but for the peeks and the hint.
 */
final class Arrivals extends ArrivalsTailPad {
    /** Most inbox entries moved under one hold of the lock: bounds how long a thief waits. A chain of records. */
    static final int DRAIN_MAX = RecordDepot.CHAIN;

    private final CoreQueue queue;
    private final ColorIndex index;
    private final Inbox inbox;
    private final Migration migration;

    Arrivals(CoreQueue queue, ColorIndex index, Inbox inbox, Migration migration) {
        this.queue = queue;
        this.index = index;
        this.inbox = inbox;
        this.migration = migration;
    }

    // ------------------------------------------------------------------ any thread

    /** Notes that what was handed in is worth waking a thief. A volatile write: the sender's next volatile reads come after it. */
    void hintLong() {
        isLong = true;
    }

    /** Whether the inbox may hold something worth waking a thief: from the hint on until the inbox is drained. A peek. */
    boolean hasLong() {
        return isLong && !inbox.isEmpty();
    }

    /** Whether the last drain did not come to the end of the inbox. A peek. */
    boolean isBacklogged() {
        return isBacklogged;
    }

    // ------------------------------------------------------------------ lock held

    /** Moves what has come into the colors, as far as the pool has records: its worker fetches them before it takes the lock. Returns true if a color became worthier. Not inlined, see {@code CompiledSizeTest}. */
    boolean drain(RecordPool pool) {
        assert queue.isLocked();
        boolean isWorthier = migration.hasArriving() && drainForwarded(pool);
        boolean wasLong = isLong;
        if (wasLong) {
            isLong = false; // before the look, so that a hint for what comes behind it stays
            VarHandle.fullFence();
        }
        int moved = 0;
        for (; moved < DRAIN_MAX && pool.hasLocal(); moved++) {
            int number = inbox.peek(); // never waits for a sender that lost its CPU inside offer
            if (number == 0) {
                break;
            }
            assert number > 0 : "an entry has a color: " + number;
            ColorQueue color = index.open(number);
            if (color == null) {
                break; // no memory; later, perhaps
            }
            HandlerProfile stage = inbox.stage();
            assert stage != null : "an event has a stage";
            int home = color.home();
            if (home == queue.core()) {
                isWorthier |= queue.deliver(color, stage, inbox.event(), false, pool);
            } else {
                try {
                    migration.forward(number, home);
                } catch (OutOfMemoryError e) {
                    break; // nothing has happened
                }
            }
            inbox.consume();
        }
        if (migration.isLeaveDue()) {
            try {
                migration.forwardLeft();
            } catch (OutOfMemoryError e) {
                assert migration.isLeaveDue() : "the next drain goes on";
            }
        }
        boolean isNowBacklogged = moved == DRAIN_MAX;
        if (isBacklogged != isNowBacklogged) {
            isBacklogged = isNowBacklogged;
        }
        if (wasLong && !inbox.isEmpty()) {
            isLong = true; // it may be what was left
        }
        return isWorthier;
    }

    private boolean drainForwarded(RecordPool pool) {
        boolean isWorthier = false;
        while (pool.hasLocal()) {
            Migration.Forwarded next = migration.pollArriving();
            if (next == null) {
                break;
            }
            ColorQueue color = index.at(next.number());
            assert color.home() == queue.core() : "what settles here does not move";
            HandlerProfile stage = next.stage();
            isWorthier |= stage == null ? queue.settle(color) : queue.deliver(color, stage, next.event(), true, pool);
        }
        return isWorthier;
    }
}
