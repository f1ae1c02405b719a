// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;
import java.lang.reflect.Field;

/** Lets a test see what becomes of a color: the part of it that is a core's. Nothing may run meanwhile. */
public final class ColorLook {
    private ColorLook() {}

    /** The estimated work pending or running; 0 if nothing was ever sent to it. */
    public static long timeLeft(CoreQueue queue, Color color) {
        ColorQueue found = of(queue, color);
        return found == null ? 0 : found.timeLeft();
    }

    /** Whether nothing is pending or running. */
    public static boolean isIdle(CoreQueue queue, Color color) {
        ColorQueue found = of(queue, color);
        return found == null || found.isIdle();
    }

    /** Whether it has the part that events need. */
    public static boolean hasQueue(CoreQueue queue, Color color) {
        return of(queue, color) != null;
    }

    private static ColorQueue of(CoreQueue queue, Color color) {
        try {
            Field index = ReadyColors.class.getDeclaredField("index");
            index.setAccessible(true);
            return ((ColorIndex) index.get(queue)).peek(color.slot() + 1);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the colors are elsewhere now", e);
        }
    }
}
