// SPDX-License-Identifier: Apache-2.0
package io.mely.admin;

import io.mely.StageGraph;
import io.mely.StageGraph.Edge;
import io.mely.StageGraph.Node;
import java.util.Locale;

/** A graph as a picture: stages in columns from left to right, redder the higher their load; edges thicker the more events. */
final class GraphSvg {
    private static final int WIDTH = 170; // of a stage
    private static final int HEIGHT = 62;
    private static final int COLUMN = 250;
    private static final int ROW = 96;
    private static final int MARGIN = 40;

    private final StageGraph graph;
    private final GraphLayout layout;
    private final double middle;
    private final int bottleneck; // -1: none
    private final StringBuilder out = new StringBuilder();

    private GraphSvg(StageGraph graph) {
        this.graph = graph;
        layout = new GraphLayout(graph);
        Node highest = graph.bottleneck();
        bottleneck = highest == null ? -1 : graph.nodes().indexOf(highest);
        middle = MARGIN + layout.rowMax() * ROW + HEIGHT / 2.0;
    }

    static String of(StageGraph graph) {
        return new GraphSvg(graph).draw();
    }

    private String draw() {
        int width = 2 * MARGIN + Math.max(0, layout.columnMax()) * COLUMN + WIDTH;
        long height = Math.round(2 * middle);
        print(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"stage graph\" "
                        + "font-family=\"sans-serif\" font-size=\"12\">%n",
                width, height);
        print(
                "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
                        + "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#667\"/></marker></defs>%n");
        long most = graph.edges().stream().mapToLong(Edge::events).max().orElse(1);
        for (Edge edge : graph.edges()) {
            edge(edge, 1 + 4.0 * edge.events() / most);
        }
        for (int i = 0; i < graph.nodes().size(); i++) {
            if (layout.column(i) >= 0) {
                node(i);
            }
        }
        return out.append("</svg>\n").toString();
    }

    private double left(int stage) {
        return MARGIN + layout.column(stage) * (double) COLUMN;
    }

    private double center(int stage) {
        return middle + layout.row(stage) * ROW;
    }

    private void node(int stage) {
        Node node = graph.nodes().get(stage);
        double x = left(stage);
        double y = center(stage) - HEIGHT / 2.0;
        long light = Math.round(96 - 40 * Math.min(1, node.rho()));
        print(
                "<g><title>%s</title><rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" rx=\"6\" "
                        + "fill=\"hsl(8,80%%,%d%%)\" stroke=\"%s\" stroke-width=\"%d\"/>%n",
                escaped(node.name() + ", group " + node.group()),
                x,
                y,
                WIDTH,
                HEIGHT,
                light,
                stage == bottleneck ? "#b00" : "#667",
                stage == bottleneck ? 3 : 1);
        line(x, y + 18, "font-weight=\"bold\"", shortened(node.name()));
        line(
                x,
                y + 35,
                "",
                String.format(Locale.ROOT, "%s/s, load %.2f", Figures.count(node.arrivalsPerS()), node.rho()));
        line(
                x,
                y + 52,
                "",
                String.format(
                        Locale.ROOT,
                        "%s waiting, p99 %s",
                        Figures.count((double) node.stats().pending()),
                        Figures.time((double) node.stats().sojourn().percentileNs(99))));
        print("</g>%n");
    }

    private void line(double x, double y, String style, String text) {
        print(
                "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\" %s>%s</text>%n",
                x + WIDTH / 2.0, y, style, escaped(text));
    }

    private void edge(Edge edge, double width) {
        double toX = left(edge.to());
        double toY = center(edge.to());
        if (edge.from() < 0) {
            print(
                    "<path d=\"M%.0f,%.0f L%.0f,%.0f\" fill=\"none\" stroke=\"#99a\" stroke-width=\"%.1f\" "
                            + "stroke-dasharray=\"4 3\" marker-end=\"url(#arrow)\"/>%n",
                    toX - MARGIN + 6, toY, toX - 2, toY, width);
            return;
        }
        double fromX = left(edge.from()) + WIDTH;
        double fromY = center(edge.from());
        boolean isBack = toX <= fromX;
        double bend = isBack ? COLUMN / 2.0 : Math.max(40, (toX - fromX) / 2);
        double under = isBack ? HEIGHT : 0;
        print(
                "<path d=\"M%.0f,%.0f C%.0f,%.0f %.0f,%.0f %.0f,%.0f\" fill=\"none\" stroke=\"#667\" "
                        + "stroke-width=\"%.1f\" marker-end=\"url(#arrow)\"/>%n",
                fromX, fromY, fromX + bend, fromY + under, toX - bend, toY + under, toX - 2, toY, width);
        print(
                "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\" fill=\"#445\">%s</text>%n",
                (fromX + toX) / 2, (fromY + toY) / 2 + 0.75 * under - 4, Figures.count((double) edge.events()));
    }

    private void print(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values));
    }

    private static String shortened(String name) {
        return name.length() <= 22 ? name : name.substring(0, 21) + "\u2026";
    }

    static String escaped(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> out.append("&lt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                default -> out.appendCodePoint(c < ' ' || (c >= 0xD800 && c <= 0xDFFF) || c >= 0xFFFE ? '?' : c);
            }
        });
        return out.toString();
    }
}
