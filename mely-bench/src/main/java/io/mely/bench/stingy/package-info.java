// SPDX-License-Identifier: Apache-2.0
/**
 * {@code stingy}: the tools of the cache-sized allocator. {@code walk} finds stages and buffers in compiled classes, {@code gen} decides how many buffers there may be, {@code stingify}
 * makes the program allocate by that.
 */
@NullMarked
package io.mely.bench.stingy;

import org.jspecify.annotations.NullMarked;
