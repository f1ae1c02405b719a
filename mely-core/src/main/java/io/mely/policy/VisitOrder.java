// SPDX-License-Identifier: Apache-2.0
package io.mely.policy;

import io.mely.Stage;

/**
 * In which order a core goes from stage to stage. There is one for each core, which may read what the group knows, and never locks.
 *
 * <p>A visit that finds nothing costs some loads. After a round of those the core looks whether anything waits at all, and sleeps if not: whoever sends wakes it. So an order need not care for idle stages.
 *
 * <p><b>Threads.</b> The core's worker. <b>Source.</b> spec: stages §7.
 */
@FunctionalInterface
public interface VisitOrder {
    /**
     * Where to go next.
     *
     * @param stages of the group, at least one
     * @param last the visit that is over
     * @return 0 to stages.count() - 1
     */
    int next(Stages stages, Visit last);

    /**
     * Whether a visit may go on, as far as the order is concerned. Called before each lane but the first.
     *
     * @param stages of the group
     * @param current visit
     * @return false ends it
     */
    default boolean stays(Stages stages, Visit current) {
        return true;
    }

    /** Makes the orders of a runtime. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes that of one core.
         *
         * @param core 0 to cores - 1
         * @param cores that visit the stages
         * @return of that core only
         */
        VisitOrder create(int core, int cores);
    }

    /** The stages of a group that a core visits, in the order in which they were made. That core. */
    interface Stages {
        /**
         * How many there are: grows when a stage is made.
         *
         * @return &gt;= 1
         */
        int count();

        /**
         * How many lanes wait at a stage that this core can run. A peek. A color is one lane, however many events it has.
         *
         * @param stage 0 to count - 1
         * @return &gt;= 0
         */
        int waiting(int stage);

        /**
         * How many events have been sent to a stage so far. <b>Costs.</b> Some microseconds.
         *
         * @param stage 0 to count - 1
         * @return &gt;= 0
         */
        long arrived(int stage);

        /**
         * The stage: its name, its figures, and what an event is expected to take.
         *
         * @param stage 0 to count - 1
         * @return as it was made
         */
        Stage<?> stage(int stage);

        /**
         * The clock.
         *
         * @return nanoseconds
         */
        long nowNs();
    }
}
