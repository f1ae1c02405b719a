// SPDX-License-Identifier: Apache-2.0
package io.mely.admission;

import io.mely.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Whether a stage takes an event. What it does not take is refused to its sender, who drops it, answers "busy", or stops reading.
 *
 * <p>Put it where requests enter, not at every stage: work that was begun is best ended. A bound on how many events wait is {@link io.mely.StageOptions#withCapacity}.
 *
 * <p><b>Threads.</b> Any, and several at once. <b>Errors.</b> Must not throw: that is its sender's error then. <b>Source.</b> spec: stages §3.4.
 */
@FunctionalInterface
public interface Admission {
    /**
     * Decides on an event that is sent. Events of timers are not asked for.
     *
     * @param event that is sent
     * @param waiting how many events of the stage wait: sent, and their handler not yet called
     * @param nowNs the clock, nanoseconds
     * @return false refuses it
     */
    boolean admits(@Nullable Object event, int waiting, long nowNs);

    /**
     * An event has run.
     *
     * @param event that ran
     * @param sojournNs from its send to the end of its handler
     * @param nowNs the clock, nanoseconds
     */
    default void ran(@Nullable Object event, long sojournNs, long nowNs) {}

    /** Makes the admission of a stage. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes it.
         *
         * @param stage that it is for
         * @return of that stage only
         */
        Admission create(Stage<?> stage);
    }

    /**
     * Takes so many events a second, and as many at once as the depth says.
     *
     * @param ratePerS &gt; 0
     * @param depth &gt;= 1
     * @return makes it
     */
    static Factory rate(double ratePerS, double depth) {
        TokenBucket.check(ratePerS, depth);
        return stage -> {
            TokenBucket bucket = new TokenBucket(ratePerS, depth);
            return (event, waiting, nowNs) -> bucket.tryTake(nowNs);
        };
    }
}
