// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Property: what is measured of a CPU's width is what a CPU can do. */
class WidthTest {
    @Test
    void measure_isBetweenAChainAndTheWidestCpu() {
        // Each chain alone does 1 instruction a cycle, half of it if the core is shared; no CPU does 16.
        assertThat(Width.measure()).isGreaterThan(0.5).isLessThan(16);
    }
}
