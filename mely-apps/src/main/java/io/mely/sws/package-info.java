// SPDX-License-Identifier: Apache-2.0
/**
 * SWS, a static web server on Mely: {@link io.mely.sws.SwsServer} starts one from a {@link io.mely.sws.SwsConfig}, and
 * {@link io.mely.sws.SwsSettings} is all that it can be told. The stage graph is
 * drawn in {@code SwsStage}, the life of a connection in {@code Connection}. HTTP itself is in {@code http}, HTTP/2's frames in {@code http2}, the served folder in
 * {@code files}, the command line in {@code cli}.
 *
 * <p>What belongs to a connection is touched in its color, what belongs to a core by the events that run there, and so no request needs a
 * lock. What several acceptors count together ({@code Admission}) costs an atomic or two a connection.
 */
@NullMarked
package io.mely.sws;

import org.jspecify.annotations.NullMarked;
