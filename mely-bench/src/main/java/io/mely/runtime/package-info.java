// SPDX-License-Identifier: Apache-2.0
/** What measures parts of the runtime by themselves: a door to its package, for benchmarks only. */
@NullMarked
package io.mely.runtime;

import org.jspecify.annotations.NullMarked;
