// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

abstract class TallyHeadPad {
    @SuppressWarnings("unused")
    private long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;
}

/** The receiver's. */
abstract class TallyReceiverFields extends TallyHeadPad {
    long received;
    long sum;
}

abstract class TallyMiddlePad extends TallyReceiverFields {
    @SuppressWarnings("unused")
    private long m00, m01, m02, m03, m04, m05, m06, m07, m08, m09, m10, m11, m12, m13, m14, m15;
}

/** Written now and then, by one side for the other. */
abstract class TallySharedFields extends TallyMiddlePad {
    long target;
    long acked;
}

/**
 * The receiving end of a stream of events between two threads: counts them, checks them, and tells the sender from time to time, so
 * that it can keep a window. The same for a runtime and for the bare queue beside it.
 *
 * <p><b>Threads.</b> {@link #expect} by the sender while nothing is under way; {@link #count} by the receiver.
 */
final class Tally extends TallySharedFields {
    /** Most events under way. */
    static final int WINDOW = 4_096;

    /** The receiver reports every so many events. */
    private static final int REPORT = 256;

    private static final int TOKENS = 256;

    private static final VarHandle ACKED;

    static {
        try {
            ACKED = MethodHandles.lookup().findVarHandle(TallySharedFields.class, "acked", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    private final Signal signal;
    private final boolean isOrdered;
    private final Token[] tokens = new Token[TOKENS];

    /** An event; immutable, so that only the transport is measured. */
    record Token(int number) {}

    /**
     * Makes an empty tally.
     *
     * @param signal where errors and the end are reported
     * @param isOrdered whether events arrive in the order sent; else only their number and sum are checked
     */
    Tally(Signal signal, boolean isOrdered) {
        this.signal = signal;
        this.isOrdered = isOrdered;
        for (int i = 0; i < TOKENS; i++) {
            tokens[i] = new Token(i);
        }
    }

    /** The event to send as number so-and-so. */
    Token token(long sequence) {
        return tokens[(int) sequence & TOKENS - 1];
    }

    /**
     * Announces events. The sender.
     *
     * @param events a multiple of the number of tokens
     * @return number of the first
     */
    long expect(int events) {
        assert events % TOKENS == 0;
        long first = target;
        target = first + events;
        return first;
    }

    /** Counts an event. The receiver. */
    void count(Token token) {
        long number = received;
        if (isOrdered && token.number() != (number & TOKENS - 1)) {
            signal.fail("event " + number + " is out of order");
        }
        sum += token.number();
        received = ++number;
        if ((number & REPORT - 1) == 0) {
            if (number == target) {
                finish(number);
            }
            ACKED.setRelease(this, number);
        }
    }

    private void finish(long number) {
        long expected = number / TOKENS * (TOKENS * (TOKENS - 1L) / 2);
        if (sum != expected) {
            signal.fail("sum of " + number + " events is " + sum + " instead of " + expected);
        }
        signal.done();
    }

    /** How many were received at least. The sender; pairs with the release in {@link #count}. */
    long ackedAcquire() {
        return (long) ACKED.getAcquire(this);
    }

    /** Waits, spinning, until so many were received. */
    void awaitAcked(long number) {
        long startNs = System.nanoTime();
        for (int spins = 1; ackedAcquire() < number; spins++) {
            Thread.onSpinWait();
            if ((spins & 0xffff) == 0) {
                signal.check(startNs);
            }
        }
    }
}
