// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.MelyStats;
import io.mely.MelyStats.CoreStats;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StatsReportTest {
    static MelyStats stats() {
        return new MelyStats(
                List.of(
                        new CoreStats(0, 0, 1, 0, 1_234_567, 0, 0, 5, 0, 0, 0, 7, 8, 9),
                        new CoreStats(1, -1, 1, 0, 99, 1, 12, 34, 0, 6_000, 1_234_500, 2, 3, 4)),
                0,
                0,
                0);
    }

    // One line per core and one for all, columns right-aligned, units in the heading.
    @Test
    void of_alignsTable() {
        String report = StatsReport.of(stats(), new TreeMap<>(Map.of(404, 3L, 200, 1_000L)));
        assertThat(report.lines())
                .containsExactly(
                        "SWS statistics",
                        "core  cpu     events  failed  steals  steal tries  steal time us  stolen time us  wake-ups  sleeps  polls",
                        "   0    0  1,234,567       0       0            5            0.0             0.0         8       7      9",
                        "   1    -         99       1      12           34            6.0         1,234.5         3       2      4",
                        " all       1,234,666       1      12           39            6.0         1,234.5        11       9     13",
                        "responses: 1,003  200: 1,000  404: 3");
    }

    @Test
    void of_survivesServerWithoutRequests() {
        assertThat(StatsReport.of(stats(), new TreeMap<>())).endsWith("\nresponses: 0\n");
    }
}
