// SPDX-License-Identifier: Apache-2.0
/** The papers' experiments: workloads that check themselves, run by Mely and by its peers behind one interface. */
@NullMarked
package io.mely.bench.paper;

import org.jspecify.annotations.NullMarked;
