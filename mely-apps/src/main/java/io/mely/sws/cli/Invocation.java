// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.Deployment;
import io.mely.cli.Addresses;
import io.mely.cli.Roots;
import io.mely.cli.Source;
import io.mely.cli.StagesFile;
import io.mely.cli.StartException;
import io.mely.cli.Text;
import io.mely.cli.Units;
import io.mely.cli.UsageException;
import io.mely.cli.Values;
import io.mely.deploy.stingy.MemoryPlan;
import io.mely.sws.HostedSite;
import io.mely.sws.SiteRules;
import io.mely.sws.SwsConfig;
import io.mely.sws.SwsServer;
import io.mely.sws.UnixSocket;
import io.mely.sws.cli.SiteSettings.SiteFile;
import io.mely.sws.proxy.ProxyTrust;
import io.mely.sws.tls.TlsConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

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
        Path root = Roots.check(values, Settings.ROOT);
        InetAddress address = Addresses.lookUp(values, Settings.BIND);
        if (values.get(Settings.HEADER_MAX) < values.get(Settings.REQUEST_LINE_MAX)) {
            throw new UsageException(
                    values.describe(Settings.HEADER_MAX) + ": not allowed; allowed: at least request-line-max, "
                            + Units.show(values.get(Settings.REQUEST_LINE_MAX)));
        }
        Deployment stages = StagesFile.read(values, SwsServer.stageNames(), SwsConfig.Builder.STAGES);
        if (values.get(Settings.PROXY_PROTOCOL)
                && values.get(Settings.TRUSTED_PROXIES).isEmpty()) {
            throw new UsageException(values.describe(Settings.PROXY_PROTOCOL) + ": of no use without trusted-proxies");
        }
        TlsConfig tls = TlsSettings.config(values);
        MemoryPlan stingy = StingySettings.plan(values);
        try {
            return new Invocation(
                    build(SwsConfig.builder(root), values)
                            .stages(stages)
                            .unixSocket(UnixSocket.parse(values.get(Settings.UNIX_SOCKET)))
                            .tls(tls)
                            .stingy(stingy)
                            .site(site(values))
                            .gate(SiteSettings.gate(values))
                            .limits(SiteSettings.limits(values))
                            .sites(sites(values))
                            .proxies(new ProxyTrust(
                                    values.get(Settings.TRUSTED_PROXIES),
                                    values.get(Settings.PROXY_FIELD),
                                    values.get(Settings.PROXY_PROTOCOL)))
                            .bind(new InetSocketAddress(address, values.get(Settings.PORT)))
                            .build(),
                    values);
        } catch (IllegalArgumentException refused) {
            // Not reached while the ranges of Settings are those of SwsConfig; a message all the same.
            throw new UsageException(Text.escape(String.valueOf(refused.getMessage())));
        }
    }

    /** Each as a server of its own would have it, with what the main one says where its file says nothing. */
    private static List<HostedSite> sites(Values values) throws UsageException, StartException {
        List<HostedSite> sites = new ArrayList<>();
        for (SiteFile each : values.get(SiteSettings.SITES)) {
            Values own = SiteSettings.of(values, each);
            own.put(SiteSettings.SITES, List.of(), "", Source.byDefault(SiteSettings.SITES.key()));
            sites.add(new HostedSite(each.hosts(), of(own).config()));
        }
        return sites;
    }

    private static SiteRules site(Values values) throws UsageException {
        return SiteRules.DEFAULT
                .withTrySuffixes(values.get(Settings.TRY_SUFFIXES))
                .withTypes(values.get(Settings.TYPES))
                .withNosniff(values.get(Settings.NOSNIFF))
                .withHeadersAlways(values.get(Settings.HEADERS_ALWAYS))
                .withHosts(values.get(Settings.HOSTS))
                .withCors(SiteSettings.cors(values))
                .withRangesMax(values.get(Settings.RANGES_MAX))
                .withWithheld(Stream.ofNullable(values.file()).toList());
    }

    private static SwsConfig.Builder build(SwsConfig.Builder builder, Values values) {
        return builder.cores(values.get(Settings.CORES))
                .pinned(values.get(Settings.PINNED))
                .stealing(values.get(Settings.STEALING))
                .transport(values.get(Settings.TRANSPORT))
                .backlog(values.get(Settings.BACKLOG))
                .listeners(values.get(Settings.LISTENERS))
                .maxClients(values.get(Settings.MAX_CLIENTS))
                .clientConnectionsMax(values.get(Settings.CLIENT_CONNECTIONS_MAX))
                .clientRate(values.get(Settings.CLIENT_RATE))
                .clientBurst(values.get(Settings.CLIENT_BURST))
                .clientAddressesMax(values.get(Settings.CLIENT_ADDRESSES_MAX))
                .overloadTarget(values.get(Settings.OVERLOAD_TARGET))
                .overloadInterval(values.get(Settings.OVERLOAD_INTERVAL))
                .idleTimeout(values.get(Settings.IDLE_TIMEOUT))
                .headerTimeout(values.get(Settings.HEADER_TIMEOUT))
                .bodyTimeout(values.get(Settings.BODY_TIMEOUT))
                .writeTimeout(values.get(Settings.WRITE_TIMEOUT))
                .writeRateMinBytes(Math.toIntExact(values.get(Settings.WRITE_RATE_MIN)))
                .drainDeadline(values.get(Settings.DRAIN_DEADLINE))
                .maxRequestsPerConnection(values.get(Settings.MAX_REQUESTS_PER_CONNECTION))
                .http2(values.get(Settings.HTTP2))
                .http2StreamsMax(values.get(Settings.HTTP2_STREAMS_MAX))
                .requestLineBytesMax(Math.toIntExact(values.get(Settings.REQUEST_LINE_MAX)))
                .headerBytesMax(Math.toIntExact(values.get(Settings.HEADER_MAX)))
                .headerCountMax(values.get(Settings.HEADER_COUNT_MAX))
                .bodyBytesMax(values.get(Settings.BODY_MAX))
                .cacheBudgetBytes(values.get(Settings.CACHE_BUDGET))
                .cacheFileBytesMax(Math.toIntExact(values.get(Settings.CACHE_FILE_MAX)))
                .cacheRevalidation(values.get(Settings.CACHE_REVALIDATION))
                .cacheMissesMax(values.get(Settings.CACHE_MISSES_MAX))
                .openFilesMax(values.get(Settings.OPEN_FILES_MAX))
                .sliceBytes(Math.toIntExact(values.get(Settings.SLICE)))
                .indexFiles(values.get(Settings.INDEX_FILES))
                .listing(values.get(Settings.LISTING))
                .fallbacks(values.get(Settings.FALLBACKS))
                .hiddenFiles(values.get(Settings.HIDDEN_FILES))
                .symlinks(values.get(Settings.SYMLINKS))
                .precompressed(values.get(Settings.PRECOMPRESSED))
                .gzip(values.get(Settings.GZIP))
                .gzipLevel(values.get(Settings.GZIP_LEVEL))
                .gzipFileMinBytes(Math.toIntExact(values.get(Settings.GZIP_FILE_MIN)))
                .gzipFileMaxBytes(Math.toIntExact(values.get(Settings.GZIP_FILE_MAX)))
                .errorPages(values.get(Settings.ERROR_PAGES))
                .headers(values.get(Settings.HEADERS))
                .accessLog(values.get(Settings.ACCESS_LOG))
                .accessLogFormat(values.get(Settings.ACCESS_LOG_FORMAT))
                .accessLogBufferBytes(Math.toIntExact(values.get(Settings.ACCESS_LOG_BUFFER)))
                .accessLogRotateBytes(values.get(Settings.ACCESS_LOG_ROTATE))
                .accessLogRotateEvery(values.get(Settings.ACCESS_LOG_ROTATE_EVERY))
                .accessLogKeep(values.get(Settings.ACCESS_LOG_KEEP))
                .serverName(values.get(Settings.SERVER_NAME));
    }
}
