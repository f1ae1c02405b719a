// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The connection is lost: reset, closed by the peer while it was written to, timed out or unreachable. An everyday event, no
 * fault of this process: close the socket and say nothing.
 *
 * <p><b>Costs.</b> Has no stack trace.
 */
public final class PeerGoneException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what failed and why
     * @param cause what the transport threw, if anything
     */
    PeerGoneException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
