// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.Addresses;
import io.mely.cli.Text;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import java.net.InetSocketAddress;
import java.util.stream.Collectors;

/** Writes the one line on standard output that says a server is ready. Scripts read its beginning, up to the port. */
final class ReadyLine {
    private ReadyLine() {}

    /**
     * Writes the line.
     *
     * @param server listening
     * @param config what it was told
     * @return such as {@code SWS listening on http://127.0.0.1:8080 (root /srv/www, 2 cores, stealing mely, epoll)}
     */
    static String of(Server server, SwsConfig config) {
        InetSocketAddress redirect = server.redirectAddress();
        int cores = server.stats().cores().size();
        return "SWS listening on " + url(server, config)
                + " (root " + Text.escape(config.root().toString())
                + ", " + cores + (cores == 1 ? " core" : " cores")
                + (config.stages() == SwsConfig.STAGES
                        ? ", stealing " + SwsSettings.STEALING.type().show(config.get(SwsSettings.STEALING))
                        : ", stages as deployed")
                + ", " + server.transport()
                + (redirect == null ? "" : ", redirecting " + Addresses.url(redirect)) + ")";
    }

    private static String url(Server server, SwsConfig config) {
        String scheme = config.isSecure() ? "https://" : "http://";
        return server.places().stream()
                .map(each -> each.startsWith("unix:") ? each : scheme + each)
                .collect(Collectors.joining(", "));
    }
}
