// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import io.mely.sws.conformance.Runner.Result;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** Writes results of one or more servers as text or Markdown. */
final class Report {
    /** The lines of the page before the first and behind the second are kept. */
    static final String START = "<!-- results: written by Conformance -->\n";

    static final String END = "<!-- end of results -->\n";

    private final Map<String, List<Result>> byServer = new LinkedHashMap<>();

    Report add(String server, List<Result> results) {
        byServer.put(server, results);
        return this;
    }

    static String line(Result result) {
        ConformanceCase of = result.of();
        return of.level() + " " + of.clause() + " " + of + ": " + (result.isPassed() ? "passed" : result.failure());
    }

    /** The part of the page between {@link #START} and {@link #END}. */
    String markdown() {
        StringBuilder page = new StringBuilder(START).append("\n## Totals\n\n");
        header(page);
        for (Level level : Level.values()) {
            row(page, level.toString(), result -> result.of().level() == level);
        }
        row(page, "all", result -> true);
        byServer.forEach((server, results) -> failures(page, server, results));
        return page.append('\n').append(END).toString();
    }

    private void header(StringBuilder page) {
        page.append("| Level | ").append(String.join(" | ", byServer.keySet())).append(" |\n");
        page.append("| --- |").append(" --- |".repeat(byServer.size())).append('\n');
    }

    private void row(StringBuilder page, String label, Predicate<Result> isCounted) {
        page.append("| ").append(label).append(" |");
        for (List<Result> results : byServer.values()) {
            page.append(' ').append(score(results, isCounted)).append(" |");
        }
        page.append('\n');
    }

    static String score(List<Result> results, Predicate<Result> isCounted) {
        long all = results.stream().filter(isCounted).count();
        long passed =
                results.stream().filter(isCounted).filter(Result::isPassed).count();
        String share = all == 0 ? "" : String.format(Locale.ROOT, " (%.1f %%)", 100.0 * passed / all);
        return passed + " of " + all + share;
    }

    private static void failures(StringBuilder page, String server, List<Result> results) {
        page.append("\n## What ").append(server).append(" fails\n\n");
        if (results.stream().allMatch(Result::isPassed)) {
            page.append("Nothing.\n");
            return;
        }
        page.append("| Case | RFC | Level | Instead |\n| --- | --- | --- | --- |\n");
        for (Result each : results) {
            if (!each.isPassed()) {
                page.append("| ")
                        .append(each.of())
                        .append(" | ")
                        .append(each.of().clause());
                page.append(" | ").append(each.of().level()).append(" | ");
                page.append(String.valueOf(each.failure()).replace("|", "\\|").replace("<", "&lt;"));
                page.append(" |\n");
            }
        }
    }
}
