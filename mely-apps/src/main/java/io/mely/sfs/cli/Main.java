// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import io.mely.MelyBuilder;
import io.mely.cli.Command;
import io.mely.cli.ExitCode;
import io.mely.sfs.SfsServer;
import io.mely.sfs.users.PasswordFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;

/** Starts SFS from the command line. */
public final class Main {
    private static final String HASH_PASSWORD = "--hash-password";

    private Main() {}

    /**
     * Runs the program and ends the JVM with its exit code.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        if (args.length == 1 && args[0].equals(HASH_PASSWORD)) {
            System.exit(hash(System.in, System.out, System.err));
        }
        runOn(runtime -> runtime, code -> code, args);
    }

    /**
     * Runs the program on a runtime that is built otherwise, as to observe it. Ends the JVM.
     *
     * @param runtime changes what the runtime is built from
     * @param atEnd called once the server is closed, with the exit code; answers with the one to end with
     * @param args see {@code --help}
     */
    public static void runOn(UnaryOperator<MelyBuilder> runtime, IntUnaryOperator atEnd, String... args) {
        Command.runAndExit(new SfsProgram(config -> SfsServer.start(config, runtime)), atEnd, args);
    }

    /** Reads one line, and prints its hash. */
    static int hash(InputStream in, PrintStream out, PrintStream err) {
        try {
            String line = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
            if (line == null || line.isEmpty()) {
                err.println("sfs: no password on standard input");
                return ExitCode.USAGE;
            }
            out.println(PasswordFile.hash(line.toCharArray()));
            out.flush();
            return ExitCode.OK;
        } catch (IllegalArgumentException tooLong) {
            err.println("sfs: " + tooLong.getMessage());
            return ExitCode.USAGE;
        } catch (IOException e) {
            err.println("sfs: standard input can't be read: " + e.getMessage());
            return ExitCode.START;
        }
    }
}
