// SPDX-License-Identifier: Apache-2.0
/** libasync-mp and libasync-smp, the runtimes before Mely, as scheduling policies: what Mely is measured against. */
@NullMarked
package io.mely.bench.libasync;

import org.jspecify.annotations.NullMarked;
