// SPDX-License-Identifier: Apache-2.0
/**
 * From a {@link io.mely.bench.stingy.model.StageModel} to a {@link io.mely.deploy.stingy.MemoryPlan}: how many instances of each object fit into the region, and
 * where they are. What objects live when is in {@code Lives}, who may share memory in {@code Colors}, the integer program in {@code LevelSearch}.
 */
@NullMarked
package io.mely.bench.stingy.solve;

import org.jspecify.annotations.NullMarked;
