// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import java.util.function.IntUnaryOperator;

/** Colored events for the virtual machine. An object serves one run. */
interface Workload {
    /** The first home of each slot. */
    IntUnaryOperator placement();

    /** Makes stages and colors; nothing costs anything yet. */
    void setUp(Rig.Run run);

    /** Sends the first events, on core 0. */
    void begin();

    /** The warm-up is over. */
    default void measured() {}

    /** The run ends; figures of its own go to the run's extras. */
    default void ended() {}
}
