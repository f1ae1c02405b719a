// SPDX-License-Identifier: Apache-2.0
/** Sockets and selectors as event sources of a core. */
@NullMarked
package io.mely.net;

import org.jspecify.annotations.NullMarked;
