// SPDX-License-Identifier: Apache-2.0
/** Which victim, which color, and whether it pays. */
@NullMarked
package io.mely.steal;

import org.jspecify.annotations.NullMarked;
