// SPDX-License-Identifier: Apache-2.0
package io.mely.net;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The process or the machine has no descriptor, or no memory for one, left. It passes: what was open goes on, and the call can be made
 * again when something was closed.
 */
public final class OutOfDescriptorsException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what failed and why
     * @param cause what the transport threw, if anything
     */
    OutOfDescriptorsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
