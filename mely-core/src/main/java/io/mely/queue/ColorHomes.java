// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.memory.HeadPad;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * Where the colors live, by number: all that their senders read of them. It is written only when a color moves, so that sending moves no cache line of it, and is one dense
 * table, so that it stays in the caches of those who send to many colors: an object for each color would not (ADR 0024).
 *
 * <p>A word holds the core, in its lowest 10 bits, and a version that grows with each move: a sender that reads the same word before and after it
 * has claimed an entry for its event knows that no thief came in between. The version wraps after 4 million moves within one send.
 *
 * <p>A color's number is its slot + 1. Those of the color table are in one array for good; those that stages have for themselves, in chunks: an array that
 * is replaced by a larger one could lose a move.
 *
 * <p><b>Threads.</b> Any; {@link #move} the holder of the home core's lock. <b>Costs.</b> A load. <b>Bounds.</b> 4 bytes a color, 16 colors a cache line.
 */
public final class ColorHomes extends HeadPad {
    private static final int CORE_MASK = (1 << 10) - 1;
    private static final int VERSION_UNIT = CORE_MASK + 1;

    /** Colors of a chunk. */
    private static final int CHUNK = 1 << 8;

    /** Keeps words away from what lies before and behind their array. */
    private static final int PAD = 32;

    /** Exact: a call whose types the compiler has taken for others would box, and be slow without a word. */
    private static final VarHandle WORDS =
            MethodHandles.arrayElementVarHandle(int[].class).withInvokeExactBehavior();

    private final IntUnaryOperator firstHomes;
    private final int[] words;
    private volatile int[][] chunks = {}; // each for good; written under this

    /**
     * Makes a table in which all colors are at their first homes.
     *
     * @param colors how many slots the color table has
     * @param firstHomes from a slot to a core, 0 to 1,023; asked of each slot of the table now, and of any other by {@link #enter}
     */
    public ColorHomes(int colors, IntUnaryOperator firstHomes) {
        this.firstHomes = firstHomes;
        words = new int[PAD + colors + PAD];
        for (int i = 0; i < colors; i++) {
            words[PAD + i] = firstHome(1 + i);
        }
    }

    private int firstHome(int number) {
        int core = firstHomes.applyAsInt(number - 1);
        assert core == (core & CORE_MASK) : "core " + core;
        return core;
    }

    /**
     * Puts a color at its first home, if it is none of the table.
     *
     * @param number of the color, before anybody sends to it
     */
    public void enter(int number) {
        if (!isOfTable(number)) {
            assert number <= Inbox.NUMBER_MASK : "too many colors";
            int core = firstHome(number);
            int[] chunk = chunkOf(number);
            WORDS.setRelease(chunk, inChunk(number), core);
        }
    }

    /**
     * Core and version.
     *
     * @param number of a color
     * @return to be compared, and taken apart by {@link #coreOf}
     */
    public int where(int number) {
        if (isOfTable(number)) {
            return (int) WORDS.getVolatile(words, PAD + number - 1);
        }
        int[] chunk = chunkOf(number);
        return (int) WORDS.getVolatile(chunk, inChunk(number));
    }

    boolean isOfTable(int number) {
        return number < tableLength();
    }

    /** Greater than the numbers of all colors of the table. */
    int tableLength() {
        return words.length - 2 * PAD + 1;
    }

    private int inChunk(int number) {
        return PAD + (number - tableLength()) % CHUNK;
    }

    private int[] chunkOf(int number) {
        int index = (number - tableLength()) / CHUNK;
        int[][] chunks = this.chunks;
        int[] chunk = index < chunks.length ? chunks[index] : null;
        return chunk != null ? chunk : chunkMade(index);
    }

    private synchronized int[] chunkMade(int index) {
        int[][] more = index < chunks.length ? chunks.clone() : Arrays.copyOf(chunks, index + 1);
        if (more[index] == null) {
            more[index] = new int[PAD + CHUNK + PAD];
            chunks = more;
        }
        return more[index];
    }

    /**
     * The core in a word.
     *
     * @param where from {@link #where}
     * @return index
     */
    public static int coreOf(int where) {
        return where & CORE_MASK;
    }

    /**
     * The core a color lives on.
     *
     * @param number of the color
     * @return index; a hint, but for the holder of its lock
     */
    public int coreOfColor(int number) {
        return coreOf(where(number));
    }

    /** Moves a color. A {@link VarHandle#fullFence} must follow before the old home's inbox is looked into. */
    void move(int number, int core) {
        int version = where(number) & ~CORE_MASK;
        boolean isOfTable = isOfTable(number);
        int[] to = isOfTable ? words : chunkOf(number);
        WORDS.setRelease(to, isOfTable ? PAD + number - 1 : inChunk(number), version + VERSION_UNIT | core);
    }
}
