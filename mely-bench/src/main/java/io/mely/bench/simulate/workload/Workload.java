// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate.workload;

import io.mely.Policy;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Colored events for the virtual machine. An object serves one run. */
interface Workload {
    /** The first home of each slot. */
    IntUnaryOperator placement();

    /**
     * What an engine means for these stages, if that is more than its name says.
     *
     * @param engine its name
     * @return null if the name says all
     */
    default @Nullable Policy policy(String engine) {
        return null;
    }

    /** Groups of stages beside the engine's. */
    default Map<String, Policy> groups() {
        return Map.of();
    }

    /** Makes stages and colors; nothing costs anything yet. */
    void setUp(Rig.Run run);

    /** Sends the first events, on core 0. */
    void begin();

    /** The warm-up is over. */
    default void measured() {}

    /** The run ends; figures of its own go to the run's extras. */
    default void ended() {}
}
