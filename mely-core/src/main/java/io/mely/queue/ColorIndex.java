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
 * <p>A color is in two parts: what senders read, and the queue, made when its first event arrives, so that a color that is never used
 * costs little, and the parts lie apart in memory; one that is not used for long loses it ({@link IdleColors}). Whoever reads a number was handed it with release and acquire, or holds a lock that was
 * released, after the color entered; so the tables need no ordering of their own, but for who {@link #peek peeks}.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A load; entering takes a monitor. <b>Bounds.</b> 8 bytes a color.
 */
public final class ColorIndex extends HeadPad {
    /** Of no color. */
    public static final int NONE = 0;

    private static final int LENGTH_MIN = 16;

    private static final VarHandle QUEUES = MethodHandles.arrayElementVarHandle(ColorQueue[].class);

    private ColorHome[] homes = new ColorHome[LENGTH_MIN]; // written under this
    private ColorQueue[] queues = new ColorQueue[LENGTH_MIN]; // written under this

    /** Makes an empty index. */
    public ColorIndex() {}

    /**
     * The number of a color.
     *
     * @param color any
     * @return slot + 1
     */
    public static int numberOf(ColorHome color) {
        return color.slot() + 1;
    }

    /**
     * Enters a color, before anything is sent to it.
     *
     * @param color to enter
     * @return the one of this number that came first
     */
    public ColorHome enter(ColorHome color) {
        return enter(numberOf(color), color);
    }

    private synchronized ColorHome enter(int number, ColorHome color) {
        if (number >= homes.length) {
            int length = Math.max(number + 1, 2 * homes.length);
            ColorHome[] moreHomes = Arrays.copyOf(homes, length); // both before either: memory may run out
            ColorQueue[] moreQueues = Arrays.copyOf(queues, length);
            VarHandle.releaseFence(); // others may see them without having been handed a number of these
            queues = moreQueues;
            homes = moreHomes;
        }
        if (homes[number] == null) {
            homes[number] = color;
        }
        return homes[number];
    }

    /**
     * What senders see of a color.
     *
     * @param number of one that has entered
     * @return as entered
     */
    public ColorHome home(int number) {
        return homes[number];
    }

    /** No color has this number or a greater one. */
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
        ColorQueue color = queues[number];
        return color != null ? color : make(number);
    }

    private synchronized @Nullable ColorQueue make(int number) {
        ColorQueue color = queues[number]; // again: the table may have been seen before its contents
        if (color == null) {
            try {
                color = new ColorQueue(number - 1, homes[number].home());
            } catch (OutOfMemoryError e) {
                return null;
            }
            QUEUES.setRelease(queues, number, color);
        }
        return color;
    }

    // ------------------------------------------------------------------ who looks at all numbers, which nobody has
    // handed over

    /** Whether a color seems to live on a core. Touches nothing that its events write. */
    boolean looksAtHome(int number, int core) {
        ColorHome home = homes[number];
        return home != null && home.home() == core;
    }

    /** The queue of a color, or null. Whoever finds it at home elsewhere leaves it alone. */
    @Nullable
    ColorQueue peek(int number) {
        return (ColorQueue) QUEUES.getAcquire(queues, number);
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
