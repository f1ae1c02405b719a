// SPDX-License-Identifier: Apache-2.0
/** Colored events on cores: the public API. */
@NullMarked
package io.mely;

import org.jspecify.annotations.NullMarked;
