// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.tls;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A certificate, a key or another file of TLS is not as it should be. The message names the file, says what is wrong, and what to do where that is known. */
public final class TlsException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message the file and what is wrong
     */
    public TlsException(String message) {
        super(message);
    }

    /**
     * Makes one.
     *
     * @param message the file and what is wrong
     * @param cause what found it
     */
    public TlsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
