// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.libasync;

/**
 * What a list that mixes colors knows of one color, and the color's entry in the paper's map from colors to cores.
 *
 * <pre>
 *   home &gt;= 0   the core it lives on; changed under the lock of that core's list
 *   home &lt; 0    in transit to core ~home: senders wait
 * </pre>
 *
 * <p><b>Threads.</b> {@code pending} and {@code isRunning} under the lock of the list that the color is in, {@code home} is read by any. <b>Source.</b> spec: Mely §3.6
 * (pending events are counted per color), libasync-smp §2.3 (running colors).
 */
final class MixedColor {
    final int slot;

    int pending;
    boolean isRunning;
    private volatile int home; // not used by libasync-mp

    /** Makes an idle color. */
    MixedColor(int slot, int home) {
        this.slot = slot;
        this.home = home;
    }

    int home() {
        return home;
    }

    void home(int core) {
        home = core;
    }

    @Override
    public String toString() {
        return "MixedColor{slot=" + slot + ", home=" + home + "}";
    }
}
