// SPDX-License-Identifier: Apache-2.0
/** Experiments with a graph of stages in this JVM: more load than it can do, and a load that changes. */
@NullMarked
package io.mely.bench.stages;

import org.jspecify.annotations.NullMarked;
