// SPDX-License-Identifier: Apache-2.0
package io.mely.stingy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.simulation.MelySimulation;
import io.mely.simulation.Simulation;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

// Regions, supplies and stealing on simulated cores: after each step no site has more in use than there are.
@Tag("any-jdk")
class StingySimulationTest {
    private static final AtomicLong REFUSED = new AtomicLong();
    private static final AtomicLong PASSED = new AtomicLong();

    @MelySimulation(seeds = 1_500, cores = 3)
    void requests_keepTheAccounts(Simulation.World world) {
        StingyLoad load = new StingyLoad(world.mely(), 12, 60, world::choose);
        int[] left = {40};
        world.outsideThread("clients", () -> {
            boolean unused = load.begin();
            return --left[0] > 0;
        });
        world.outsideThread("frees", () -> {
            if (world.choose(3) == 0) {
                load.freeRest();
            }
            return left[0] > 0 || !load.toFree.isEmpty();
        });
        world.checkAfterSteps(load::check);
        world.checkAtEnd(() -> {
            load.freeRest();
            load.checkBooks();
            load.stingy.stats().sites().forEach(site -> REFUSED.addAndGet(site.refused()));
            load.stingy.stats().passed().values().forEach(PASSED::addAndGet);
        });
    }

    @AfterAll
    static void eventsHaveWaited() {
        assertThat(REFUSED).hasPositiveValue();
        assertThat(PASSED).hasPositiveValue();
    }
}
