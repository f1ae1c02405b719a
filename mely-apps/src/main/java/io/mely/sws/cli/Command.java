// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.Version;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;

/**
 * The program: reads what it is told, serves until it is stopped, and says how it ended.
 *
 * <p><b>Threads.</b> One call of {@link #run} at a time.
 *
 * @param variables environment variables of the process
 * @param out gets the ready line, help and version
 * @param err gets problems and statistics
 * @param signals end the serving
 * @param launcher starts the server
 */
record Command(
        Map<String, String> variables,
        PrintStream out,
        PrintStream err,
        StopSignals signals,
        Server.Launcher launcher) {
    /** Between two looks at whether the server goes on. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    /**
     * Runs until the end.
     *
     * @param args the command line
     * @return an {@link ExitCode}
     */
    int run(String... args) {
        try {
            Flags flags = Flags.parse(args);
            if (flags.isHelp()) {
                out.print(Flags.help());
            } else if (flags.isVersion()) {
                out.println(version());
            } else {
                return serve(Invocation.of(flags, variables), flags.isRehearsal());
            }
            return ExitCode.OK;
        } catch (UsageException wrong) {
            wrong.problems().forEach(this::complain);
            return ExitCode.USAGE;
        } catch (StartException failed) {
            complain(String.valueOf(failed.getMessage()));
            return ExitCode.START;
        } finally {
            out.flush();
            err.flush();
        }
    }

    private int serve(Invocation invocation, boolean isRehearsal) throws StartException {
        Server server = start(invocation);
        if (!signals.isStopping()) {
            out.println(ReadyLine.of(server, invocation.config()));
            out.flush();
        }
        boolean isAnswered = true;
        boolean isServing = true;
        if (isRehearsal) {
            isAnswered = Rehearsal.isAnswered(server.localAddress());
        } else {
            isServing = servesUntilStop(server);
        }
        if (isServing) { // else there is nobody left to end responses, and the process takes the rest with it
            // What is cut after the deadline the server logs; a stop that was asked for is a success all the same.
            server.close(invocation.config().drainDeadline());
        }
        if (invocation.values().get(Settings.STATS)) {
            err.print(StatsReport.of(server.stats(), server.counters()));
        }
        if (!isAnswered) {
            throw new StartException("no answer to a request of its own");
        }
        if (!isServing) {
            complain("stopped by itself; the log says why");
            return ExitCode.BROKEN;
        }
        return ExitCode.OK;
    }

    private Server start(Invocation invocation) throws StartException {
        try {
            return startServer(invocation);
        } catch (IOException failed) {
            throw StartFailure.explain(failed, invocation);
        }
    }

    private Server startServer(Invocation invocation) throws IOException {
        try {
            return launcher.start(invocation.config());
        } catch (RuntimeException failed) {
            throw StartFailure.unwrap(failed);
        } catch (OutOfMemoryError failed) {
            throw new IOException("out of memory: " + failed.getMessage(), failed);
        }
    }

    /** Waits for a stop that is asked for; false if the server has broken down before. */
    private boolean servesUntilStop(Server server) {
        try {
            boolean isStopping = false;
            while (!isStopping && server.isServing()) {
                isStopping = signals.await(LOOK);
            }
        } catch (InterruptedException alsoAStop) {
            Thread.currentThread().interrupt();
        }
        return server.isServing();
    }

    private void complain(String problem) {
        err.println("sws: " + problem);
    }

    private static String version() {
        return "sws " + Version.version() + " (Java " + System.getProperty("java.version") + ", "
                + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ")";
    }
}
