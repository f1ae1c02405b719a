// SPDX-License-Identifier: Apache-2.0
/** Figures of policies that are no part of the API: a door to its package, for benchmarks only. */
@NullMarked
package io.mely.policy;

import org.jspecify.annotations.NullMarked;
