// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.cli.Meters;
import io.mely.stingy.StingyStats;
import io.mely.stingy.StingyStats.SiteStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;

/**
 * The counters of a server, for a registry of Micrometer. Those of its runtime are {@link io.mely.metrics.MelyMetrics}'.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param server whose they are
 */
public record SwsMeters(SwsServer server) implements MeterBinder {
    @Override
    public void bindTo(MeterRegistry registry) {
        Meters<SwsStats> meters = new Meters<>(registry, server::requestStats);
        String responses = "Responses begun, by the first digit of their status.";
        meters.count("sws.responses", responses, Tags.of("status", "2xx"), SwsStats::responses2xx);
        meters.count("sws.responses", responses, Tags.of("status", "3xx"), SwsStats::responses3xx);
        meters.count("sws.responses", responses, Tags.of("status", "4xx"), SwsStats::responses4xx);
        meters.count("sws.responses", responses, Tags.of("status", "5xx"), SwsStats::responses5xx);
        count(meters, "sws.written.bytes", "Bytes given to the kernel, heads and bodies.", SwsStats::bytesWritten);
        count(meters, "sws.connections.accepted", "Connections accepted, refused ones included.", SwsStats::accepted);
        count(
                meters,
                "sws.connections.refused",
                "Of these, refused: too many clients, or too much to do.",
                SwsStats::refused);
        count(meters, "sws.connections.lost", "Of these, reset by the client or gone.", SwsStats::lost);
        count(meters, "sws.connections.timeouts", "Of these, closed as too slow or idle.", SwsStats::timeouts);
        count(meters, "sws.connections.failures", "Of these, closed by a fault of this program.", SwsStats::failures);
        count(meters, "sws.requests.limited", "Requests of clients whose rate was too high.", SwsStats::limited);
        count(meters, "sws.requests.shed", "Requests refused as they had waited too long.", SwsStats::shed);
        count(meters, "sws.tls.handshakes", "Handshakes of TLS done.", SwsStats::handshakes);
        count(meters, "sws.tls.handshakes.failed", "Handshakes that ended with an alert.", SwsStats::handshakesFailed);
        count(meters, "sws.log.dropped", "Lines of the access log that were not written.", SwsStats::logDropped);
        count(
                meters,
                "sws.http2.streams.opened",
                "Requests by HTTP/2 that began.",
                stats -> stats.streams().began());
        count(
                meters,
                "sws.http2.streams.reset",
                "Of these, reset by the client before the end of the answer.",
                stats -> stats.streams().reset());
        count(
                meters,
                "sws.http2.streams.refused",
                "Requests by HTTP/2 that were reset unanswered: too many on one connection, or no memory.",
                stats -> stats.streams().refused());
        meters.gauge(
                "sws.http2.streams.open",
                "Requests by HTTP/2 under way.",
                stats -> stats.streams().open());
        meters.gauge("sws.connections.open", "Connections that are open.", SwsStats::open);
        meters.gauge("sws.cache.entries", "Answers in the cache.", SwsStats::cacheEntries);
        meters.gauge("sws.cache.bytes", "Native memory held by answers.", SwsStats::cacheBytes);
        meters.gauge("sws.files.open", "Large files kept open.", SwsStats::openFiles);
        StingyStats buffers = server.bufferStats();
        if (buffers != null) {
            bindBuffers(registry, buffers);
        }
    }

    private void bindBuffers(MeterRegistry registry, StingyStats now) {
        for (SiteStats each : now.sites()) {
            String site = each.site();
            Meters<SiteStats> meters = new Meters<>(registry, () -> buffers().site(site));
            Tags tags = Tags.of("site", site);
            meters.count("sws.buffers.served", "Buffers taken from the cores' caches.", tags, SiteStats::served);
            meters.count("sws.buffers.refused", "Tries that found all taken.", tags, SiteStats::refused);
            meters.count(
                    "sws.buffers.elsewhere",
                    "Buffers that came from ordinary memory.",
                    tags,
                    from -> from.fallbacks() + from.guards());
            meters.gauge("sws.buffers.live", "Buffers in use.", tags, SiteStats::live);
            meters.gauge("sws.buffers.peak", "Most in use on each core, summed.", tags, SiteStats::peak);
            meters.gauge("sws.buffers.count", "Buffers that there are.", tags, SiteStats::count);
        }
        new Meters<>(registry, this::buffers)
                .count(
                        "sws.buffers.passed",
                        "Requests that waited in vain.",
                        Tags.empty(),
                        from -> from.passed().values().stream()
                                .mapToLong(Long::longValue)
                                .sum());
    }

    private StingyStats buffers() {
        return Objects.requireNonNull(server.bufferStats());
    }

    private static void count(
            Meters<SwsStats> meters, String name, String how, java.util.function.ToDoubleFunction<SwsStats> figure) {
        meters.count(name, how, Tags.empty(), figure);
    }
}
