// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import io.mely.MelyStats;
import io.mely.MelyStats.CoreStats;
import io.mely.sws.SwsStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Writes the report of {@code --stats}: a table with a line per core and their sum, then responses by class of status, then connections.
 *
 * <p><b>Threads.</b> Any.
 */
final class StatsReport {
    /** Nanoseconds in a microsecond: the report's unit of time. */
    private static final double NS_PER_US = 1_000.0;

    private static final String GAP = "  ";

    /** One column: its heading, a core's figure, the sum's. */
    private record Column(String heading, Function<CoreStats, String> figure, Function<MelyStats, String> sum) {}

    private static final List<Column> COLUMNS = List.of(
            new Column("core", core -> String.valueOf(core.core()), all -> "all"),
            new Column("cpu", core -> core.cpu() < 0 ? "-" : String.valueOf(core.cpu()), all -> ""),
            counter("events", CoreStats::run),
            counter("failed", CoreStats::failed),
            counter("steals", CoreStats::steals),
            counter("steal tries", CoreStats::stealAttempts),
            time("steal time us", CoreStats::stealTimeNs),
            time("stolen time us", CoreStats::stolenTimeNs),
            counter("wake-ups", CoreStats::wakeups),
            counter("sleeps", CoreStats::sleeps),
            counter("polls", CoreStats::polls));

    private StatsReport() {}

    /**
     * Writes the report.
     *
     * @param stats of the runtime
     * @param counters of the server
     * @return lines, each ended
     */
    static String of(MelyStats stats, SwsStats counters) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(COLUMNS.stream().map(Column::heading).toList());
        for (CoreStats core : stats.cores()) {
            rows.add(COLUMNS.stream().map(column -> column.figure().apply(core)).toList());
        }
        rows.add(COLUMNS.stream().map(column -> column.sum().apply(stats)).toList());
        StringBuilder report = new StringBuilder("SWS statistics\n");
        appendTable(rows, report);
        appendResponses(counters, report);
        appendConnections(counters, report);
        return report.toString();
    }

    private static void appendTable(List<List<String>> rows, StringBuilder report) {
        int[] widths = new int[COLUMNS.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = row.get(i);
                line.append(i == 0 ? "" : GAP)
                        .append(" ".repeat(widths[i] - cell.length()))
                        .append(cell);
            }
            report.append(line).append('\n');
        }
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
        report.append(GAP).append(name).append(": ").append(number(value));
    }

    private static Column counter(String heading, ToLongFunction<CoreStats> value) {
        return new Column(heading, core -> number(value.applyAsLong(core)), all -> number(sum(all, value)));
    }

    private static Column time(String heading, ToLongFunction<CoreStats> valueNs) {
        return new Column(heading, core -> micros(valueNs.applyAsLong(core)), all -> micros(sum(all, valueNs)));
    }

    private static long sum(MelyStats stats, ToLongFunction<CoreStats> value) {
        return stats.cores().stream().mapToLong(value).sum();
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String micros(long valueNs) {
        return String.format(Locale.ROOT, "%,.1f", valueNs / NS_PER_US);
    }
}
