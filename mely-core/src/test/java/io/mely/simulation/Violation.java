// SPDX-License-Identifier: Apache-2.0
package io.mely.simulation;

import java.io.Serial;

/** A check that failed in a simulation. The message ends with the line that reproduces it. */
public final class Violation extends AssertionError {
    @Serial
    private static final long serialVersionUID = 1L;

    private final Check check;

    Violation(Check check, String message, Throwable cause) {
        super(message, cause);
        this.check = check;
    }

    /** Which one. */
    public Check check() {
        return check;
    }
}
