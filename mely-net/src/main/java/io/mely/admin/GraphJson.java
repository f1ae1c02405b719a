// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import io.mely.Durations;
import io.mely.MelyStats;
import io.mely.StageGraph;
import io.mely.StageGraph.Node;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A graph, the cores' counters, and what was seen of their activity, as JSON. */
final class GraphJson {
    private final StringBuilder out = new StringBuilder();
    private boolean isFirst = true;

    private GraphJson() {}

    private static final int COLORS_MAX = 10;

    /** @param samples null: none were taken */
    static String of(
            StageGraph graph, List<String> warnings, List<MelyStats.CoreStats> cores, @Nullable Samples samples) {
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
        warnings.forEach(json::text);
        json.end(']');
        json.name("cores").begin('[');
        cores.forEach(json::core);
        json.end(']');
        if (samples != null) {
            json.activity(samples);
        }
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
        name("stealsByDistance").begin('{');
        core.stealsByDistance().forEach((distance, count) -> number(distance, count));
        end('}');
        number("stealAttempts", core.stealAttempts());
        number("rescues", core.rescues());
        number("sleeps", core.sleeps());
        number("wakeups", core.wakeups());
        number("polls", core.polls());
        end('}');
    }

    private void activity(Samples samples) {
        name("activity").begin('{');
        name("cores").begin('[');
        for (Samples.Core core : samples.cores()) {
            begin('{');
            number("core", core.core());
            number("handlerShare", core.handlerShare());
            number("sleepShare", core.sleepShare());
            end('}');
        }
        end(']');
        name("colors").begin('[');
        for (Samples.TopColor color : samples.topColors(COLORS_MAX)) {
            begin('{');
            number("color", color.color());
            name("stage").text(color.stage());
            number("share", color.share());
            end('}');
        }
        end(']');
        name("longHandlers").begin('[');
        for (Samples.LongHandler handler : samples.longHandlers()) {
            begin('{');
            name("stage").text(handler.stage);
            number("color", handler.color);
            number("core", handler.core);
            number("tookNs", handler.tookNs());
            name("isOver").value(Boolean.toString(handler.isOver()));
            name("stack").begin('[');
            handler.stack.forEach(this::text);
            end(']');
            end('}');
        }
        end(']');
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
