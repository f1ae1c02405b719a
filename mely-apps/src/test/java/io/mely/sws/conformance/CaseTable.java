// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads the table of cases; its first lines describe its form. */
final class CaseTable {
    private static final String RESOURCE = "cases.txt";
    private static final int COLUMNS = 5;

    private CaseTable() {}

    static List<ConformanceCase> bundled() throws IOException {
        InputStream table = CaseTable.class.getResourceAsStream(RESOURCE);
        if (table == null) {
            throw new IllegalStateException("resource is missing: " + RESOURCE);
        }
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(table, StandardCharsets.US_ASCII))) {
            return parse(lines.lines().toList());
        }
    }

    static List<ConformanceCase> parse(List<String> lines) {
        List<ConformanceCase> cases = new ArrayList<>();
        Set<String> names = new HashSet<>();
        String group = "";
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            if (line.startsWith("[") && line.endsWith("]")) {
                group = line.substring(1, line.length() - 1);
                continue;
            }
            try {
                ConformanceCase each = parseCase(group, line);
                if (!names.add(each.toString())) {
                    throw new IllegalArgumentException("name must be unique: " + each);
                }
                cases.add(each);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(RESOURCE + ", line " + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        return cases;
    }

    private static ConformanceCase parseCase(String group, String line) {
        List<String> columns =
                Arrays.stream(line.split(" \\| ", -1)).map(String::strip).toList();
        if (columns.size() != COLUMNS || group.isEmpty()) {
            throw new IllegalArgumentException("a case must have " + COLUMNS + " columns, in a group: " + line);
        }
        RequestText.parse(columns.get(3), path -> "\"x\""); // fails now rather than later
        List<Expectation> expected = Arrays.stream(columns.get(4).split(" >> ", -1))
                .map(Expectation::parse)
                .toList();
        return new ConformanceCase(
                group, columns.get(0), columns.get(1), Level.valueOf(columns.get(2)), columns.get(3), expected);
    }
}
