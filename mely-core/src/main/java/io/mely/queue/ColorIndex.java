// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.memory.HeadPad;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The colors of a runtime by number, for queues whose links are numbers (ADR 0006): the number of a color is its slot + 1, and 0 is none.
 *
 * <p>A color is in two parts: what senders read, in {@link ColorHomes}, and the queue, made when its first event that needs one arrives, so that a color that is never used
 * costs little; one that is not used for long loses it ({@link IdleColors}). Whoever reads the number of a color with a queue was handed it with release and acquire, or holds
 * a lock that was released, after the queue was made; so the table needs no ordering of its own, but for who {@link #peek peeks}.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A load; making a queue takes a monitor. <b>Bounds.</b> 4 bytes a color, up to twice the largest number that had a queue, and the homes.
 */
public final class ColorIndex extends HeadPad {
    /** Of no color. */
    public static final int NONE = 0;

    private static final int LENGTH_MIN = 16;

    private static final VarHandle QUEUES = MethodHandles.arrayElementVarHandle(ColorQueue[].class);

    private final ColorHomes homes;
    private ColorQueue[] queues = new ColorQueue[LENGTH_MIN]; // written under this

    /**
     * Makes an empty index.
     *
     * @param homes of its colors
     */
    public ColorIndex(ColorHomes homes) {
        this.homes = homes;
    }

    /** Where its colors live. */
    ColorHomes homes() {
        return homes;
    }

    /** No color with this number or a greater one has a queue. */
    int length() {
        return queues.length;
    }

    /** A color with something pending, running or on its way, whose queue stands; of any other null if it has none. */
    ColorQueue at(int number) {
        return queues[number];
    }

    /** The same, made now if it has none. The holder of the home's lock. Null at the end of the heap. */
    @Nullable
    ColorQueue open(int number) {
        ColorQueue color = peek(queues, number);
        return color != null ? color : make(number, homes.coreOfColor(number));
    }

    private static @Nullable ColorQueue peek(ColorQueue[] queues, int number) {
        return number < queues.length ? queues[number] : null;
    }

    private synchronized @Nullable ColorQueue make(int number, int home) {
        ColorQueue color = peek(queues, number); // again: the table may have been seen before its contents
        if (color != null) {
            return color;
        }
        try {
            makeRoom(number);
            color = new ColorQueue(number - 1, home);
        } catch (OutOfMemoryError e) {
            return null;
        }
        QUEUES.setRelease(queues, number, color);
        return color;
    }

    private void makeRoom(int number) {
        if (number >= queues.length) {
            int length = homes.isOfTable(number) ? Math.min(2 * queues.length, homes.tableLength()) : 2 * queues.length;
            ColorQueue[] more = Arrays.copyOf(queues, Math.max(number + 1, length));
            VarHandle.releaseFence(); // others may see them without having been handed a number of these
            queues = more;
        }
    }

    // ------------------------------------------------------------------ who looks at all numbers, which nobody has
    // handed over

    /** The queue of a color, or null. Whoever finds it at home elsewhere leaves it alone. */
    @Nullable
    ColorQueue peek(int number) {
        ColorQueue[] queues = this.queues;
        return number < queues.length ? (ColorQueue) QUEUES.getAcquire(queues, number) : null;
    }

    /**
     * Lets go of queues. The holder of their home's lock: whoever holds it later sees tables as new as these. Older ones may still have the queues, but nobody who may use
     * them reads those.
     *
     * @param numbers of colors that are {@link ColorQueue#isUnused unused}
     * @param count how many
     */
    synchronized void drop(int[] numbers, int count) {
        for (int i = 0; i < count; i++) {
            queues[numbers[i]] = null;
        }
    }
}
