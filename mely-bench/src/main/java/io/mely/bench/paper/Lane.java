// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The books of one key: what ran, in which order, and a checksum that depends on the order. Plain fields: they are correct if, and
 * only if, the contender runs the key's events one after the other and makes each see what the last one wrote.
 */
class Lane {
    private static final VarHandle IS_RUNNING;

    static {
        try {
            IS_RUNNING = MethodHandles.lookup().findVarHandle(Lane.class, "isRunning", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private int next;
    private int faults;
    private boolean isRunning;
    private long sum;

    /** Begins the event with a number, counted from 0 in the order sent. */
    final void begin(int number) {
        if (number != next || isRunning) {
            faults++;
        }
        IS_RUNNING.setOpaque(this, true); // a plain store may be dropped for the one in end
        next++;
    }

    /** Ends it with its result. */
    final void end(long result) {
        sum = sum * 31 + result;
        IS_RUNNING.setOpaque(this, false);
    }

    final int ran() {
        return next;
    }

    final int faults() {
        return faults;
    }

    final long sum() {
        return sum;
    }

    /**
     * Checks the books.
     *
     * @param key for the message
     * @param expected events that should have run
     * @throws CheckFailedException if one is lost, doubled, out of order or overlapped another
     */
    final void check(int key, int expected) {
        if (next != expected || faults != 0 || isRunning) {
            throw new CheckFailedException(
                    "key " + key + ": " + next + " of " + expected + " events ran, " + faults + " out of order");
        }
    }
}
