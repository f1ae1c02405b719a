// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import io.mely.Version;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The life of a program: reads what it is told, serves until it is stopped, and says how it ended.
 *
 * <p><b>Threads.</b> One call of {@link #run} at a time.
 *
 * @param program what is run
 * @param variables environment variables of the process
 * @param out gets the ready line, help and version
 * @param err gets problems and statistics
 * @param signals end the serving
 */
public record Command(
        Program program, Map<String, String> variables, PrintStream out, PrintStream err, StopSignals signals) {
    /** Between two looks at whether the server goes on. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    /**
     * Runs a program in this process, and ends the JVM with its exit code.
     *
     * @param program what is run
     * @param atEnd called once the server is closed, with the exit code; answers with the one to end with
     * @param args the command line
     */
    public static void runAndExit(Program program, IntUnaryOperator atEnd, String... args) {
        LogSetup.install();
        StopSignals signals = StopSignals.install();
        PrintStream err = StandardError.ofProcess().asPrintStream();
        int code = ExitCode.START;
        try {
            code = new Command(program, System.getenv(), System.out, err, signals).run(args);
            code = atEnd.applyAsInt(code);
        } catch (RuntimeException | Error bug) {
            System.getLogger(Command.class.getName())
                    .log(System.Logger.Level.ERROR, "ended by a bug; please report it", bug);
        } finally {
            // Whatever happens, even in the logger: the server's threads must not outlive main.
            err.flush(); // what the log has told, too; not for ever
            signals.through();
            System.exit(code);
        }
    }

    /**
     * Runs until the end.
     *
     * @param args the command line
     * @return an {@link ExitCode}
     */
    public int run(String... args) {
        try {
            Flags flags = Flags.parse(program, args);
            if (flags.isHelp()) {
                out.print(program.usage().help());
            } else if (flags.isVersion()) {
                out.println(version());
            } else {
                return serve(flags);
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

    /** Flags win over environment variables, these win over the file. */
    private Values valuesOf(Flags flags) throws UsageException, StartException {
        SettingTable settings = program.usage().settings();
        Environment environment = Environment.parse(settings, variables);
        String file = flags.configFile() == null ? environment.configFile() : flags.configFile();
        Values values = file == null ? new Values() : ConfigFile.read(settings, file);
        if (file != null) {
            values.from(Path.of(file));
        }
        values.putAll(environment.values());
        values.putAll(flags.values());
        if (flags.isRehearsal()) {
            values.put(program.usage().port(), 0, "0", Source.flag(Flags.REHEARSE)); // the server may be running
            values.put(CommonSettings.ADMIN, CommonSettings.OFF, CommonSettings.OFF, Source.flag(Flags.REHEARSE));
            program.prepareRehearsal(values);
        }
        return values;
    }

    private int serve(Flags flags) throws StartException, UsageException {
        Values values = valuesOf(flags);
        Program.Service service = start(values);
        try (AdminPort admin = openAdminPort(values, service)) {
            return serve(values, service, admin, flags);
        }
    }

    private static @Nullable AdminPort openAdminPort(Values values, Program.Service service) throws StartException {
        try {
            return AdminPort.open(values, service);
        } catch (StartException failed) {
            service.close();
            throw failed;
        }
    }

    private int serve(Values values, Program.Service service, @Nullable AdminPort admin, Flags flags)
            throws StartException {
        ServiceManager manager = flags.isRehearsal()
                ? ServiceManager.NONE
                : ServiceManager.of(variables, ProcessHandle.current().pid());
        if (!signals.isStopping()) {
            out.println(service.readyLine());
            out.flush();
            manager.ready(service.readyLine());
        }
        boolean isAnswered = true;
        boolean isServing = true;
        if (flags.isRehearsal()) {
            isAnswered = service.rehearse();
        } else {
            isServing = servesUntilStop(service, flags, manager);
        }
        manager.stopping();
        if (admin != null) {
            admin.stopping();
        }
        if (isServing) { // else there is nobody left to end what runs, and the process takes the rest with it
            service.close(); // what is cut after the deadline the server logs; a stop that was asked for is a success
        }
        if (values.get(CommonSettings.STATS)) {
            err.print(service.statistics());
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

    private Program.Service start(Values values) throws StartException, UsageException {
        try {
            return startService(values);
        } catch (IOException failed) {
            throw StartFailure.explain(failed, program, values);
        }
    }

    private Program.Service startService(Values values) throws StartException, UsageException, IOException {
        try {
            return program.start(values);
        } catch (RuntimeException failed) {
            throw StartFailure.unwrap(failed);
        } catch (OutOfMemoryError failed) {
            throw new IOException("out of memory: " + failed.getMessage(), failed);
        }
    }

    /** Waits for a stop that is asked for; false if the server has broken down before. */
    private boolean servesUntilStop(Program.Service service, Flags flags, ServiceManager manager) {
        Pulse pulse = new Pulse(service.monitored());
        Duration look = manager.lookAtLeast(LOOK);
        try {
            boolean isStopping = false;
            while (!isStopping && service.isServing()) {
                isStopping = signals.await(look);
                if (!isStopping && manager.isWatching() && pulse.beats()) {
                    manager.alive();
                }
                if (!isStopping && signals.takeReopen()) {
                    service.reopenLogs();
                }
                if (!isStopping && signals.takeReload()) {
                    manager.reloading();
                    reload(service, flags);
                    manager.reloaded();
                }
            }
        } catch (InterruptedException alsoAStop) {
            Thread.currentThread().interrupt();
        }
        return service.isServing();
    }

    /** With flags and variables as at the start; only the file can have changed. */
    private void reload(Program.Service service, Flags flags) {
        try {
            service.reload(valuesOf(flags));
        } catch (UsageException wrong) {
            wrong.problems().forEach(Command::tellKept);
        } catch (StartException wrong) {
            tellKept(String.valueOf(wrong.getMessage()));
        }
    }

    private static void tellKept(String problem) {
        // not a constant: the first logger must not be made before LogSetup
        System.getLogger(Command.class.getName())
                .log(System.Logger.Level.ERROR, "configuration kept as it was: " + problem);
    }

    private void complain(String problem) {
        err.println(program.usage().settings().program() + ": " + problem);
    }

    private String version() {
        return program.usage().settings().program() + " " + Version.version() + " (Java "
                + System.getProperty("java.version")
                + ", " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ")";
    }
}
