// SPDX-License-Identifier: Apache-2.0
package io.mely.deploy;

import java.util.List;

/** A deployment file makes no sense. */
public final class DeploymentException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Unmodifiable, as made by {@code List.copyOf}. */
    @SuppressWarnings("serial")
    private final List<String> problems;

    DeploymentException(List<String> problems) {
        super(String.join("; ", problems));
        this.problems = List.copyOf(problems);
    }

    /**
     * What is wrong, a line each.
     *
     * @return at least one
     */
    public List<String> problems() {
        return problems;
    }
}
