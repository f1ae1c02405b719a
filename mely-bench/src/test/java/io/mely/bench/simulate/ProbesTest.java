// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.topology.CacheMap;
import io.mely.topology.Cpus;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

/** The probes measure something, and what must be larger on any machine is: by the least of some tries, on however busy a host. */
class ProbesTest {
    /** What is compared differs by several times. */
    private static final int TRIES = 6;

    private static final int TRIES_OF_WALKS = 20;

    private static double least(Map<String, DoubleSupplier> probes, String name) {
        return least(probes, name, TRIES);
    }

    private static double least(Map<String, DoubleSupplier> probes, String name, int tries) {
        DoubleSupplier probe = probes.get(name);
        double least = Double.MAX_VALUE;
        for (int i = 0; i < tries; i++) {
            double ns = probe.getAsDouble();
            assertThat(ns).as(name).isPositive();
            least = Math.min(least, ns);
        }
        return least;
    }

    @Test
    void probes_haveTheirOrder() throws Exception {
        try (Selector selector = Selector.open()) {
            Map<String, DoubleSupplier> probes = new Probes().near(List.of(32L << 10, 512L << 10, 64L << 20), selector);
            double hit = least(probes, Probes.level(0));
            assertThat(least(probes, LastLevel.probe(16 << 20))).isGreaterThan(hit);
            assertThat(least(probes, "CAS")).isGreaterThan(least(probes, "cycle"));
            assertThat(least(probes, "poll")).isGreaterThan(hit); // a system call
            CacheMap map = CacheMap.ofThisMachine(Cpus.allowed());
            Map<String, DoubleSupplier> handOvers = new HandOvers(map).probes();
            assertThat(handOvers).isNotEmpty();
            for (String name : handOvers.keySet()) {
                double ns = least(handOvers, name);
                if (name.startsWith("transfer")) {
                    assertThat(ns).isGreaterThan(hit);
                }
            }
        }
    }

    @Test
    void walks_haveTheirOrder() {
        Map<String, DoubleSupplier> walks = new Probes().walks(List.of(32L << 10, 512L << 10, 16L << 20));
        assertThat(least(walks, "computing walk", TRIES_OF_WALKS))
                .as("in memory")
                .isGreaterThan(least(walks, "computing", TRIES_OF_WALKS));
        assertThat(least(walks, "walk of two", TRIES_OF_WALKS)).isLessThan(2 * least(walks, "walk", TRIES_OF_WALKS));
        assertThat(least(walks, "walk of pages", TRIES_OF_WALKS)).isPositive();
    }
}
