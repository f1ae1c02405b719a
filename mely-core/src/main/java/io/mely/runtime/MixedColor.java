// SPDX-License-Identifier: Apache-2.0
package io.mely.runtime;

/**
 * What a list that mixes colors knows of one color: how many of its events wait there, and whether one runs.
 *
 * <p><b>Threads.</b> Both fields under the lock of the list the color is in. <b>Source.</b> spec: Mely §3.6 (pending events are counted per
 * color), libasync-smp §2.3 (running colors).
 */
public abstract class MixedColor {
    int pending;
    boolean isRunning;

    /** Makes an idle color. */
    protected MixedColor() {}
}
