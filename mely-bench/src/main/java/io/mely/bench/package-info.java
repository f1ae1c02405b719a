// SPDX-License-Identifier: Apache-2.0
/** Benchmarks: the cost of an operation with its alternatives, and the papers' experiments. */
@NullMarked
package io.mely.bench;

import org.jspecify.annotations.NullMarked;
