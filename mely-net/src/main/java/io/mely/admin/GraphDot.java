// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import io.mely.StageGraph;
import io.mely.StageGraph.Node;
import java.util.Locale;

/** A graph in the language of Graphviz: the darker a stage, the higher its load; the thicker an edge, the more events. */
final class GraphDot {
    private GraphDot() {}

    static String of(StageGraph graph) {
        StringBuilder out = new StringBuilder("digraph stages {\n  rankdir=LR;\n  node [shape=box, style=filled];\n");
        boolean hasOutside = graph.edges().stream().anyMatch(edge -> edge.from() < 0);
        if (hasOutside) {
            out.append("  outside [shape=plaintext, style=\"\"];\n");
        }
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node node = graph.nodes().get(i);
            out.append(String.format(
                    Locale.ROOT,
                    "  s%d [label=\"%s\\n%s\\n%.0f/s, load %.2f\", fillcolor=\"0 %.2f 1\"];%n",
                    i,
                    quoted(node.name()),
                    quoted(node.group()),
                    node.arrivalsPerS(),
                    node.rho(),
                    Math.min(1, node.rho())));
        }
        long most =
                graph.edges().stream().mapToLong(StageGraph.Edge::events).max().orElse(1);
        for (StageGraph.Edge edge : graph.edges()) {
            out.append(String.format(
                    Locale.ROOT,
                    "  %s -> s%d [label=\"%d\", penwidth=%.1f];%n",
                    edge.from() < 0 ? "outside" : "s" + edge.from(),
                    edge.to(),
                    edge.events(),
                    1 + 4.0 * edge.events() / most));
        }
        return out.append("}\n").toString();
    }

    private static String quoted(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
