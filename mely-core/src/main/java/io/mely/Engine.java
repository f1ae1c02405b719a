// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * How a runtime keeps and distributes its events: Mely's own way, or one of the two it grew from, for comparison. All have the same
 * interface, guarantees, padding, record pools and pollers.
 *
 * <p><b>Source.</b> spec: libasync-smp §2, §3.
 */
public enum Engine {
    /** A queue per color, and whole-color stealing by any of Mely's heuristics. The default. */
    MELY,

    /**
     * libasync-smp: one list per core that mixes colors, under a spin lock; without stealing, or with the base algorithm, which scans
     * the victim's list for the events of a color and so costs O(pending events). Takes {@link Stealing#off()} and
     * {@link Stealing#base()}; the default is base.
     */
    LIBASYNC_SMP,

    /**
     * libasync-mp: one list that all cores share; a core takes the heaviest of the first few events whose color does not run. There is
     * nothing to steal: takes {@link Stealing#off()} only, which is the default.
     */
    LIBASYNC_MP;

    /**
     * Whether the engine has a way of stealing.
     *
     * @param stealing a setting
     * @return false if {@link MelyBuilder#build()} refuses it
     */
    public boolean hasStealing(Stealing stealing) {
        return switch (this) {
            case MELY -> true;
            case LIBASYNC_SMP -> !stealing.locality() && !stealing.timeLeft() && !stealing.penalty();
            case LIBASYNC_MP -> !stealing.enabled();
        };
    }

    /**
     * How it steals if nobody says.
     *
     * @return one that it has
     */
    public Stealing defaultStealing() {
        return switch (this) {
            case MELY -> Stealing.mely();
            case LIBASYNC_SMP -> Stealing.base();
            case LIBASYNC_MP -> Stealing.off();
        };
    }
}
