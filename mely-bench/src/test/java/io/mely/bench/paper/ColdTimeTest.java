// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Property: what is measured of a load is what a memory can do. */
class ColdTimeTest {
    @Test
    void measureNs_isLongerThanALoadFromTheNearestCache() {
        // Loads that wait for each other take a nanosecond in the nearest cache of any CPU. There is no bound above:
        // see LineTimeTest.
        assertThat(ColdTime.measureNs()).isGreaterThan(1).isFinite();
    }
}
