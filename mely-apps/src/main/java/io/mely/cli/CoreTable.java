// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import io.mely.MelyStats;
import io.mely.MelyStats.CoreStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** The figures of a runtime's cores, as a table of text. */
public final class CoreTable {
    /** Nanoseconds in a microsecond: the table's unit of time. */
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

    private CoreTable() {}

    /**
     * Writes the table.
     *
     * @param stats of the runtime
     * @param report gets its lines, each ended
     */
    public static void append(MelyStats stats, StringBuilder report) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(COLUMNS.stream().map(Column::heading).toList());
        for (CoreStats core : stats.cores()) {
            rows.add(COLUMNS.stream().map(column -> column.figure().apply(core)).toList());
        }
        rows.add(COLUMNS.stream().map(column -> column.sum().apply(stats)).toList());
        appendTable(rows, report);
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
