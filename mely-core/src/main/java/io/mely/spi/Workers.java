// SPDX-License-Identifier: Apache-2.0
package io.mely.spi;

import io.mely.Stage;

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
     * The core of the calling thread.
     *
     * @return -1 for a thread that has none
     */
    int currentCore();

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
     * Wakes a core if it sleeps. After the lane can be found: a full fence comes first.
     *
     * @param core 0 to cores - 1
     * @return whether it slept, and is awake by this call
     */
    boolean wake(int core);

    /**
     * Wakes one core that sleeps, if there is one. After the lane can be found: a full fence comes first.
     *
     * @return whether one is awake by this call
     */
    boolean wakeOne();

    /**
     * The clock to use.
     *
     * @return the runtime's
     */
    NanoClock clock();
}
