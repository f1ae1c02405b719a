// SPDX-License-Identifier: Apache-2.0
/** Where things lie in memory. */
@NullMarked
package io.mely.memory;

import org.jspecify.annotations.NullMarked;
