// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.stingy;

import io.mely.bench.Commands;
import picocli.CommandLine.Command;

/** {@code stingy}: from a program's classes to a plan of its buffers, and back into the program. */
@Command(
        name = "stingy",
        mixinStandardHelpOptions = true,
        description = "Buffers that stay in the cache: how many of each a staged program may have at once.",
        subcommands = {WalkCommand.class, GenCommand.class, StingifyCommand.class, RunCommand.class})
public final class StingyCommand {
    private StingyCommand() {}

    /**
     * Runs the command.
     *
     * @param args {@code walk}, {@code gen}, {@code stingify} or {@code run}, and its options
     * @return 0; 1 if a file cannot be written, or no plan fits; 2 for wrong options and files
     */
    public static int execute(String... args) {
        return Commands.execute(new StingyCommand(), args);
    }
}
