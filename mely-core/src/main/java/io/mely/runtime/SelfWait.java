// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/** Waits that could never end: of a handler, for what its own color must do after it. */
final class SelfWait {
    private SelfWait() {}

    /**
     * Called before a wait for something that a color must do.
     *
     * @param color has to run it
     * @throws IllegalStateException if the calling thread runs an event of that color
     */
    static void check(ColorImpl color) {
        if (color.isCurrent()) {
            throw new IllegalStateException(
                    "waits for itself: the handler that waits runs in the color which must run what it waits for: color="
                            + color.slot());
        }
    }
}
