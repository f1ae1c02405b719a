// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import io.mely.Color;
import io.mely.Durations;
import io.mely.MelyStats;
import io.mely.StageGraph;
import io.mely.StageGraph.Edge;
import io.mely.StageGraph.Node;
import io.mely.StallListener;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A graph, the cores' counters, and what was seen of their activity, as JSON. */
final class GraphJson {
    private static final int COLORS_MAX = 10;

    private final StringBuilder out = new StringBuilder();
    private boolean isFirst = true;

    private GraphJson() {}

    /**
     * Writes one.
     *
     * @param whole the graph since the runtime's birth: its edges and places
     * @param lately the time that is shown
     * @param warnings about them
     * @param stats counters since the birth
     * @param colorSlots how many colors are for keys; those of a greater number are stages' own
     * @param samples null: none were taken
     */
    static String of(
            StageGraph whole,
            StageGraph lately,
            List<StageGraph.Warning> warnings,
            MelyStats stats,
            int colorSlots,
            @Nullable Samples samples) {
        GraphJson json = new GraphJson();
        json.begin('{');
        json.graph(whole, lately);
        json.list("warnings", warnings, json::warning);
        json.list("cores", stats.cores(), json::core);
        json.outside(stats);
        json.number("colorSlots", colorSlots);
        json.name("stalls").begin('{');
        json.number("told", stats.stalls().told());
        json.list("last", stats.stalls().last(), json::stall);
        json.end('}');
        if (samples != null) {
            json.activity(samples);
        }
        json.end('}');
        return json.out.toString();
    }

    private <T> void list(String name, List<T> all, Consumer<T> writer) {
        name(name).begin('[');
        all.forEach(writer);
        end(']');
    }

    private void graph(StageGraph whole, StageGraph lately) {
        GraphLayout layout = new GraphLayout(whole);
        name("nodes").begin('[');
        for (int i = 0; i < lately.nodes().size(); i++) {
            node(lately.nodes().get(i), whole.nodes().get(i).stats().sent(), layout.column(i), layout.row(i));
        }
        end(']');
        list("edges", whole.edges(), edge -> edge(edge, lately));
        Node bottleneck = lately.bottleneck();
        name("bottleneck");
        value(bottleneck == null ? "null" : Integer.toString(lately.nodes().indexOf(bottleneck)));
    }

    private void node(Node node, long sentEver, int column, double row) {
        begin('{');
        name("name").text(node.name());
        name("group").text(node.group());
        number("column", column);
        number("row", row);
        number("threads", node.threads());
        number("processingTimeNs", node.processingTimeNs());
        number("spanNs", node.stats().spanNs());
        number("sentEver", sentEver);
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

    private void edge(Edge edge, StageGraph lately) {
        long events = lately.edges().stream()
                .filter(each -> each.from() == edge.from() && each.to() == edge.to())
                .mapToLong(Edge::events)
                .sum();
        begin('{');
        number("from", edge.from());
        number("to", edge.to());
        number("events", events);
        end('}');
    }

    private void warning(StageGraph.Warning warning) {
        begin('{');
        name("kind").text(warning.kind().name().toLowerCase(Locale.ROOT));
        name("stages").begin('[');
        warning.stages().forEach(stage -> value(Integer.toString(stage)));
        end(']');
        name("text").text(warning.text());
        end('}');
    }

    private void outside(MelyStats stats) {
        name("outside").begin('{');
        number("sent", stats.sentOutside());
        number("refused", stats.refusedOutside());
        end('}');
        name("pools").begin('{');
        number("threads", stats.pools().threads());
        number("sent", stats.pools().sent());
        number("refused", stats.pools().refused());
        number("run", stats.pools().run());
        number("failed", stats.pools().failed());
        end('}');
    }

    private void stall(MelyStats.PastStall past) {
        StallListener.Stall stall = past.stall();
        Color color = stall.color();
        begin('{');
        name("stage").text(stall.stage().name());
        number("color", color == null ? -1 : color.slot());
        number("core", stall.core());
        number("elapsedNs", stall.elapsed().toNanos());
        number("agoNs", past.ago().toNanos());
        list("stack", Samples.stack(stall.stack()), this::text);
        end('}');
    }

    private void core(MelyStats.CoreStats core) {
        begin('{');
        number("core", core.core());
        number("cpu", core.cpu());
        number("sent", core.sent());
        number("refused", core.refused());
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
        list("cores", samples.cores(), this::activity);
        number("inPools", samples.inPools());
        list("colors", samples.topColors(COLORS_MAX), this::color);
        list("longHandlers", samples.longHandlers(), this::longHandler);
        end('}');
    }

    private void activity(Samples.Core core) {
        begin('{');
        number("core", core.core());
        number("handlerShare", core.handlerShare());
        number("sleepShare", core.sleepShare());
        number("further", core.further());
        end('}');
    }

    private void color(Samples.TopColor color) {
        begin('{');
        number("color", color.color());
        name("stage").text(color.stage());
        number("share", color.share());
        number("timeLeftNs", color.timeLeftNs());
        end('}');
    }

    private void longHandler(Samples.LongHandler handler) {
        begin('{');
        name("stage").text(handler.stage);
        number("color", handler.color);
        number("core", handler.core);
        number("tookNs", handler.tookNs());
        name("isOver").value(Boolean.toString(handler.isOver()));
        list("stack", handler.stack, this::text);
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
