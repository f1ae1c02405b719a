// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.MelyStats;
import io.mely.cli.CoreTable;
import io.mely.sws.SwsStats;
import java.util.Locale;

/**
 * Writes the report of {@code --stats}: a table with a line per core and their sum, then responses by class of status, then connections.
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
     * @return lines, each ended
     */
    static String of(MelyStats stats, SwsStats counters) {
        StringBuilder report = new StringBuilder("SWS statistics\n");
        CoreTable.append(stats, report);
        appendResponses(counters, report);
        appendConnections(counters, report);
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

    private static void appendCounter(String name, long value, StringBuilder report) {
        report.append("  ").append(name).append(": ").append(number(value));
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
