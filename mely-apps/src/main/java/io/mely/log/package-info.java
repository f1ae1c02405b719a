// SPDX-License-Identifier: Apache-2.0
/** Files that servers log to, rotated by size or time, or by whoever moves them away. */
@NullMarked
package io.mely.log;

import org.jspecify.annotations.NullMarked;
