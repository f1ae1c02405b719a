// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import io.mely.StageOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What one thread has recorded of one stage. <b>Threads.</b> One writer. */
final class StageRecord {
    /** What the stage's handlers sent to one other, into their own color or not. */
    static final class Edge {
        long events;
        long runs;
        private long lastRun;

        private void count(long run) {
            events++;
            if (run != lastRun) {
                lastRun = run;
                runs++;
            }
        }

        void addAll(Edge other) {
            events += other.events;
            runs += other.runs;
        }
    }

    final StageOptions options;
    final TimeHistogram times = new TimeHistogram();
    final ColorCounts colors = new ColorCounts();
    final Map<String, Edge> toOwnColor = new ConcurrentHashMap<>();
    final Map<String, Edge> toOtherColors = new ConcurrentHashMap<>();
    final ArrivalWindows arrivals = new ArrivalWindows();
    long begun;
    long totalNs;

    StageRecord(StageOptions options) {
        this.options = options;
    }

    void sent(String to, boolean isOwnColor) {
        Map<String, Edge> edges = isOwnColor ? toOwnColor : toOtherColors;
        Edge edge = edges.get(to);
        if (edge == null) {
            edge = new Edge();
            edges.put(to, edge);
        }
        edge.count(begun);
    }

    /** Everything but the colors, which are ranked across stages. */
    void addAll(StageRecord other) {
        times.addAll(other.times);
        arrivals.addAll(other.arrivals);
        totalNs += other.totalNs;
        other.toOwnColor.forEach(
                (to, edge) -> toOwnColor.computeIfAbsent(to, name -> new Edge()).addAll(edge));
        other.toOtherColors.forEach((to, edge) ->
                toOtherColors.computeIfAbsent(to, name -> new Edge()).addAll(edge));
    }
}
