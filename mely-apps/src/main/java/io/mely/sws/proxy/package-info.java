// SPDX-License-Identifier: Apache-2.0
/**
 * Who a client is when proxies stand in between: which addresses are trusted to say it, and the two ways in which they do, fields of HTTP and the PROXY protocol. Nothing here
 * knows connections.
 */
@NullMarked
package io.mely.sws.proxy;

import org.jspecify.annotations.NullMarked;
