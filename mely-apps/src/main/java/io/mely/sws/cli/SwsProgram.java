// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.Program;
import io.mely.cli.Source;
import io.mely.cli.StartException;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import io.mely.sws.log.AccessLog;
import io.mely.sws.tls.TlsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * SWS, as the command line runs it.
 *
 * @param launcher starts the server
 */
record SwsProgram(Server.Launcher launcher) implements Program {
    private static final String HELP = """
            Usage: java -jar sws.jar [DIR] [--root DIR] [--port N] [--bind ADDR]
                     [--cores N|auto] [--stealing off|base|mely] [--max-clients N]
                     [--tls-certificates FILES] [--config FILE] [--stats] [--rehearse]
                     [--version] [--help|-h]

            Serves the files of a folder over HTTP.

                  [DIR]             Folder to serve. Default: the current folder.
                  --root DIR        The same, as a flag.
                  --port N          TCP port to listen on; 0 lets the system choose.
                                      Default: 8080.
                  --bind ADDR       Address to listen on. Default: 127.0.0.1.
                  --admin PORT      Live page, probes and metrics for operators, on this
                                      port of 127.0.0.1, or HOST:PORT. Default: off.
                  --cores N|auto    Number of cores, 1 to 1024. Default: auto, what this
                                      machine allows.
                  --stealing off|base|mely
                                    What an idle core takes from others. Default: mely.
                  --max-clients N   Most clients served at once. Default: 10000.
                  --tls-certificates "CHAIN KEY"
                                    Serve over HTTPS, with this certificate in PEM, or
                                      with that of one PKCS#12 file.
                  --config FILE     Configuration file; config/sws.conf in the sources
                                      explains every key.
                  --stats           Print statistics at exit, to standard error.
                  --rehearse        Start on a free port, answer one request of its own,
                                      and exit: checks the configuration, and makes an
                                      archive of classes for a quicker start.
                  --version         Print the version and exit.
                  --help            Print this text and exit.

            Flags win over environment variables (SWS_PORT, SWS_ROOT, SWS_MAX_CLIENTS, ...),
            which win over the file of --config or SWS_CONFIG.

            SIGTERM and SIGINT stop it when running responses are through; a second one
            stops it at once. SIGHUP reads the configuration file, certificates and keys
            again; SIGUSR1 opens the access log again.
            Exit codes: 0 stopped, 1 could not start, 2 wrong usage.
            """;

    @Override
    public Usage usage() {
        return new Usage(Settings.TABLE, Settings.ROOT, Settings.PORT, List.of(Settings.STATS), HELP);
    }

    /** The log is made by the one that serves: whoever rehearses may be another user. */
    @Override
    public void prepareRehearsal(Values values) throws StartException {
        values.put(Settings.UNIX_SOCKET, "", "", Source.flag("--rehearse"));
        String log = values.get(SwsSettings.ACCESS_LOG);
        if (log.isEmpty() || log.equals("-")) {
            return;
        }
        try {
            AccessLog.check(Path.of(log));
        } catch (IOException wrong) {
            throw new StartException(
                    values.describe(SwsSettings.ACCESS_LOG) + ": " + Text.escape(String.valueOf(wrong.getMessage())));
        }
        values.put(SwsSettings.ACCESS_LOG, "", "", Source.flag("--rehearse"));
    }

    @Override
    public Service start(Values values) throws UsageException, StartException, IOException {
        SwsConfig config = Invocation.of(values).config();
        try {
            return new SwsService(launcher.start(config), config, values);
        } catch (TlsException wrong) {
            throw new StartException(values.describe(Invocation.ofFile(values, wrong)) + ": "
                    + Text.escape(String.valueOf(wrong.getMessage())));
        }
    }
}
