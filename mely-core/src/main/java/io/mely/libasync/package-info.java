// SPDX-License-Identifier: Apache-2.0
/** The runtimes Mely grew from, as engines: libasync-smp and libasync-mp. */
@NullMarked
package io.mely.libasync;

import org.jspecify.annotations.NullMarked;
