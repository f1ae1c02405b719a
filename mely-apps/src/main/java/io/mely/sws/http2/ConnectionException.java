// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.handler.codec.http2.Http2Error;

/** The client has broken the protocol in a way that ends the connection (RFC 9113 5.4.1). Without a stack trace: it is the client's doing. */
public final class ConnectionException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Http2Error error;

    ConnectionException(Http2Error error, String message) {
        super(message, null, false, false);
        this.error = error;
    }

    Http2Error error() {
        return error;
    }
}
