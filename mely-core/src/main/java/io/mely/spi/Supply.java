// SPDX-License-Identifier: Apache-2.0
package io.mely.spi;

import org.jspecify.annotations.Nullable;

/**
 * What the events of a stage need before they run: a bounded stock on each core, for instance of buffers that fit into its cache. A stage is given one by
 * {@link io.mely.StageOptions#withSupply}.
 *
 * <p>Before an event runs, its worker takes what the event needs from the stock of its core, all or nothing. If there is too little, the event does not run: it stays the first of its color, and
 * waits until there is enough. Nobody tells the runtime of that: a core that has such events looks before each of its steps, and does not sleep.
 *
 * <p>No event waits for good. A core runs one <em>without</em>, by {@link #pass}, if it has nothing else to run and would go to sleep, or if the first of those that wait has waited for {@link #slicesMax} time slices.
 * So does at once who cannot put the event aside: a thread of a group's own, and a group that keeps its colors. Events that senders call, and those of a stage without a supply, take nothing.
 *
 * <p><b>Threads.</b> Any, several at once also for one core, as another thread may take over a core whose handler takes long. What a thread has taken is for the handlers that it calls next. Handlers may nest only
 * as calls do. <b>Costs.</b> They are on the path of each event. <b>Errors.</b> No method may throw: that stops the runtime. <b>Source.</b> spec: Stingy §4.
 */
public interface Supply {
    /** Time slices that a lane waits at most: with the 100 microseconds that these take by default, as long as a core that computes waits for relief (ADR 0015). */
    int SLICES_MAX = 100;

    /**
     * For how many cores it has stock.
     *
     * @return at least those of the runtime
     */
    int cores();

    /**
     * Whether an event needs anything. One that needs nothing runs at once, past the events of other colors that wait, and takes and gives back nothing.
     *
     * <p>The worker that is about to run the event asks, and no other event of its color runs meanwhile. So the answer may depend on what the events of that color have written, and must be the same until the event has run.
     *
     * @param event as it was sent
     * @return false: {@link #tryTake} is not called for it
     */
    default boolean isNeededBy(@Nullable Object event) {
        return true;
    }

    /**
     * Takes what some events need, or nothing.
     *
     * @param core whose stock it is, 0 to cores - 1
     * @param events that the calling thread runs next, &gt; 0; the runtime asks for one at a time
     * @return whether it is the thread's until {@link #giveBack}
     */
    boolean tryTake(int core, int events);

    /**
     * Whether a {@link #tryTake} for one event would succeed now. A hint, asked once a step by a core on which events wait.
     *
     * @param core whose stock it is
     * @return false: a core need not try
     */
    boolean isAvailable(int core);

    /**
     * The calling thread runs an event that could not take what it needs. {@link #giveBack} follows.
     *
     * @param core of the thread
     */
    void pass(int core);

    /**
     * The handler has ended, whatever became of it: what was taken for it and not used is stock again.
     *
     * @param core as given to {@link #tryTake} or {@link #pass}
     */
    void giveBack(int core);

    /**
     * For how many time slices of a busy core the first of its waiting events waits at most.
     *
     * @return &gt;= 0
     */
    default int slicesMax() {
        return SLICES_MAX;
    }
}
