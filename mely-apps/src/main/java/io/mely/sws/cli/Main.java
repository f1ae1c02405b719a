// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

/** Starts SWS from the command line. */
public final class Main {
    private Main() {}

    /**
     * Runs the program and ends the JVM with its exit code.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        LogSetup.install();
        StopSignals signals = StopSignals.install();
        int code = ExitCode.START;
        try {
            code = new Command(System.getenv(), System.out, System.err, signals, SwsLauncher::start).run(args);
        } catch (RuntimeException | Error bug) {
            System.getLogger(Main.class.getName())
                    .log(System.Logger.Level.ERROR, "ended by a bug; please report it", bug);
        } finally {
            // Whatever happens, even in the logger: the server's threads must not outlive main.
            signals.through();
            System.exit(code);
        }
    }
}
