// SPDX-License-Identifier: Apache-2.0
package io.mely;

import org.jspecify.annotations.Nullable;

/**
 * What a thread of a runtime does at one moment: see {@link Mely#activity}.
 *
 * @param core that it has, or had when its handler was called; -1 for a thread of a group's own
 * @param thread null before the start
 * @param state what it does
 * @param stage whose handler it is in; null for none
 * @param color slot of the event's color; -1 for none
 * @param timeLeftNs what the events that wait in that color, and those that run, are expected to take, nanoseconds, each over its stage's penalty, as a thief weighs them; 0 for no color
 * @param ran events that the thread has run; the same at two looks in a handler: it is in the same turn of a color
 */
public record Activity(
        int core,
        @Nullable Thread thread,
        State state,
        @Nullable Stage<?> stage,
        int color,
        long timeLeftNs,
        long ran) {
    /** What a thread does. */
    public enum State {
        /** It is in a handler. */
        HANDLER,
        /** It polls, looks for work, or steals. */
        BETWEEN,
        /** It waits for something to do. */
        ASLEEP
    }
}
