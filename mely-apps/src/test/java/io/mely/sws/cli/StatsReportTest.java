// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mely.MelyStats;
import io.mely.MelyStats.CoreStats;
import io.mely.stingy.StingyStats;
import io.mely.sws.StreamStats;
import io.mely.sws.SwsStats;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatsReportTest {
    static MelyStats stats() {
        return new MelyStats(
                List.of(
                        new CoreStats(0, 0, 1, 0, 1_234_567, 0, 0, Map.of(), 5, 0, 0, 0, 7, 8, 9),
                        new CoreStats(1, -1, 1, 0, 99, 1, 12, Map.of(), 34, 0, 6_000, 1_234_500, 2, 3, 4)),
                new MelyStats.PoolStats(0, 0, 0, 0, 0),
                List.of(),
                0,
                0,
                0,
                MelyStats.StallStats.NONE);
    }

    static SwsStats counters() {
        return new SwsStats(
                1_000, 1, 3, 2, 123_456, 9, 2, 8, 1, 3, 0, 7, 11, 6, 2, new StreamStats(5, 4, 1, 2), 0, 4, 5, 6, 0);
    }

    // One line per core and one for all, columns right-aligned, units in the heading.
    @Test
    void of_alignsTable() {
        String report = StatsReport.of(stats(), counters(), null);
        assertThat(report.lines())
                .containsExactly(
                        "SWS statistics",
                        "core  cpu     events  failed  steals  steal tries  steal time us  stolen time us  wake-ups  sleeps  polls",
                        "   0    0  1,234,567       0       0            5            0.0             0.0         8       7      9",
                        "   1    -         99       1      12           34            6.0         1,234.5         3       2      4",
                        " all       1,234,666       1      12           39            6.0         1,234.5        11       9     13",
                        "responses: 1,006  2xx: 1,000  3xx: 1  4xx: 3  5xx: 2  bytes: 123,456  over rate: 7  overload: 11",
                        "connections: 9  refused: 2  lost: 1  timed out: 3  failed: 0  still open: 1",
                        "handshakes: 6  failed: 2");
    }

    // A line for each kind of buffers, and what the bound cost.
    @Test
    void of_withBuffers_saysWhatBecameOfThem() {
        StingyStats buffers = new StingyStats(
                List.of(
                        new StingyStats.SiteStats("head", 112, 1, 60, 1_234_567, 12, 7, 0, 0),
                        new StingyStats.SiteStats("read", 2, 2, 2, 2, 0, 0, 3, 0)),
                Map.of("ReadRequest", 7L),
                0);
        assertThat(StatsReport.of(stats(), counters(), buffers).lines())
                .endsWith(
                        "buffers head: 112  served: 1,234,567  refused: 12  elsewhere: 7  most live: 60  still live: 1",
                        "buffers read: 2  served: 2  refused: 0  elsewhere: 3  most live: 2  still live: 2",
                        "requests that waited in vain: 7");
    }
}
