// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy.solve;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.bench.stingy.model.StageModel;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.RuntimePlan;
import io.mely.stingy.StingyPlan;
import java.util.Random;
import org.junit.jupiter.api.Test;

// What the solver takes to fit, the runtime's region has room for.
class RuntimePlanTest {
    @Test
    void randomPlans_fitIntoTheRuntimesRegion() {
        long seed = Long.getLong("mely.seed", 9);
        Random random = new Random(seed);
        int planned = 0;
        for (int i = 0; i < 2_000; i++) {
            StageModel any = Models.random(random, 8, 7, 3_000, 1);
            StageModel model = new StageModel(20_000 + random.nextInt(300_000), 64, 0, any.objects(), any.stages());
            try {
                MemoryPlan plan = new Planner(model).plan();
                if (!plan.objects().isEmpty()) {
                    StingyPlan converted = RuntimePlan.of(plan);
                    assertThat(converted.bytes()).as("seed %s", seed).isLessThanOrEqualTo(plan.usedBytes());
                    for (int site = 0; site < plan.objects().size(); site++) {
                        PlannedObject object = plan.objects().get(site);
                        assertThat(converted.sites().get(site))
                                .isEqualTo(new StingyPlan.Site(
                                        object.name(),
                                        (int) object.sizeBytes(),
                                        object.count(),
                                        object.area(),
                                        object.ownCount()));
                    }
                    planned++;
                }
            } catch (InfeasibleException tooLarge) {
                assertThat(tooLarge).hasMessageContaining("are missing");
            }
        }
        assertThat(planned).isGreaterThan(1_000);
    }
}
