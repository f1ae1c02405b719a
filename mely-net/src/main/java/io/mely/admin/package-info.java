// SPDX-License-Identifier: Apache-2.0
/** A look at a running application: its stage graph as text and as a page, on a port of its own. */
@NullMarked
package io.mely.admin;

import org.jspecify.annotations.NullMarked;
