// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP/2 (RFC 9113) for a server that has stages for HTTP/1.1: frames, header blocks, flow control and priorities, without a socket and without a thread.
 *
 * <pre>
 *   bytes ──► {@link io.mely.sws.http2.Session} ──► FrameReader ──► HeadDecoder ──► RequestFields ──► a head of HTTP/1.1 in an exchange
 *                │   │                                                                                  │
 *                │   └── a {@link io.mely.sws.http2.Stream} for each request ◄── its owner ◄── the stages of a request
 *                ▼                                                                │
 *   bytes ◄── Output ◄── HeadEncoder, frames of data ◄── Turns, Windows ◄─────────┘  a head and a body of HTTP/1.1
 * </pre>
 *
 * <p><b>The seam.</b> A stream is a connection to the stages: it has a link of its own ({@code StreamLink}), as a socket and TLS have theirs. They read one request from it, write one
 * answer to it, and close it. So files, conditions, ranges, codings, limits, applications and logs are the same for all versions, and HTTP/1.1 pays nothing. A request is checked by the
 * rules of RFC 9113 8 before its head is written down, and its body's end is the stream's: nothing that a client sends can be read as a second request.
 *
 * <p><b>Color.</b> All streams of a connection run in its color. Their events take turns, so a slow one (a list of a large folder, an application) holds up none of the others.
 *
 * <p><b>Output.</b> What streams write goes into one buffer, which is written when the events that were waiting have run: the answers to requests that came together leave together. A
 * stream that finds no room, no window or others before it waits for its turn, as a connection waits for its socket.
 *
 * <p><b>Abuse.</b> Streams, fields, header blocks, memory and time are limited each for itself. What asks for nothing (pings, settings, resets, empty frames, priorities, parts of header
 * blocks, changes of windows that no data has brought about) takes tokens of one bucket. A window that does not open is a slow client: the stream ends by the write time-out. A stream
 * that waits for others does not, while the client takes their data.
 *
 * <p><b>Threads.</b> Nothing here is safe for threads: it is used in the color of a connection. <b>Libraries.</b> HPACK is Netty's. Its reader and writer of frames need a channel and
 * its executor, which connections here have not.
 */
@NullMarked
package io.mely.sws.http2;

import org.jspecify.annotations.NullMarked;
