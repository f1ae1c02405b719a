// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * Which parts of workstealing are on. Each heuristic works alone.
 *
 * <p><b>Source.</b> spec: Mely §3.3-§3.7.
 *
 * @param enabled idle cores steal at all
 * @param locality victims are tried by cache distance instead of most loaded first
 * @param timeLeft only colors whose pending work outlasts the measured cost of a steal are taken
 * @param penalty a stage's penalty divides its worth
 */
public record Stealing(boolean enabled, boolean locality, boolean timeLeft, boolean penalty) {
    /**
     * No stealing: a color stays at home.
     *
     * @return the setting
     */
    public static Stealing off() {
        return new Stealing(false, false, false, false);
    }

    /**
     * The base algorithm: most loaded victim, first color that holds less than half of its events.
     *
     * @return the setting
     */
    public static Stealing base() {
        return new Stealing(true, false, false, false);
    }

    /**
     * All three heuristics; the default.
     *
     * @return the setting
     */
    public static Stealing mely() {
        return new Stealing(true, true, true, true);
    }
}
