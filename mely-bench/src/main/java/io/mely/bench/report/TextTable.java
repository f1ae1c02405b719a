// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A table for a terminal: columns set to the right. */
public final class TextTable {
    private TextTable() {}

    /**
     * Writes a table.
     *
     * @param titles of the columns
     * @param rows as many cells as titles
     * @return a line for each row
     */
    public static String of(List<String> titles, List<List<String>> rows) {
        int[] widths = titles.stream().mapToInt(String::length).toArray();
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder out = new StringBuilder();
        Stream.concat(Stream.of(titles), rows.stream()).forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                out.append(String.format(Locale.ROOT, "%" + widths[i] + "s  ", row.get(i)));
            }
            out.append('\n');
        });
        return out.toString();
    }
}
