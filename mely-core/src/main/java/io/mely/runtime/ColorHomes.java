// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntUnaryOperator;

/**
 * Where the colors live, by number: all that their senders read of them. It is written only when a color moves, so that sending moves no cache line of it, and is one dense
 * table, so that it stays in the caches of those who send to many colors (ADR 0024).
 *
 * <p>A word holds the core, in its lowest 10 bits, and a version that grows with each move: a sender that reads the same word before and after it
 * has claimed an entry for its event knows that no thief came in between. The version wraps after 4 million moves within one send.
 *
 * <p><b>Threads.</b> Any; {@link #move} the holder of the home core's lock. <b>Costs.</b> A load. <b>Bounds.</b> 4 bytes a color, 16 colors a cache line.
 */
final class ColorHomes extends HeadPad {
    private static final int CORE_MASK = (1 << 10) - 1;
    private static final int VERSION_UNIT = CORE_MASK + 1;

    /** Keeps words away from what lies before and behind their array. */
    private static final int PAD = 32;

    /** Exact: a call whose types the compiler has taken for others would box, and be slow without a word. */
    private static final VarHandle WORDS =
            MethodHandles.arrayElementVarHandle(int[].class).withInvokeExactBehavior();

    private final int[] words;

    /** Makes a table of so many colors, whose numbers are their slots + 1, at their first homes: from a slot to a core, 0 to 1,023. */
    ColorHomes(int colors, IntUnaryOperator firstHomes) {
        words = new int[PAD + 1 + colors + PAD];
        for (int slot = 0; slot < colors; slot++) {
            int core = firstHomes.applyAsInt(slot);
            assert core == (core & CORE_MASK) : "core " + core;
            words[PAD + slot + 1] = core;
        }
    }

    /** Greater than the numbers of all colors. */
    int length() {
        return words.length - 2 * PAD;
    }

    /** Core and version of a color: to be compared by {@link #isThere}, and taken apart by {@link #coreOf}. */
    int where(int number) {
        int where = words[PAD + number];
        VarHandle.acquireFence();
        return where;
    }

    /** Whether a color is where it was and has not moved since. */
    boolean isThere(int number, int where) {
        return (int) WORDS.getVolatile(words, PAD + number) == where;
    }

    /** The core in a word from {@link #where}. */
    static int coreOf(int where) {
        return where & CORE_MASK;
    }

    /** The core a color lives on: a hint, but for the holder of its lock. */
    int coreOfColor(int number) {
        return coreOf(where(number));
    }

    /** Moves a color. A {@link VarHandle#fullFence} must follow before the old home's inbox is looked into. */
    void move(int number, int core) {
        int version = where(number) & ~CORE_MASK;
        WORDS.setRelease(words, PAD + number, version + VERSION_UNIT | core);
    }
}
