// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.Addresses;
import io.mely.cli.CommonSettings;
import io.mely.cli.Setting;
import io.mely.cli.SettingList;
import io.mely.cli.SettingTable;
import io.mely.cli.ValueTypes;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsSettings;
import io.mely.sws.UnixSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * All settings of SWS: those of {@link SwsSettings}, and here those that are a word or a file for something that {@link SwsConfig} has as a whole.
 */
final class Settings {
    private static final int PORT_MAX = 65_535;
    private static final SettingList OWN = new SettingList();

    static final Setting<Path> ROOT = OWN.of("root", "path, relative to the current folder", ValueTypes.path())
            .asFlag()
            .ofSite()
            .byDefault(Path.of("."))
            .says("The folder that is served. Nothing outside it ever is.");

    static final Setting<List<SiteFile>> SITES = OWN.of(
                    "sites",
                    "list of HOSTS FILE",
                    ValueTypes.lines(
                            "HOST FILE or HOST,HOST FILE, each host once; *.NAME is all hosts below",
                            SiteFile::parse,
                            SiteFile::haveEachHostOnce))
            .reloads()
            .byDefault(List.of())
            .says(
                    "Further sites: requests for these hosts get what the file says. It has a root, and what else a site has of its own: the settings of what clients see, gzip and the like. What it does not say is as here. SWS_SITES has one a line.");

    static final Setting<Integer> PORT = OWN.add(CommonSettings.port(SwsConfig.PORT));

    static final Setting<String> BIND = OWN.add(CommonSettings.BIND);

    static final Setting<String> UNIX_SOCKET = OWN.of(
                    "unix-socket",
                    "path and permissions",
                    ValueTypes.text(
                            "empty, PATH or PATH MODE, where MODE is as of chmod",
                            text -> text.isEmpty() || UnixSocket.parse(text) != null))
            .byDefault("")
            .says(
                    "Listens at this Unix socket in place of bind and port, as \"/run/sws/http.sock 660\", which is the MODE if there is none. Its clients count as 127.0.0.1.");

    static final Setting<String> ADMIN = OWN.add(CommonSettings.ADMIN);

    static final Setting<String> STAGES = OWN.add(CommonSettings.STAGES);

    static final Setting<String> STINGY = OWN.of(
                    "stingy",
                    "off, on or a path",
                    ValueTypes.text("off, on or a path", text -> !text.isBlank() && ValueTypes.isFile(text)))
            .byDefault(StingySettings.OFF)
            .says(
                    "Keeps buffers of requests in a region of each core's cache, and lets a request wait while all are taken: as many as fit (on), or by a plan (a file such as config/sws-stingy.conf).");

    static final Setting<Boolean> STATS = OWN.add(CommonSettings.STATS);

    static final Setting<String> TLS_REDIRECT_BIND = Setting.of(
                    "tls-redirect-bind",
                    "address and port",
                    ValueTypes.text("empty or HOST:PORT", Settings::isHostPort))
            .byDefault("")
            .says(
                    "Listens here without TLS, and redirects each request to the same path by https. With port = 0 its port is 0, too.");

    /** All of them. */
    static final SettingTable TABLE = new SettingTable(
            "sws",
            Stream.of(OWN.all(), SwsSettings.all(), List.of(TLS_REDIRECT_BIND))
                    .<Setting<?>>flatMap(List::stream)
                    .toList());

    private Settings() {}

    private static boolean isHostPort(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            return text.isEmpty();
        }
        String port = text.substring(colon + 1);
        return Addresses.isHost(text.substring(0, colon))
                && port.matches("[0-9]{1,5}")
                && Integer.parseInt(port) <= PORT_MAX;
    }
}
