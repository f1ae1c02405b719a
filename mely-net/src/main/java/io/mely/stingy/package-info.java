// SPDX-License-Identifier: Apache-2.0
/**
 * Buffers that stay in a core's cache: a fixed number of each, in one region of memory for each core, and stages that run only when theirs are free.
 *
 * <pre>{@code
 * StingyPlan plan = StingyPlan.builder(1 << 20)
 *         .site("read", 4_097, 64, 0)             // name, declared bytes, how many, area
 *         .stage("parse", Map.of("read", 1))      // what one event allocates
 *         .build();
 * Stingy stingy = Stingy.of(plan, mely.cores());
 * ByteBufAllocator reads = stingy.allocator(PooledByteBufAllocator.DEFAULT).at("read");
 * Stage<Socket> parse = mely.stage("parse", StageOptions.defaults().withSupply(stingy.supply("parse")), this::parse);
 * }</pre>
 *
 * <p>What belongs here: the plan, the regions, and Netty's side of them. What does not: how many there should be of each, which is for tools to find.
 *
 * <p><b>Source.</b> spec: Stingy §1, §3, §4, §8; ADR 0031.
 */
@NullMarked
package io.mely.stingy;

import org.jspecify.annotations.NullMarked;
