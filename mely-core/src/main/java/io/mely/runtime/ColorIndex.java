// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a runtime's colors by number, for lists whose links are numbers (ADR 0006): the number of a color is its slot + 1, and 0 is none.
 *
 * <p>A color is in two parts: what senders read, in {@link ColorHomes}, and the queue, made when the first event arrives that needs one, so that a color that is never
 * used costs 4 bytes here. The queue is made under the lock of the color's home, and a color without a queue does not move, so nobody else makes it at the same time.
 *
 * <p><b>Threads.</b> The holder of the lock of the color's home, or who was handed the number after the queue was made. <b>Costs.</b> A load.
 */
final class ColorIndex extends HeadPad {
    /** Of no color. */
    static final int NONE = 0;

    private static final VarHandle QUEUES = MethodHandles.arrayElementVarHandle(ColorQueue[].class);

    final ColorHomes homes; // of its colors
    private final ColorQueue[] queues;

    ColorIndex(ColorHomes homes) {
        this.homes = homes;
        queues = new ColorQueue[homes.length()];
    }

    /** No color has this number or a greater one. */
    int length() {
        return queues.length;
    }

    /** The queue of a color that has one; null for {@link #NONE}, and for a color without a queue. */
    ColorQueue at(int number) {
        return queues[number];
    }

    /** The same, made now if it has none. The holder of the home's lock. Null at the end of the heap. */
    @Nullable
    ColorQueue open(int number) {
        ColorQueue color = queues[number];
        return color != null ? color : make(number);
    }

    private @Nullable ColorQueue make(int number) {
        try {
            ColorQueue color = new ColorQueue(number - 1, homes.coreOfColor(number));
            QUEUES.setRelease(queues, number, color); // pairs with peek
            return color;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** The queue of a color, or null. Any thread: whoever finds that it lives elsewhere leaves it alone. */
    @Nullable
    ColorQueue peek(int number) {
        return (ColorQueue) QUEUES.getAcquire(queues, number);
    }
}
