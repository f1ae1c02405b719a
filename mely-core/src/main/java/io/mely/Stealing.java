// SPDX-License-Identifier: Apache-2.0
package io.mely;

/**
 * Which parts of workstealing are on. Each heuristic works alone.
 *
 * <p><b>Source.</b> spec: Mely §3.3-§3.7; several colors at once: ADR 0018; many short events: ADR 0022.
 *
 * @param enabled idle cores steal at all
 * @param locality victims are tried by cache distance instead of most loaded first
 * @param timeLeft only colors whose pending work outlasts the measured cost of a steal are taken
 * @param penalty a stage's penalty divides its worth
 * @param colorsMax most colors of one steal by the time left, 1 to {@link #COLORS_MAX}; all but the first must begin with an event that is long
 *     beside a steal and has no penalty; the report's take 1, and with 1 a color's events all count, however short (ADR 0022)
 */
public record Stealing(boolean enabled, boolean locality, boolean timeLeft, boolean penalty, int colorsMax) {
    /** Most colors of one steal: what a thief does under its victim's lock stays short. */
    public static final int COLORS_MAX = 16;

    /** Checks the bound. */
    public Stealing {
        if (colorsMax < 1 || colorsMax > COLORS_MAX) {
            throw new IllegalArgumentException("colorsMax must be 1 to " + COLORS_MAX + ": colorsMax=" + colorsMax);
        }
    }

    /**
     * The report's way: a steal takes one color.
     *
     * @param enabled idle cores steal at all
     * @param locality victims are tried by cache distance
     * @param timeLeft only colors that outlast a steal are taken
     * @param penalty a stage's penalty divides its worth
     */
    public Stealing(boolean enabled, boolean locality, boolean timeLeft, boolean penalty) {
        this(enabled, locality, timeLeft, penalty, 1);
    }

    /**
     * No stealing: a color stays at home.
     *
     * @return the setting
     */
    public static Stealing off() {
        return new Stealing(false, false, false, false);
    }

    /**
     * The base algorithm: most loaded victim, colors that hold less than half of its events, up to half of those that are ready.
     *
     * @return the setting
     */
    public static Stealing base() {
        return new Stealing(true, false, false, false, COLORS_MAX);
    }

    /**
     * All three heuristics, and half of the worthy colors a steal, up to {@link #COLORS_MAX}; the default.
     *
     * @return the setting
     */
    public static Stealing mely() {
        return new Stealing(true, true, true, true, COLORS_MAX);
    }

    /**
     * The same with another bound of the colors of a steal.
     *
     * @param most 1 to {@link #COLORS_MAX}
     * @return the setting
     */
    public Stealing withColorsMax(int most) {
        return new Stealing(enabled, locality, timeLeft, penalty, most);
    }
}
