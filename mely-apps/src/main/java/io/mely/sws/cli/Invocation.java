// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.cli.Addresses;
import io.mely.cli.Roots;
import io.mely.cli.Setting;
import io.mely.cli.SettingException;
import io.mely.cli.Source;
import io.mely.cli.StagesFile;
import io.mely.cli.StartException;
import io.mely.cli.Text;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.sws.HostedSite;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsServer;
import io.mely.sws.UnixSocket;
import io.mely.sws.tls.TlsException;
import io.mely.sws.tls.TlsSettings;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the user asked for.
 *
 * @param config for the server
 * @param values where each value came from
 */
record Invocation(SwsConfig config, Values values) {
    /**
     * Builds the configuration.
     *
     * @param values from all sources
     * @return the configuration, its root checked
     * @throws UsageException when values don't go together
     * @throws StartException when the root or the address isn't there
     */
    static Invocation of(Values values) throws UsageException, StartException {
        SwsConfig.Builder builder = SwsConfig.builder(Roots.check(values, Settings.ROOT))
                .bind(new InetSocketAddress(Addresses.lookUp(values, Settings.BIND), values.get(Settings.PORT)))
                .unixSocket(UnixSocket.parse(values.get(Settings.UNIX_SOCKET)))
                .stages(StagesFile.read(values, SwsServer.stageNames(), SwsConfig.STAGES))
                .redirectBind(redirectBind(values))
                .stingy(StingySettings.plan(values))
                .withheld(Stream.ofNullable(values.file()).toList());
        try {
            SwsConfig config = builder.set(values).sites(sites(values)).build();
            return new Invocation(config, values);
        } catch (SettingException wrong) {
            throw new UsageException(values.describe(wrong.setting()) + ": " + Text.escape(wrong.reason()));
        } catch (IllegalArgumentException refused) {
            throw new UsageException(Text.escape(String.valueOf(refused.getMessage())));
        }
    }

    private static @Nullable InetSocketAddress redirectBind(Values values) throws UsageException, StartException {
        String text = values.get(Settings.TLS_REDIRECT_BIND);
        if (text.isEmpty()) {
            return null;
        }
        if (values.get(TlsSettings.CERTIFICATES).isEmpty()) {
            throw new UsageException(
                    values.describe(Settings.TLS_REDIRECT_BIND) + ": of no use without tls-certificates");
        }
        int colon = text.lastIndexOf(':');
        int port = values.get(Settings.PORT) == 0 ? 0 : Integer.parseInt(text.substring(colon + 1));
        try {
            return new InetSocketAddress(Addresses.lookUp(text.substring(0, colon)), port);
        } catch (UnknownHostException unknown) {
            throw new StartException(
                    values.describe(Settings.TLS_REDIRECT_BIND) + ": no such host or network interface");
        }
    }

    /** The setting that names the file which is wrong. */
    static Setting<?> ofFile(Values values, TlsException wrong) {
        String message = String.valueOf(wrong.getMessage());
        for (Setting<String> each : List.of(TlsSettings.PASSWORD_FILE, TlsSettings.CLIENT_AUTHORITIES)) {
            if (isAbout(message, values.get(each))) {
                return each;
            }
        }
        boolean isTicketKey =
                values.get(TlsSettings.TICKET_KEYS).stream().anyMatch(each -> isAbout(message, each.toString()));
        return isTicketKey ? TlsSettings.TICKET_KEYS : TlsSettings.CERTIFICATES;
    }

    private static boolean isAbout(String message, String file) {
        return !file.isEmpty() && message.startsWith(file + ":");
    }

    /** Each as a server of its own would have it, with what the main one says where its file says nothing. */
    private static List<HostedSite> sites(Values values) throws UsageException, StartException {
        List<HostedSite> sites = new ArrayList<>();
        for (SiteFile each : values.get(Settings.SITES)) {
            Values own = each.read(values);
            own.put(Settings.SITES, List.of(), "", Source.byDefault(Settings.SITES.key()));
            sites.add(new HostedSite(each.hosts(), of(own).config()));
        }
        return sites;
    }
}
