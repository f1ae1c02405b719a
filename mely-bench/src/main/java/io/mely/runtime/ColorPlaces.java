// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

import io.mely.Color;

/** Looks at where colors live, and brings them home between the rounds of a simulated workload. Nothing of them is pending then, and nobody else runs. */
public final class ColorPlaces {
    private ColorPlaces() {}

    /**
     * Whether nothing of a color is pending or running.
     *
     * @param color of any engine
     * @return true if idle
     */
    public static boolean isIdle(Color color) {
        if (color instanceof ColorImpl ours) {
            ColorQueue queue = ours.runtime().index().peek(ours.number());
            return queue == null || queue.isIdle();
        }
        MixedColor mixed = (LibasyncColor) color;
        return mixed.pending == 0 && !mixed.isRunning;
    }

    /**
     * Moves a color that is idle.
     *
     * @param color of any engine
     * @param home index of a core
     */
    public static void set(Color color, int home) {
        if (color instanceof ColorImpl ours) {
            ColorIndex index = ours.runtime().index();
            ColorQueue queue = index.peek(ours.number());
            if (queue != null) {
                queue.home(home);
            }
            index.homes().move(ours.number(), home);
        } else {
            ((LibasyncColor) color).homeRelease(home);
        }
    }
}
