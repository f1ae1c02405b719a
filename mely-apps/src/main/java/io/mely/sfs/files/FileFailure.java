// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.files;

import java.io.IOException;

/**
 * A file call that was refused, by the kernel or by a rule of the server. The message is for the client, and names no path of the server.
 *
 * <p><b>Costs.</b> Has no stack trace: clients ask for files that do not exist all the time.
 */
public final class FileFailure extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    /**
     * A call that the kernel refused.
     *
     * @param errno why
     */
    public FileFailure(int errno) {
        this(errno, Kernel.strerror(errno));
    }

    /**
     * A call that a rule refuses.
     *
     * @param errno what kind of refusal it is
     * @param message for the client
     */
    public FileFailure(int errno, String message) {
        super(message);
        this.errno = errno;
    }

    /**
     * Why.
     *
     * @return a constant of {@link Errno}, or another number of the kernel's
     */
    public int errno() {
        return errno;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
