// SPDX-License-Identifier: Apache-2.0
package io.mely.sfs.cli;

import io.mely.cli.Addresses;
import io.mely.cli.CoreTable;
import io.mely.cli.Program;
import io.mely.cli.SelfClient;
import io.mely.cli.StartException;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sfs.SfsConfig;
import io.mely.sfs.SfsMeters;
import io.mely.sfs.SfsServer;
import io.mely.sfs.SfsSettings;
import io.mely.sfs.SfsStats;
import io.mely.sfs.users.Right;
import io.mely.sfs.users.User;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;

/** SFS, as the command line runs it. */
final class SfsProgram implements Program {
    private static final String HELP = """
            Usage: java -jar sfs.jar [DIR] [--root DIR] [--port N] [--bind ADDR] [--write]
                     [--user NAME] [--authorized-keys FILE] [--users FILE]
                     [--password-file FILE] [--host-keys DIR] [--atomic-uploads true]
                     [--audit-log FILE] [--cores N|auto] [--stealing off|base|mely]
                     [--max-connections N] [--config FILE] [--stats] [--rehearse]
                     [--version] [--help|-h]
                   java -jar sfs.jar --hash-password

            Serves the files of a folder over SFTP.

                  [DIR]             Folder to serve. Default: the current folder.
                  --root DIR        The same, as a flag.
                  --port N          TCP port to listen on; 0 lets the system choose.
                                      Default: 2222.
                  --bind ADDR       Address to listen on. Default: 127.0.0.1.
                  --admin PORT      Live page, probes and metrics for operators, on this
                                      port of 127.0.0.1, or HOST:PORT. Default: off.
                  --write           Let clients make, change and delete files. Without it
                                      they list and read.
                  --user NAME       The only user. Default: whoever runs the server.
                  --authorized-keys FILE
                                    The user's public keys.
                                      Default: ~/.ssh/authorized_keys.
                  --users FILE      Several users, each with keys, root, rights and quota.
                  --password-file FILE
                                    Hashes of passwords. Default: keys alone count.
                  --host-keys DIR   The server's keys, made if they are not there.
                                      Default: ~/.config/sfs.
                  --atomic-uploads true
                                    A new file has its name only when it is whole.
                  --audit-log FILE  Who did what. - is standard error.
                  --cores N|auto    Number of cores, 1 to 1024. Default: auto, what this
                                      machine allows.
                  --stealing off|base|mely
                                    What an idle core takes from others. Default: mely.
                  --max-connections N
                                    Most connections at once. Default: 1000.
                  --config FILE     Configuration file; config/sfs.conf in the sources
                                      explains every key.
                  --stats           Print statistics at exit, to standard error.
                  --rehearse        Start on a free port, answer a client of its own, and
                                      exit: checks the configuration.
                  --hash-password   Read a password from standard input, print its hash
                                      for the password file, and exit.
                  --version         Print the version and exit.
                  --help            Print this text and exit.

            Flags win over environment variables (SFS_PORT, SFS_ROOT, SFS_WRITE, ...),
            which win over the file of --config or SFS_CONFIG.

            SIGTERM and SIGINT stop it when running transfers are through; a second one
            stops it at once. Exit codes: 0 stopped, 1 could not start, 2 wrong usage.
            """;

    private static final String MINA = "org.apache.sshd";

    /** Starts the server. */
    @FunctionalInterface
    interface Starter {
        SfsServer start(SfsConfig config) throws IOException;
    }

    private static final String ANSWER = "SSH-2.0-";

    private final Starter starter;

    SfsProgram(Starter starter) {
        this.starter = starter;
    }

    @Override
    public Usage usage() {
        return new Usage(Settings.TABLE, Settings.ROOT, Settings.PORT, List.of(Settings.STATS, Settings.WRITE), HELP);
    }

    @Override
    public Service start(Values values) throws UsageException, StartException, IOException {
        SfsConfig config = Invocation.of(values);
        // It warns of whatever a stranger sends, in the stranger's words. What matters of that the audit log has.
        Logger mina = Logger.getLogger(MINA);
        mina.setLevel(Level.SEVERE);
        return new Running(starter.start(config), config, mina);
    }

    /** @param mina kept, as its level goes with it */
    private record Running(SfsServer server, SfsConfig config, Logger mina) implements Service {
        @Override
        public String readyLine() {
            int cores = server.stats().cores().size();
            List<User> users = config.users();
            boolean isWritable = users.stream().anyMatch(each -> !Right.READ_ONLY.containsAll(each.rights()));
            return "SFS listening on sftp://" + Addresses.authority(server.localAddress())
                    + " (" + (users.size() == 1 ? userOf(users.get(0)) : users.size() + " users")
                    + (isWritable ? ", writable" : ", read-only")
                    + ", " + cores + (cores == 1 ? " core" : " cores")
                    + ", stealing " + SfsSettings.STEALING.type().show(config.get(SfsSettings.STEALING))
                    + ", " + transport() + ")";
        }

        private static String userOf(User user) {
            return "root " + Text.escape(user.root().toString()) + ", user " + Text.escape(user.name());
        }

        private String transport() {
            return switch (config.get(SfsSettings.TRANSPORT)) {
                case AUTO -> Epoll.isAvailable() ? "epoll" : "nio";
                case EPOLL -> "epoll";
                case NIO -> "nio";
            };
        }

        @Override
        public Monitored monitored() {
            return new Monitored(server.mely(), new SfsMeters(server));
        }

        @Override
        public boolean isServing() {
            return server.isServing();
        }

        @Override
        public void close() {
            boolean unused = server.close(config.get(SfsSettings.DRAIN_DEADLINE));
        }

        @Override
        public String statistics() {
            StringBuilder report = new StringBuilder("SFS statistics\n");
            CoreTable.append(server.stats(), report);
            SfsStats stats = server.clientStats();
            report.append(String.format(
                    Locale.ROOT,
                    "connections: %,d  refused: %,d  displaced: %,d  logins: %,d  failed logins: %,d  bans: %,d  still open: %,d%n",
                    stats.connections(),
                    stats.refused(),
                    stats.displaced(),
                    stats.logins(),
                    stats.failedLogins(),
                    stats.bans(),
                    stats.open()));
            report.append(String.format(
                    Locale.ROOT,
                    "requests: %,d  bytes read: %,d  bytes written: %,d  bytes copied: %,d%n",
                    stats.requests(),
                    stats.readBytes(),
                    stats.writtenBytes(),
                    stats.copiedBytes()));
            if (stats.lostAuditLines() > 0) {
                report.append(String.format(Locale.ROOT, "audit log: lost: %,d%n", stats.lostAuditLines()));
            }
            return report.toString();
        }

        @Override
        public boolean rehearse() {
            return new SelfClient(server.localAddress()).isAnswered(new byte[0], ANSWER);
        }
    }
}
