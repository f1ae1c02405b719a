// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

// Invariants 1 to 6 hold whatever the order of steps, with faults and after them.
class SimulationTest {
    @Test
    void seeds_keepTheInvariants() {
        for (long seed = 0; seed < 2_000; seed++) {
            assertThat(Chaos.run(seed, UnaryOperator.identity()).violation()).isNull();
        }
    }
}
