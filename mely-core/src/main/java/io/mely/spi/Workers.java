// SPDX-License-Identifier: Apache-2.0
package io.mely.spi;

import io.mely.Stage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The cores of a runtime, as a group sees them.
 *
 * <p><b>Threads.</b> Any.
 */
public interface Workers {
    /**
     * How many there are.
     *
     * @return &gt;= 1
     */
    int cores();

    /**
     * The core on which the calling handler runs.
     *
     * @return -1 outside of handlers, also for what a core does between them: what it polls, and its timers
     */
    int handlerCore();

    /**
     * Whether the calling handler runs in a color.
     *
     * @return false outside of handlers, too
     */
    boolean isInColor();

    /**
     * What a lane is expected to take, with all the events of a color. A hint: others may add events.
     *
     * @param lane that the group has
     * @return nanoseconds; penalties divide it, as they do for a steal
     */
    long expectedNs(Lane lane);

    /**
     * A lane by its number.
     *
     * @param id of a lane that the group has
     * @return the lane
     */
    Lane lane(int id);

    /**
     * The stage at which a lane waits.
     *
     * @param lane that the group has
     * @return of its first event
     */
    Stage<?> stage(Lane lane);

    /**
     * The event that a lane runs next.
     *
     * @param lane that the group has
     * @return as it was sent
     */
    @Nullable
    Object event(Lane lane);

    /**
     * Wakes a core if it sleeps. After the lane can be found: a full fence comes first.
     *
     * @param core 0 to cores - 1
     * @return whether it slept, and is awake by this call
     */
    boolean wake(int core);

    /**
     * Wakes one of some cores, if one of them sleeps. After the lane can be found: a full fence comes first.
     *
     * @param first core
     * @param end behind the last core
     * @return whether one is awake by this call
     */
    boolean wakeOne(int first, int end);

    /**
     * Wakes one core that sleeps, if there is one, as {@link #wakeOne(int, int)} does.
     *
     * @return whether one is awake by this call
     */
    default boolean wakeOne() {
        return wakeOne(0, cores());
    }

    /**
     * Starts a thread of the group's own, which runs lanes by its worker, and may wait in a handler. It ends when the body returns; a close waits for that, after
     * {@link StageGroup#stop}.
     *
     * @param name of the thread, behind that of the runtime
     * @param body gets the worker; what it throws stops the runtime
     * @return false if no thread is to be had, or the runtime has stopped
     */
    boolean startThread(String name, Consumer<Worker> body);

    /**
     * The clock to use.
     *
     * @return the runtime's
     */
    NanoClock clock();
}
