// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.MelyBuilder;
import io.mely.cli.Command;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;

/** Starts SWS from the command line. */
public final class Main {
    private Main() {}

    /**
     * Runs the program and ends the JVM with its exit code.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        run(runtime -> runtime, code -> code, args);
    }

    /**
     * Does the same on a runtime that is built otherwise, as to observe its handlers.
     *
     * @param runtime changes what it is built from
     * @param atEnd called once the server is closed, with the exit code; answers with the one to end with
     * @param args see {@code --help}
     */
    public static void runOn(UnaryOperator<MelyBuilder> runtime, IntUnaryOperator atEnd, String... args) {
        run(runtime, atEnd, args);
    }

    private static void run(UnaryOperator<MelyBuilder> runtime, IntUnaryOperator atEnd, String... args) {
        long pid = ProcessHandle.current().pid();
        SwsProgram program =
                new SwsProgram(config -> SwsLauncher.start(config, runtime, PassedSockets.of(System.getenv(), pid)));
        Command.runAndExit(program, atEnd, args);
    }
}
