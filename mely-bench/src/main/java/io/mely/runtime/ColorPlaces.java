// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;

/** Looks at where colors live, and brings them home between the rounds of a simulated workload. Nothing of them is pending then, and nobody else runs. */
public final class ColorPlaces {
    private ColorPlaces() {}

    /**
     * Whether nothing of a color is pending or running.
     *
     * @param color of any runtime
     * @return true if idle
     */
    public static boolean isIdle(Color color) {
        ColorImpl ours = (ColorImpl) color;
        ColorQueue queue = ours.runtime().index().peek(ours.number());
        return queue == null || queue.place == ColorQueue.IDLE;
    }

    /**
     * Moves a color that is idle.
     *
     * @param color of any runtime
     * @param home index of a core
     */
    public static void set(Color color, int home) {
        ColorImpl ours = (ColorImpl) color;
        ColorIndex index = ours.runtime().index();
        ColorQueue queue = index.peek(ours.number());
        if (queue != null) {
            queue.home(home);
        }
        index.homes.move(ours.number(), home);
    }
}
