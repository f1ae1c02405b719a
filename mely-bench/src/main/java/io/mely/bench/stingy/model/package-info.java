// SPDX-License-Identifier: Apache-2.0
/** What a staged program allocates, stage by stage, and what a plan gives it: two files that people may edit. The search for the plan is in {@code solve}. */
@NullMarked
package io.mely.bench.stingy.model;

import org.jspecify.annotations.NullMarked;
