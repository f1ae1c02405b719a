// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;

/** Lets a test see what becomes of a color: the part of it that is a core's. Nothing may run meanwhile. */
public final class ColorLook {
    private ColorLook() {}

    /** The estimated work pending or running; 0 if nothing was ever sent to it. */
    public static long timeLeft(Color color) {
        ColorQueue found = of(color);
        return found == null ? 0 : found.timeLeft();
    }

    /** Whether nothing is pending or running. */
    public static boolean isIdle(Color color) {
        ColorQueue found = of(color);
        return found == null || found.place == ColorQueue.IDLE;
    }

    /** Whether it has the part that events need. */
    public static boolean hasQueue(Color color) {
        return of(color) != null;
    }

    private static ColorQueue of(Color color) {
        ColorImpl ours = (ColorImpl) color;
        return ours.runtime().index().peek(ours.number());
    }
}
