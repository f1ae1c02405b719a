// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Told of handlers that take too long: see {@link MelyBuilder#stallAfter}.
 *
 * <p><b>Threads.</b> A thread of the runtime's own, one call at a time; while it blocks, nobody looks after the cores. <b>Errors.</b> What it throws is logged.
 */
@FunctionalInterface
public interface StallListener {
    /**
     * A handler has run for too long, and runs on. Called once for each.
     *
     * @param stall who, where, and for how long
     */
    void onStall(Stall stall);

    /**
     * A handler that takes too long.
     *
     * @param stage whose handler it is
     * @param color of its event; null if that has none
     * @param core that it was called on; others may have gone on with that core since. -1 for a thread of a group's own
     * @param thread that is in it
     * @param elapsed how long it has taken so far, to within some milliseconds
     * @param stack where the thread is now, the innermost call first
     */
    record Stall(
            Stage<?> stage,
            @Nullable Color color,
            int core,
            Thread thread,
            Duration elapsed,
            List<StackTraceElement> stack) {
        /** Copies the list. */
        public Stall {
            stack = List.copyOf(stack);
        }
    }
}
