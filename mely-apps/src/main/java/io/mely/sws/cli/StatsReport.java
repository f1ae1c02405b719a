// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.MelyStats;
import io.mely.cli.CoreTable;
import io.mely.stingy.StingyStats;
import io.mely.stingy.StingyStats.SiteStats;
import io.mely.sws.SwsStats;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes the report of {@code --stats}: a table with a line per core and their sum, then responses by class of status, then connections, then buffers in the cores' caches.
 *
 * <p><b>Threads.</b> Any.
 */
final class StatsReport {
    private StatsReport() {}

    /**
     * Writes the report.
     *
     * @param stats of the runtime
     * @param counters of the server
     * @param buffers in the cores' caches; null if there are none
     * @return lines, each ended
     */
    static String of(MelyStats stats, SwsStats counters, @Nullable StingyStats buffers) {
        StringBuilder report = new StringBuilder("SWS statistics\n");
        CoreTable.append(stats, report);
        appendResponses(counters, report);
        appendConnections(counters, report);
        if (buffers != null) {
            appendBuffers(buffers, report);
        }
        return report.toString();
    }

    private static void appendResponses(SwsStats counters, StringBuilder report) {
        report.append("responses: ").append(number(counters.responses()));
        appendCounter("2xx", counters.responses2xx(), report);
        appendCounter("3xx", counters.responses3xx(), report);
        appendCounter("4xx", counters.responses4xx(), report);
        appendCounter("5xx", counters.responses5xx(), report);
        appendCounter("bytes", counters.bytesWritten(), report);
        appendCounter("over rate", counters.limited(), report);
        appendCounter("overload", counters.shed(), report);
        report.append('\n');
    }

    private static void appendConnections(SwsStats counters, StringBuilder report) {
        report.append("connections: ").append(number(counters.accepted()));
        appendCounter("refused", counters.refused(), report);
        appendCounter("lost", counters.lost(), report);
        appendCounter("timed out", counters.timeouts(), report);
        appendCounter("failed", counters.failures(), report);
        appendCounter("still open", counters.open(), report);
        report.append('\n');
        if (counters.handshakes() + counters.handshakesFailed() > 0) {
            report.append("handshakes: ").append(number(counters.handshakes()));
            appendCounter("failed", counters.handshakesFailed(), report);
            report.append('\n');
        }
        if (counters.logDropped() > 0) {
            report.append("access log: dropped: ")
                    .append(number(counters.logDropped()))
                    .append('\n');
        }
    }

    private static void appendBuffers(StingyStats buffers, StringBuilder report) {
        for (SiteStats site : buffers.sites()) {
            report.append("buffers ").append(site.site()).append(": ").append(number(site.count()));
            appendCounter("served", site.served(), report);
            appendCounter("refused", site.refused(), report);
            appendCounter("elsewhere", site.fallbacks() + site.guards(), report);
            appendCounter("most live", site.peak(), report);
            appendCounter("still live", site.live(), report);
            report.append('\n');
        }
        long passed =
                buffers.passed().values().stream().mapToLong(Long::longValue).sum();
        report.append("requests that waited in vain: ").append(number(passed)).append('\n');
    }

    private static void appendCounter(String name, long value, StringBuilder report) {
        report.append("  ").append(name).append(": ").append(number(value));
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
