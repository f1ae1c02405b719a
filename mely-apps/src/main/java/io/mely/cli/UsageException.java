// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.util.List;

/** Says that the words given make no sense: a wrong flag, key or value. The process ends with {@link ExitCode#USAGE}. */
public final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Unmodifiable, as made by {@code List.copyOf}. */
    @SuppressWarnings("serial")
    private final List<String> problems;

    /**
     * Carries one problem.
     *
     * @param problem one line
     */
    public UsageException(String problem) {
        this(List.of(problem));
    }

    /**
     * Carries all problems found, so that they can be mended at once.
     *
     * @param problems one line each, at least one
     */
    public UsageException(List<String> problems) {
        super(String.join("\n", problems), null, false, false);
        this.problems = List.copyOf(problems);
    }

    /**
     * What is wrong.
     *
     * @return one line each
     */
    public List<String> problems() {
        return problems;
    }
}
