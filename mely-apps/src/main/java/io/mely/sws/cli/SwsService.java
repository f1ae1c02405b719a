// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.Program.Monitored;
import io.mely.cli.Program.Service;
import io.mely.cli.Setting;
import io.mely.cli.StartException;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import io.mely.sws.tls.TlsSettings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A running SWS, as the command line sees it.
 *
 * <p><b>Threads.</b> That of the command.
 */
final class SwsService implements Service {
    private final Server server;
    private final SwsConfig config;
    private final Values values;

    /** Of a server that has just started. */
    SwsService(Server server, SwsConfig config, Values values) {
        this.server = server;
        this.config = config;
        this.values = values;
    }

    @Override
    public String readyLine() {
        return ReadyLine.of(server, config);
    }

    @Override
    public @Nullable Monitored monitored() {
        return server.monitored();
    }

    @Override
    public boolean isServing() {
        return server.isServing();
    }

    @Override
    public void reload(Values next) {
        try {
            SwsConfig read = Invocation.of(next).config();
            List<String> fixed = fixed(next, read);
            server.reload(read);
            if (!fixed.isEmpty()) {
                log(Level.WARNING, "of use after a restart only: " + String.join(", ", fixed));
            }
            log(Level.INFO, "configuration reloaded");
        } catch (UsageException wrong) {
            wrong.problems().forEach(SwsService::tellKept);
        } catch (StartException | IOException | RuntimeException wrong) {
            tellKept(Text.escape(wrong instanceof RuntimeException ? wrong.toString() : message(wrong)));
        }
    }

    /** Keys of what is other than at the start, and stays as it was there. */
    private List<String> fixed(Values next, SwsConfig read) {
        List<String> keys = Settings.TABLE.all().stream()
                .filter(each -> each.scope() == Setting.Scope.START)
                .filter(each -> !Objects.equals(values.get(each), next.get(each)))
                .map(Setting::key)
                .collect(Collectors.toCollection(ArrayList::new));
        if (config.get(SwsSettings.ACCESS_LOG).isEmpty()
                != read.get(SwsSettings.ACCESS_LOG).isEmpty()) {
            keys.add(SwsSettings.ACCESS_LOG.key());
        }
        if (config.isSecure() != read.isSecure()) {
            keys.add(TlsSettings.CERTIFICATES.key());
        }
        return keys;
    }

    private static String message(Exception failure) {
        return failure instanceof IOException && !(failure.getClass() == IOException.class)
                ? failure.toString()
                : String.valueOf(failure.getMessage());
    }

    private static void tellKept(String problem) {
        log(Level.ERROR, "configuration kept as it was: " + problem);
    }

    private static void log(Level level, String message) {
        // not a constant: the first logger must not be made before LogSetup
        System.getLogger(SwsService.class.getName()).log(level, message);
    }

    @Override
    public void reopenLogs() {
        try {
            server.reopenLog();
        } catch (IOException wrong) {
            log(Level.ERROR, "the access log stays as it is: " + Text.escape(message(wrong)));
        }
    }

    @Override
    public void close() {
        boolean unused = server.close(config.get(SwsSettings.DRAIN_DEADLINE));
    }

    @Override
    public String statistics() {
        return StatsReport.of(server.stats(), server.counters(), server.buffers());
    }

    @Override
    public boolean rehearse() {
        return Rehearsal.isAnswered(server.localAddress(), config.isSecure());
    }
}
