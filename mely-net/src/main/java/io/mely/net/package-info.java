// SPDX-License-Identifier: Apache-2.0
/**
 * The network as a part of the cores: each core's thread drives one event loop in between its colored events, and sleeps in it when it
 * has nothing to do. There are two ways to be a socket, and one between them.
 *
 * <ul>
 *   <li><b>Any Netty channel.</b> {@link io.mely.net.CoreEventLoopGroup} is a Netty event loop group; a Netty program runs on the
 *       cores by naming it. A channel stays with its loop.
 *   <li><b>Handlers in colors.</b> {@link io.mely.net.ColorEventExecutorGroup} runs chosen handlers of any Netty channel as colored events: its
 *       reading and writing stays with the loop, its work can be stolen.
 *   <li><b>A colored socket.</b> The loop only says that something is ready; the socket's color accepts, reads and writes, on whichever
 *       core it runs at the time. So a connection can be stolen with all its work, and no call hops back to the loop.
 * </ul>
 *
 * <p>What belongs here: loops, sockets, files on their way to sockets. What does not: protocols, buffers and their pools, TLS.
 *
 * <p><b>Happens-before.</b> What a color did before {@link io.mely.net.ColoredSocket#register} is seen by the readiness handler; what the
 * handler did before it sent an event is seen by that event's handler. <b>Buffers</b> are direct and belong to the caller.
 * <b>Descriptors</b> are closed by their loop, when no call on them is under way.
 */
@NullMarked
package io.mely.net;

import org.jspecify.annotations.NullMarked;
