// SPDX-License-Identifier: Apache-2.0
package io.mely.bench;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.UnmatchedArgumentException;

/** How the commands of the jar run. What is wrong with an option is said in a line: above a screen of usage nobody would find it. */
public final class Commands {
    private Commands() {}

    /**
     * Runs a command.
     *
     * @param command an object with picocli's annotations
     * @param args its options
     * @return its exit code; 2 for wrong options
     */
    public static int execute(Object command, String... args) {
        CommandLine line = new CommandLine(command);
        line.setParameterExceptionHandler((e, given) -> {
            PrintWriter err = e.getCommandLine().getErr();
            err.println(e.getMessage());
            if (!UnmatchedArgumentException.printSuggestions(e, err)) {
                err.println("Its options: " + e.getCommandLine().getCommandName() + " --help");
            }
            return e.getCommandLine().getCommandSpec().exitCodeOnInvalidInput();
        });
        return line.execute(args);
    }
}
