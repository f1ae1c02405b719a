// SPDX-License-Identifier: Apache-2.0
/**
 * What TLS needs beside a connection: certificates and which of them a client gets, keys of session tickets, and the engine that does the
 * cryptography. How a connection uses an engine is in {@code TlsLink}. Nothing here knows HTTP.
 *
 * <p><b>Threads.</b> A {@link io.mely.sws.tls.TlsContext} may be used by any number. An engine belongs to its connection's color.
 */
@NullMarked
package io.mely.sws.tls;

import org.jspecify.annotations.NullMarked;
