// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy.stingy;

import io.mely.deploy.stingy.MemoryPlan.PlannedObject;
import io.mely.deploy.stingy.MemoryPlan.StageUse;
import io.mely.stingy.StingyPlan;

/** From a plan of the tools to one that the runtime allocates by: sites keep their numbers. */
public final class RuntimePlan {
    private RuntimePlan() {}

    /**
     * Converts a plan.
     *
     * @param plan of a core
     * @return the same, with the stages that wait for what they allocate
     * @throws IllegalArgumentException if the plan was edited, and cannot hold
     */
    public static StingyPlan of(MemoryPlan plan) {
        StingyPlan.Builder builder = StingyPlan.builder(plan.regionBytes());
        for (PlannedObject object : plan.objects()) {
            builder.site(
                    object.name(),
                    Math.toIntExact(object.sizeBytes()),
                    object.count(),
                    object.area(),
                    object.ownCount());
        }
        for (StageUse stage : plan.stages()) {
            if (!stage.allocs().isEmpty()) {
                builder.stage(stage.name(), stage.allocs());
            }
        }
        return builder.build();
    }
}
