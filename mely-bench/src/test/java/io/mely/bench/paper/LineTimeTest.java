// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Property: what is measured of a line is what a memory can do. */
class LineTimeTest {
    @Test
    void measureNs_isLongerThanALoadFromTheOwnCache() {
        // No two CPUs pass a line on within a nanosecond. There is no bound above: a thread may lose its CPU each time.
        double ns = LineTime.measureNs();
        if (Runtime.getRuntime().availableProcessors() < 2) {
            assertThat(ns).isNaN();
        } else {
            assertThat(ns).isGreaterThan(1).isFinite();
        }
    }
}
