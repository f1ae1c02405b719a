// SPDX-License-Identifier: Apache-2.0
/**
 * What a server refuses for want of capacity, or because one client wants more than its share. Only decides: knows no sockets, no
 * colors, and no clock but the one it is passed.
 */
@NullMarked
package io.mely.sws.limits;

import org.jspecify.annotations.NullMarked;
