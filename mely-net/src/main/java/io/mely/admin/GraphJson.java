// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import io.mely.Durations;
import io.mely.MelyStats;
import io.mely.StageGraph;
import io.mely.StageGraph.Node;
import java.util.List;
import java.util.Locale;

/** A graph and the cores' counters as JSON. */
final class GraphJson {
    private final StringBuilder out = new StringBuilder();
    private boolean isFirst = true;

    private GraphJson() {}

    static String of(StageGraph graph, List<MelyStats.CoreStats> cores) {
        GraphJson json = new GraphJson();
        json.begin('{');
        json.name("nodes").begin('[');
        graph.nodes().forEach(json::node);
        json.end(']');
        json.name("edges").begin('[');
        graph.edges().forEach(json::edge);
        json.end(']');
        Node bottleneck = graph.bottleneck();
        json.name("bottleneck");
        json.value(bottleneck == null ? "null" : Integer.toString(graph.nodes().indexOf(bottleneck)));
        json.name("warnings").begin('[');
        graph.warnings().forEach(json::text);
        json.end(']');
        json.name("cores").begin('[');
        cores.forEach(json::core);
        json.end(']');
        json.end('}');
        return json.out.toString();
    }

    private void node(Node node) {
        begin('{');
        name("name").text(node.name());
        name("group").text(node.group());
        number("threads", node.threads());
        number("processingTimeNs", node.processingTimeNs());
        number("spanNs", node.stats().spanNs());
        number("sent", node.stats().sent());
        number("run", node.stats().run());
        number("refused", node.stats().refused());
        number("failed", node.stats().failed());
        number("pending", node.stats().pending());
        number("arrivalsPerS", node.arrivalsPerS());
        number("servicePerS", node.servicePerS());
        number("rho", node.rho());
        durations("serviceNs", node.stats().service());
        durations("sojournNs", node.stats().sojourn());
        end('}');
    }

    private void durations(String name, Durations durations) {
        name(name).begin('{');
        number("count", durations.count());
        for (double percent : new double[] {50, 90, 99}) {
            number("p" + (int) percent, durations.percentileNs(percent));
        }
        end('}');
    }

    private void edge(StageGraph.Edge edge) {
        begin('{');
        number("from", edge.from());
        number("to", edge.to());
        number("events", edge.events());
        end('}');
    }

    private void core(MelyStats.CoreStats core) {
        begin('{');
        number("core", core.core());
        number("cpu", core.cpu());
        number("sent", core.sent());
        number("run", core.run());
        number("failed", core.failed());
        number("steals", core.steals());
        number("stealAttempts", core.stealAttempts());
        number("rescues", core.rescues());
        number("sleeps", core.sleeps());
        number("wakeups", core.wakeups());
        number("polls", core.polls());
        end('}');
    }

    // ------------------------------------------------------------------ its grammar

    private void begin(char bracket) {
        separate();
        out.append(bracket);
        isFirst = true;
    }

    private void end(char bracket) {
        out.append(bracket);
        isFirst = false;
    }

    private GraphJson name(String name) {
        text(name);
        out.append(':');
        isFirst = true;
        return this;
    }

    private void number(String name, long number) {
        name(name).value(Long.toString(number));
    }

    private void number(String name, double number) {
        name(name).value(Double.isFinite(number) ? String.format(Locale.ROOT, "%.4g", number) : "null");
    }

    private void value(String text) {
        separate();
        out.append(text);
    }

    private void text(String text) {
        separate();
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c == '<' || Character.isSurrogate(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private void separate() {
        if (!isFirst) {
            out.append(',');
        }
        isFirst = false;
    }
}
