// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

/** How the process ends; documented in the manual of each program. */
public final class ExitCode {
    /** A stop that was asked for, {@code --help}, {@code --version}. */
    public static final int OK = 0;

    /** The server could not start: port in use, address not local, root unreadable. */
    public static final int START = 1;

    /** Wrong usage or configuration. */
    public static final int USAGE = 2;

    /** The server has stopped by itself, for want of memory or by a bug: whoever watches over it starts it again. */
    public static final int BROKEN = 3;

    /** A second signal ended the process at once: this plus the signal's number, as a shell counts. */
    public static final int SIGNAL_BASE = 128;

    private ExitCode() {}
}
