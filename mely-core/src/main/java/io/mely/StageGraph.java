// SPDX-License-Identifier: Apache-2.0
package io.mely;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The stages of a runtime, who sends to whom, and what each does: over the time from the runtime's birth, or between two readings ({@link #since}).
 *
 * @param nodes the stages, in the order in which they were made; the first is that of commands
 * @param edges between stages, those that were used, by the place of the receiver and then of the sender
 */
public record StageGraph(List<Node> nodes, List<Edge> edges) {
    /** A stage is nearly saturated from here on: with random arrivals and times its queue is ten events long on average. */
    private static final double RHO_HIGH = 0.9;

    /** Copies the lists. */
    public StageGraph {
        nodes = List.copyOf(nodes);
        edges = List.copyOf(edges);
    }

    /**
     * A stage.
     *
     * @param group that it belongs to
     * @param threads how many can run it at once: the cores, or the threads of a pool; one if it is single-threaded
     * @param processingTimeNs what an event is expected to take, nanoseconds
     * @param stats its figures; pending is the length of its queue
     */
    public record Node(String group, int threads, long processingTimeNs, StageStats stats) {
        /**
         * Its name.
         *
         * @return as it was made
         */
        public String name() {
            return stats.stage();
        }

        /**
         * How many events were sent to it a second, the refused ones not included.
         *
         * @return events per second
         */
        public double arrivalsPerS() {
            return stats.spanNs() == 0 ? 0 : stats.sent() * 1e9 / stats.spanNs();
        }

        /**
         * How many events one thread can run a second.
         *
         * @return events per second
         */
        public double servicePerS() {
            return 1e9 / processingTimeNs;
        }

        /**
         * Its load: what arrives, of what its threads can run if they do nothing else.
         *
         * @return rho; 1 and more: it cannot keep up
         */
        public double rho() {
            return arrivalsPerS() / (servicePerS() * threads);
        }
    }

    /**
     * From a stage to a stage.
     *
     * @param from place of the sender in {@link #nodes}; -1: threads that run no handler, timers, and what the cores poll
     * @param to place of the receiver
     * @param events sent
     */
    public record Edge(int from, int to, long events) {}

    /**
     * The stage with the highest load.
     *
     * @return null if nothing was run
     */
    public @Nullable Node bottleneck() {
        Node highest = null;
        for (Node node : nodes) {
            if (node.stats.run() > 0 && (highest == null || node.rho() > highest.rho())) {
                highest = node;
            }
        }
        return highest;
    }

    /**
     * The figures of the time between two readings.
     *
     * @param earlier of the same runtime
     * @return what has happened since
     */
    public StageGraph since(StageGraph earlier) {
        List<Node> newNodes = new ArrayList<>(nodes);
        for (int i = 0; i < earlier.nodes.size(); i++) {
            Node node = nodes.get(i);
            StageStats stats = node.stats.since(earlier.nodes.get(i).stats);
            newNodes.set(i, new Node(node.group, node.threads, node.processingTimeNs, stats));
        }
        Map<List<Integer>, Long> before = new HashMap<>();
        earlier.edges.forEach(edge -> before.put(List.of(edge.from, edge.to), edge.events));
        List<Edge> newEdges = edges.stream()
                .map(edge -> new Edge(
                        edge.from, edge.to, edge.events - before.getOrDefault(List.of(edge.from, edge.to), 0L)))
                .filter(edge -> edge.events > 0)
                .toList();
        return new StageGraph(newNodes, newEdges);
    }

    /**
     * What is odd about a graph.
     *
     * @param kind of oddity
     * @param stages places in {@link #nodes} of whom it concerns; of a cycle in its order, each once
     * @param text a sentence for people
     */
    public record Warning(Kind kind, List<Integer> stages, String text) {
        /** Kinds of oddities. */
        public enum Kind {
            /** A stage was sent nothing. */
            DEAD,
            /** A stage cannot keep up, or hardly. */
            SATURATED,
            /** Events may go round for ever. */
            CYCLE
        }

        /** Copies the list. */
        public Warning {
            stages = List.copyOf(stages);
        }
    }

    /**
     * What is odd: stages that cannot keep up, stages to which nothing was sent, and a cycle, round which events may go for ever.
     *
     * @return none if nothing is
     */
    public List<Warning> warnings() {
        return warnings(this);
    }

    /**
     * The same, with the loads of a shorter time.
     *
     * @param lately what {@link #since} has returned
     * @return none if nothing is odd
     */
    public List<Warning> warnings(StageGraph lately) {
        List<Warning> warnings = new ArrayList<>();
        for (int i = 1; i < nodes.size(); i++) { // that of commands may be unused
            Node node = nodes.get(i);
            double rho = i < lately.nodes.size() ? lately.nodes.get(i).rho() : 0;
            if (node.stats.sent() == 0) {
                String text = "stage " + node.name() + " has been sent nothing";
                warnings.add(new Warning(Warning.Kind.DEAD, List.of(i), text));
            } else if (rho >= RHO_HIGH) {
                String text = String.format(Locale.ROOT, "stage %s is saturated: its load is %.2f", node.name(), rho);
                warnings.add(new Warning(Warning.Kind.SATURATED, List.of(i), text));
            }
        }
        List<Integer> cycle = new CycleSearch().first();
        if (!cycle.isEmpty()) {
            List<String> names = cycle.stream().map(i -> nodes.get(i).name()).toList();
            String text = "events may go round: " + String.join(" -> ", names);
            warnings.add(new Warning(Warning.Kind.CYCLE, cycle.subList(0, cycle.size() - 1), text));
        }
        return warnings;
    }

    /** Depth first. */
    private final class CycleSearch {
        private final List<List<Integer>> receivers = new ArrayList<>();
        private final boolean[] isOver = new boolean[nodes.size()];
        private final List<Integer> path = new ArrayList<>();

        CycleSearch() {
            nodes.forEach(node -> receivers.add(new ArrayList<>()));
            for (Edge edge : edges) {
                if (edge.from >= 0) {
                    receivers.get(edge.from).add(edge.to);
                }
            }
        }

        /** Stages of one cycle, the first at the end again; none if there is none. */
        List<Integer> first() {
            for (int i = 0; i < nodes.size(); i++) {
                List<Integer> cycle = from(i);
                if (!cycle.isEmpty()) {
                    return cycle;
                }
            }
            return List.of();
        }

        private List<Integer> from(int stage) {
            if (isOver[stage]) {
                return List.of();
            }
            int at = path.indexOf(stage);
            path.add(stage);
            if (at >= 0) {
                return List.copyOf(path.subList(at, path.size()));
            }
            for (int receiver : receivers.get(stage)) {
                List<Integer> cycle = from(receiver);
                if (!cycle.isEmpty()) {
                    return cycle;
                }
            }
            path.remove(path.size() - 1);
            isOver[stage] = true;
            return List.of();
        }
    }
}
