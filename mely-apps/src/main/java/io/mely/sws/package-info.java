// SPDX-License-Identifier: Apache-2.0
/**
 * SWS, a static web server on Mely: {@link io.mely.sws.SwsServer} starts one from a {@link io.mely.sws.SwsConfig}. The stage graph is
 * drawn in {@code SwsStage}, the life of a connection in {@code Connection}. HTTP itself is in {@code http}, the served folder in
 * {@code files}, the command line in {@code cli}.
 *
 * <p>No handler takes a lock or an atomic of its own: what belongs to a connection is touched in its color, the counter of clients in
 * color 1, and what belongs to a core by the events that run there.
 */
@NullMarked
package io.mely.sws;

import org.jspecify.annotations.NullMarked;
