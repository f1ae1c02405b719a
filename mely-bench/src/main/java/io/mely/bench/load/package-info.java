// SPDX-License-Identifier: Apache-2.0
/**
 * The load generator: virtual clients over raw epoll sockets, closed loop as in the papers or open loop at a set rate, masters and slaves.
 *
 * <p>What runs once for each request allocates nothing. A {@link io.mely.bench.load.ClientLoop} and its clients belong to one thread.
 */
@NullMarked
package io.mely.bench.load;

import org.jspecify.annotations.NullMarked;
