// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Where a color lives: all that its senders read of it. It is written only when the color moves, so that sending moves no cache line of the color.
 *
 * <p>One word holds the slot, the core, and a version that grows with each move: a sender that reads the same word before and after it
 * has claimed an entry for its event knows that no thief came in between. The version wraps after 268 million moves within one send.
 *
 * <p><b>Threads.</b> Reads any; {@link #move} the holder of the home core's lock.
 */
public abstract class ColorHome {
    private static final int SLOT_BITS = 26;
    private static final int CORE_BITS = 10;
    private static final int CORE_SHIFT = SLOT_BITS;
    private static final long VERSION_UNIT = 1L << (SLOT_BITS + CORE_BITS);
    private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;
    private static final int CORE_MASK = (1 << CORE_BITS) - 1;

    private static final VarHandle WHERE;

    static {
        try {
            WHERE = MethodHandles.lookup().findVarHandle(ColorHome.class, "where", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long where;

    /**
     * Starts somewhere.
     *
     * @param slot number of the color, 0 to 2^26 - 2
     * @param core index, 0 to 1,023
     */
    protected ColorHome(int slot, int core) {
        if (slot < 0 || slot >= SLOT_MASK) {
            throw new IllegalArgumentException("too many colors: slot=" + slot);
        }
        where = slot | (long) core << CORE_SHIFT;
    }

    /**
     * Slot, core and version.
     *
     * @return to be compared, and taken apart by {@link #coreOf}
     */
    public final long where() {
        return (long) WHERE.getVolatile(this);
    }

    /**
     * The core in a word.
     *
     * @param where from {@link #where}
     * @return index
     */
    public static int coreOf(long where) {
        return (int) (where >>> CORE_SHIFT) & CORE_MASK;
    }

    /**
     * The core the color lives on.
     *
     * @return index; a hint, but for the holder of its lock
     */
    public final int home() {
        return coreOf((long) WHERE.getAcquire(this));
    }

    /**
     * The number of the color.
     *
     * @return &gt;= 0
     */
    public final int slot() {
        return (int) (long) WHERE.getOpaque(this) & SLOT_MASK;
    }

    /** Moves it. A {@link VarHandle#fullFence} must follow before the old home's inbox is looked into. */
    final void move(int core) {
        long old = where;
        long kept = old & ~((long) CORE_MASK << CORE_SHIFT);
        WHERE.setRelease(this, (kept | (long) core << CORE_SHIFT) + VERSION_UNIT);
    }

    static {
        assert Long.numberOfTrailingZeros(VERSION_UNIT) + 28 == Long.SIZE : "the doc says 268 million";
    }
}
