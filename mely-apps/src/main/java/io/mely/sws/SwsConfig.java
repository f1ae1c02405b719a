// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.Deployment;
import io.mely.cli.Setting;
import io.mely.cli.SettingException;
import io.mely.cli.SettingValues;
import io.mely.cli.Units;
import io.mely.cli.Values;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.sws.http.Cors;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.proxy.ProxyTrust;
import io.mely.sws.rules.GateRules;
import io.mely.sws.tls.TlsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Everything a static web server can be told. Immutable; start from {@link #builder(Path)}, which has all defaults:
 *
 * <pre>{@code SwsConfig.builder(root).set(SwsSettings.MAX_CLIENTS, 100).set(SwsSettings.LISTING, true).build()}</pre>
 *
 * <p>What has a key in a configuration file is a setting of {@link SwsSettings}, which says its unit, range and default. The fields here are what a file has in other words:
 * an address for its name, a plan for the file it is in.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> {@link IllegalArgumentException} naming the field or setting and the value that is not allowed.
 *
 * @param root the folder that is served. Only regular files below it are: every path and every link is checked to stay inside.
 *     Need not be a real path; it is resolved again for each file that is loaded, so a link may be switched to a new release
 * @param bind address and port to listen on; port 0 lets the system choose
 * @param unixSocket where to listen in place of bind; null = there
 * @param redirectBind an address without TLS where every request is redirected to the same path by https; null = none
 * @param stages under which policies the stages run, where that is other than the default
 * @param sites further sites, each for hosts of its own; each host once
 * @param withheld files that are never served although they may lie below a root, as a configuration file; need not be there
 * @param stingy how many buffers of which kind lie in the cache of each core: see {@link SwsStingy}; null = none
 * @param settings a value for each of {@link SwsSettings}
 */
public record SwsConfig(
        Path root,
        InetSocketAddress bind,
        @Nullable UnixSocket unixSocket,
        @Nullable InetSocketAddress redirectBind,
        Deployment stages,
        List<HostedSite> sites,
        List<Path> withheld,
        @Nullable MemoryPlan stingy,
        SettingValues settings) {
    /** Default port. */
    public static final int PORT = 8080;

    /** Default of the stages: as SWS has them. */
    public static final Deployment STAGES = new Deployment();

    /** What {@link SwsSettings#HEADERS_ALWAYS} adds has to fit into the output of a request beside the longest error page. */
    private static final int ALWAYS_CHARS_MAX = 2 << 10;

    /** How sockets are watched. */
    public enum Transport {
        /** Epoll where there is a native library for this machine, NIO elsewhere. */
        AUTO,
        /** Linux epoll; the start fails where it is not available. */
        EPOLL,
        /** Java NIO selectors, on any machine. */
        NIO
    }

    /** Who accepts connections. */
    public enum Listeners {
        /** One listener on one core, in one color: the papers' shape. Connections are dealt out to all cores in turn. */
        ONE,
        /** One on each core, with SO_REUSEPORT: the kernel chooses the core by a hash of the addresses, and there the connection begins. */
        PER_CORE
    }

    /** Checks what is not allowed each for itself, and what does not go together. */
    public SwsConfig {
        Objects.requireNonNull(root, "root");
        Objects.requireNonNull(stages, "stages");
        sites = List.copyOf(sites);
        withheld = List.copyOf(withheld);
        if (bind.isUnresolved()) {
            throw new IllegalArgumentException("bind must be an address that resolves: bind=" + bind);
        }
        List<String> hosts = sites.stream()
                .flatMap(each -> each.hosts().stream())
                .map(each -> each.toLowerCase(Locale.ROOT))
                .toList();
        if (hosts.stream().distinct().count() < hosts.size()) {
            throw new IllegalArgumentException("sites must name each host once: hosts=" + hosts);
        }
        if (stingy != null) {
            SwsStingy.check(stingy);
        }
        check(settings);
        if (redirectBind != null && settings.get(TlsSettings.CERTIFICATES).isEmpty()) {
            throw new IllegalArgumentException("redirectBind must be null without TLS: redirectBind=" + redirectBind);
        }
    }

    /** The settings are allowed each for itself; some don't go together. */
    private static void check(SettingValues settings) {
        long line = settings.get(SwsSettings.REQUEST_LINE_MAX);
        check(
                settings.get(SwsSettings.HEADER_MAX) >= line,
                settings,
                SwsSettings.HEADER_MAX,
                "not allowed; allowed: at least request-line-max, " + Units.show(line));
        long rate = settings.get(SwsSettings.CONNECTION_RATE_MAX);
        check(
                rate == 0 || rate > settings.get(SwsSettings.WRITE_RATE_MIN),
                settings,
                SwsSettings.CONNECTION_RATE_MAX,
                "not allowed; allowed: 0 B, or more than write-rate-min");
        check(
                !settings.get(SwsSettings.PROXY_PROTOCOL)
                        || !settings.get(SwsSettings.TRUSTED_PROXIES).isEmpty(),
                settings,
                SwsSettings.PROXY_PROTOCOL,
                "of no use without trusted-proxies");
        TlsSettings.check(settings);
        checkFields(settings, SwsSettings.HEADERS, HeaderRule.FIELDS_CHARS_MAX);
        checkFields(settings, SwsSettings.HEADERS_ALWAYS, ALWAYS_CHARS_MAX);
    }

    /** They fit into a response; and what cors sets nobody sets a second time. */
    private static void checkFields(SettingValues settings, Setting<List<HeaderRule>> setting, int charsMax) {
        List<HeaderRule> fields = settings.get(setting);
        long chars = HeaderRule.fieldsCharsMax(fields);
        check(
                chars <= charsMax,
                settings,
                setting,
                "must have at most " + charsMax + " characters in one response: characters=" + chars);
        boolean isCors = !settings.get(SwsSettings.CORS).isEmpty();
        for (HeaderRule each : fields) {
            check(!isCors || !Cors.isOwn(each), settings, setting, each.name() + " is set by cors");
        }
    }

    private static <T> void check(boolean isRight, SettingValues settings, Setting<T> setting, String reason) {
        if (!isRight) {
            throw new SettingException(setting, settings.get(setting), reason);
        }
    }

    /**
     * Starts a configuration with all defaults.
     *
     * @param root the folder to serve
     * @return a builder
     */
    public static Builder builder(Path root) {
        return new Builder(root);
    }

    /**
     * The value of a setting. Of no use in the way of a request: it looks into a map.
     *
     * @param <T> type of the value
     * @param setting of {@link SwsSettings}
     * @return what was set, else the default
     */
    public <T> T get(Setting<T> setting) {
        return settings.get(setting);
    }

    /**
     * Whether it speaks TLS.
     *
     * @return false without certificates
     */
    public boolean isSecure() {
        return !get(TlsSettings.CERTIFICATES).isEmpty();
    }

    /** The value of a setting that is a size, and in range of an int. */
    int bytes(Setting<Long> size) {
        return Math.toIntExact(get(size));
    }

    /** The value of a setting that is a time. */
    long nanos(Setting<Duration> time) {
        return get(time).toNanos();
    }

    /** What is said about paths before files are looked for. */
    GateRules gate() {
        return new GateRules(
                get(SwsSettings.REDIRECTS),
                get(SwsSettings.REWRITES),
                get(SwsSettings.ACCESS),
                get(SwsSettings.LOGINS));
    }

    /** Which proxies are believed. */
    ProxyTrust proxies() {
        return new ProxyTrust(
                get(SwsSettings.TRUSTED_PROXIES), get(SwsSettings.PROXY_FIELD), get(SwsSettings.PROXY_PROTOCOL));
    }

    /**
     * Collects the values of a configuration; its methods other than {@link #set} are documented by the field of {@link SwsConfig} of the same name.
     *
     * <p><b>Threads.</b> Not safe for use by several. <b>Errors.</b> A setting is checked when it is set, all together by {@link #build()}.
     */
    public static final class Builder {
        private final Path root;
        private final SettingValues.Builder settings = new SettingValues.Builder(SwsSettings.all());
        private InetSocketAddress bind = new InetSocketAddress(loopback(), PORT);
        private @Nullable UnixSocket unixSocket;
        private @Nullable InetSocketAddress redirectBind;
        private Deployment stages = STAGES;
        private List<HostedSite> sites = List.of();
        private List<Path> withheld = List.of();
        private @Nullable MemoryPlan stingy;

        Builder(Path root) {
            this.root = Objects.requireNonNull(root, "root");
        }

        /** 127.0.0.1, not whatever "localhost" resolves to: the documented default of the command line. */
        private static InetAddress loopback() {
            try {
                return InetAddress.getByAddress("127.0.0.1", new byte[] {127, 0, 0, 1});
            } catch (java.net.UnknownHostException impossible) {
                throw new AssertionError("4 bytes are an address", impossible);
            }
        }

        /**
         * Sets one of {@link SwsSettings}.
         *
         * @param <T> type of the value
         * @param setting which
         * @param value of its range
         * @return this
         * @throws IllegalArgumentException naming the setting, the value and what is allowed
         */
        public <T> Builder set(Setting<T> setting, T value) {
            settings.set(setting, value);
            return this;
        }

        /**
         * Sets one of {@link SwsSettings} that is a size.
         *
         * @param setting which
         * @param bytes of its range
         * @return this
         * @throws IllegalArgumentException naming the setting, the value and what is allowed
         */
        public Builder set(Setting<Long> setting, long bytes) {
            return set(setting, Long.valueOf(bytes));
        }

        /**
         * Sets those of {@link SwsSettings} that a user has given.
         *
         * @param given of a command line, an environment and a file
         * @return this
         * @throws IllegalArgumentException naming the setting, the value and what is allowed
         */
        public Builder set(Values given) {
            settings.set(given);
            return this;
        }

        /** See {@link SwsConfig#bind}. */
        public Builder bind(InetSocketAddress value) {
            bind = value;
            return this;
        }

        /** See {@link SwsConfig#unixSocket}. */
        public Builder unixSocket(@Nullable UnixSocket value) {
            unixSocket = value;
            return this;
        }

        /** See {@link SwsConfig#redirectBind}. */
        public Builder redirectBind(@Nullable InetSocketAddress value) {
            redirectBind = value;
            return this;
        }

        /** See {@link SwsConfig#stages}; names stages of {@link SwsServer#stageNames}. */
        public Builder stages(Deployment value) {
            stages = value;
            return this;
        }

        /** See {@link SwsConfig#sites}. */
        public Builder sites(List<HostedSite> value) {
            sites = value;
            return this;
        }

        /** See {@link SwsConfig#withheld}. */
        public Builder withheld(List<Path> value) {
            withheld = value;
            return this;
        }

        /** See {@link SwsConfig#stingy}. */
        public Builder stingy(@Nullable MemoryPlan value) {
            stingy = value;
            return this;
        }

        /**
         * Checks the values together.
         *
         * @return the configuration
         * @throws IllegalArgumentException naming the field or setting and the value that is not allowed
         */
        public SwsConfig build() {
            return new SwsConfig(
                    root, bind, unixSocket, redirectBind, stages, sites, withheld, stingy, settings.build());
        }
    }
}
