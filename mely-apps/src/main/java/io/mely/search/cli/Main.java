// SPDX-License-Identifier: Apache-2.0
package io.mely.search.cli;

import io.mely.cli.Command;

/** Starts the search server from the command line. */
public final class Main {
    private Main() {}

    /**
     * Runs the program and ends the JVM with its exit code.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        Command.runAndExit(new SearchProgram(), code -> code, args);
    }
}
