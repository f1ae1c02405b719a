// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

/** Says that the words make sense but this machine can't do it: a port in use, no such root. Ends with {@link ExitCode#START}. */
public final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Carries the reason.
     *
     * @param problem one line
     */
    public StartException(String problem) {
        super(problem, null, false, false);
    }
}
