// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import io.mely.StageGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Places for the stages of a graph: a stage is in a column behind all of its senders', but for edges that close a cycle; within a column by the mean place of the senders.
 *
 * <p>Stages that were sent nothing are left out.
 */
final class GraphLayout {
    private static final int SWEEPS = 4;

    private final StageGraph graph;
    private final int[] columns; // by stage; -1: left out
    private final double[] rows;
    private final int[] states; // 0 unseen, 1 on the path, 2 seen
    private final List<List<Integer>> senders = new ArrayList<>(); // without those that close a cycle

    GraphLayout(StageGraph graph) {
        this.graph = graph;
        int count = graph.nodes().size();
        columns = new int[count];
        rows = new double[count];
        states = new int[count];
        List<List<Integer>> receivers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            receivers.add(new ArrayList<>());
            senders.add(new ArrayList<>());
        }
        boolean[] isUsed = new boolean[count];
        boolean[] isFirst = new boolean[count];
        for (StageGraph.Edge edge : graph.edges()) {
            isUsed[edge.to()] = true;
            if (edge.from() >= 0) {
                isUsed[edge.from()] = true;
                receivers.get(edge.from()).add(edge.to());
            } else {
                isFirst[edge.to()] = true;
            }
        }
        for (int i = 0; i < count; i++) { // what comes from outside is the begin
            if (isFirst[i]) {
                walk(i, receivers);
            }
        }
        for (int i = 0; i < count; i++) {
            walk(i, receivers);
        }
        Arrays.fill(columns, -1);
        for (int i = 0; i < count; i++) {
            if (isUsed[i]) {
                columns[i] = columnOf(i);
            }
        }
        placeRows();
    }

    private void walk(int stage, List<List<Integer>> receivers) {
        if (states[stage] != 0) {
            return;
        }
        states[stage] = 1;
        for (int receiver : receivers.get(stage)) {
            if (states[receiver] != 1) {
                senders.get(receiver).add(stage);
                walk(receiver, receivers);
            }
        }
        states[stage] = 2;
    }

    private int columnOf(int stage) {
        if (columns[stage] < 0) {
            columns[stage] =
                    senders.get(stage).stream().mapToInt(this::columnOf).max().orElse(-1) + 1;
        }
        return columns[stage];
    }

    private void placeRows() {
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            for (int column = 0; column <= columnMax(); column++) {
                int its = column;
                List<Integer> stages = new ArrayList<>();
                for (int i = 0; i < columns.length; i++) {
                    if (columns[i] == its) {
                        stages.add(i);
                    }
                }
                stages.sort(Comparator.comparingDouble(this::meanRow)); // stable
                for (int i = 0; i < stages.size(); i++) {
                    rows[stages.get(i)] = i - (stages.size() - 1) / 2.0;
                }
            }
        }
    }

    private double meanRow(int stage) {
        return senders.get(stage).stream().mapToDouble(i -> rows[i]).average().orElse(0);
    }

    /** The column of a stage; -1 if it is left out. */
    int column(int stage) {
        return columns[stage];
    }

    /** Its place in the column, from the middle. */
    double row(int stage) {
        return rows[stage];
    }

    int columnMax() {
        return Arrays.stream(columns).max().orElse(-1);
    }

    /** The furthest row from the middle. */
    double rowMax() {
        double most = 0;
        for (int i = 0; i < graph.nodes().size(); i++) {
            most = columns[i] < 0 ? most : Math.max(most, Math.abs(rows[i]));
        }
        return most;
    }
}
