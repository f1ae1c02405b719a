// SPDX-License-Identifier: Apache-2.0
/** Cores, caches, quotas and pinning of the machine. */
@NullMarked
package io.mely.topology;

import org.jspecify.annotations.NullMarked;
