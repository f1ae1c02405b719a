// SPDX-License-Identifier: Apache-2.0
package io.mely.queue;

import io.mely.memory.HeadPad;
import java.util.Arrays;

/**
 * The colors of a runtime by number, for queues whose links are numbers (ADR 0006): the number of a color is its slot + 1, and 0 is none.
 *
 * <p>A color enters when it is linked for the first time. Whoever reads its number holds a lock that was released after that, so the
 * table needs no ordering of its own.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> A load; entering takes a monitor. <b>Bounds.</b> 4 bytes a color.
 */
public final class ColorIndex extends HeadPad {
    /** Of no color. */
    static final int NONE = 0;

    private static final int LENGTH_MIN = 16;

    private ColorQueue[] colors = new ColorQueue[LENGTH_MIN]; // written under this

    static int numberOf(ColorQueue color) {
        return color.slot() + 1;
    }

    ColorQueue at(int number) {
        return colors[number];
    }

    /** The number of a color, which enters if it is new. */
    int enter(ColorQueue color) {
        int number = numberOf(color);
        ColorQueue[] table = colors;
        if (number >= table.length || table[number] != color) {
            add(number, color);
        }
        return number;
    }

    private synchronized void add(int number, ColorQueue color) {
        ColorQueue[] table = colors;
        if (number >= table.length) {
            table = Arrays.copyOf(table, Math.max(number + 1, 2 * table.length));
        }
        assert table[number] == null || table[number] == color : "two colors in one slot: " + color;
        table[number] = color;
        colors = table;
    }
}
