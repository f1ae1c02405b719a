// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP/1.1 on byte arrays: reading requests strictly, writing responses. Knows nothing of sockets, files or colors.
 *
 * <p>Offsets of a {@link io.mely.sws.http.RequestHead} count from the first byte of that head, so that the bytes may move in
 * their buffer while the head is incomplete. Nothing here allocates for an ordinary request.
 *
 * <p><b>Source.</b> RFC 9110 (semantics), RFC 9112 (HTTP/1.1), cited by section.
 */
@NullMarked
package io.mely.sws.http;

import org.jspecify.annotations.NullMarked;
