// SPDX-License-Identifier: Apache-2.0
package io.mely;

/** Stages of graphs that were never run. */
public final class GraphNodes {
    private static final Durations NONE = new Durations() {
        @Override
        public long count() {
            return 0;
        }

        @Override
        public long percentileNs(double percent) {
            return 0;
        }

        @Override
        public Durations since(Durations earlier) {
            return this;
        }
    };

    private GraphNodes() {}

    /** A stage that was sent some events and has run some, of as many nanoseconds, in a second. */
    public static StageGraph.Node node(String name, int threads, long processingTimeNs, long sent, long run) {
        StageStats stats = new StageStats(name, 1_000_000_000, sent, 0, run, 0, sent - run, NONE, NONE);
        return new StageGraph.Node("main", threads, processingTimeNs, stats);
    }
}
