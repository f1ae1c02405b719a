// SPDX-License-Identifier: Apache-2.0
package io.mely.spi;

import io.mely.Stage;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Some stages under one scheduling policy: where what is ready waits, and what a core runs next.
 *
 * <p>What waits is a {@link Lane}: a color that is ready, or one event without a color. The runtime keeps colors serial and in order, keeps the books, and
 * hands over each lane when it is ready. A color waits at the stage of its first event; it comes back, to the sink of the stage that is next, when its
 * worker has run that one. So a group orders stages and lanes, and never the events of a color.
 *
 * <p>Groups can be used side by side in one runtime: all share its cores, its books, and its close.
 *
 * <p><b>Source.</b> spec: stages §1, §7.
 */
public interface StageGroup {
    /**
     * Where lanes of a stage wait. Called once for each stage of the group, when it is made.
     *
     * @param stage whose handler runs them
     * @return its own, or one of several stages
     */
    Sink sink(Stage<?> stage);

    /**
     * The half of one core. Called once for each core, before the first lane.
     *
     * @param core 0 to cores - 1
     * @return called by that core's worker only; null if the group has threads of its own instead
     */
    @Nullable
    Visitor visitor(int core);

    /**
     * Whether the group keeps its colors serial and in order by itself. Then each lane is one event that knows its color, and is handed over when it is sent.
     * A color that is used in such a group and in others is serial and in order in each of them only.
     *
     * @return false: the runtime does it
     */
    default boolean keepsColors() {
        return false;
    }

    /**
     * How many threads can run a stage at once, for figures.
     *
     * @param stage of the group
     * @param cores of the runtime
     * @return as many as there are cores
     */
    default int threads(Stage<?> stage, int cores) {
        return cores;
    }

    /** The runtime starts: a group that has threads of its own starts them, by {@link Workers#startThread}. */
    default void start() {}

    /** Nothing runs any more, and what waits is discarded: threads of the group return. Any thread, once. */
    default void stop() {}

    /** Takes in what is ready. */
    @FunctionalInterface
    interface Sink {
        /**
         * Takes in a lane, and wakes who must run it: see {@link Workers}.
         *
         * <p><b>Threads.</b> Any, also one that runs a lane of this group; under no lock of the runtime. <b>Errors.</b> Must not throw, which stops the runtime, and takes a few KB of stack at most. It needs no memory if it uses the lane's
         * {@linkplain Lane#link own link}.
         *
         * @param lane the group's until a visitor runs it
         */
        void add(Lane lane);
    }

    /** What one core does for a group. */
    interface Visitor {
        /**
         * Runs what is ready, by {@link Worker#run}, until nothing is, or {@link Worker#isSliceOver}, or {@code run} returned false.
         *
         * @param worker that has the core
         * @return how many lanes were run; 0 if nothing was ready
         */
        int run(Worker worker);

        /**
         * After the core has found nothing to run or to poll: takes over what waits for another core, and runs some of it.
         *
         * @param worker that has the core
         * @return as {@link #run}
         */
        default int help(Worker worker) {
            return 0;
        }

        /**
         * Whether the core must not sleep. Called after it has announced its sleep and a full fence, so that either this sees a lane, or who added the lane sees the
         * sleeper. It may be asked several times. A few loads.
         *
         * @return true if there may be something to run
         */
        boolean hasWork();

        /**
         * How long the core may sleep at most. Called once before each sleep.
         *
         * @return nanoseconds, &gt; 0
         */
        default long sleepNsMax() {
            return Long.MAX_VALUE;
        }
    }

    /** Makes the group of one runtime. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes it, before the first stage.
         *
         * @param workers those of the runtime
         * @return a group of its own
         */
        StageGroup create(Workers workers);

        /**
         * The most threads of its own that the group has at once, for programs that keep something for each thread.
         *
         * @param stages names of the stages of the group
         * @return 0: it uses the cores
         */
        default int threadsMax(Collection<String> stages) {
            return 0;
        }
    }
}
