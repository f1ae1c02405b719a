// SPDX-License-Identifier: Apache-2.0
/** The steppable core loop, its thread, and the life cycle. */
@NullMarked
package io.mely.runtime;

import org.jspecify.annotations.NullMarked;
