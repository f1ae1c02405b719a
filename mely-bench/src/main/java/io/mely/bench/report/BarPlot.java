// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Panels one below the other, each with a bar for each name, its spread, and the value in figures. As SVG. */
public final class BarPlot {
    private static final int WIDTH = 900;
    private static final int LEFT = 210;
    private static final int RIGHT = 90;
    private static final int ROW = 22;
    private static final int TITLE = 34;
    private static final int GAP = 14;
    private static final String BAR = "#56b4e9";
    private static final String INK = "#1b1f24";

    private record Bar(String name, Stat stat) {}

    private final String title;
    private final Map<String, List<Bar>> panels = new LinkedHashMap<>();

    /**
     * An empty plot.
     *
     * @param title for those who cannot see it
     */
    public BarPlot(String title) {
        this.title = title;
    }

    /** Adds a bar to a panel, which begins with its first bar. */
    public BarPlot add(String panel, String name, Stat stat) {
        panels.computeIfAbsent(panel, key -> new ArrayList<>()).add(new Bar(name, stat));
        return this;
    }

    /** The picture. */
    public String svg() {
        int height = panels.values().stream()
                .mapToInt(bars -> TITLE + bars.size() * ROW + GAP)
                .sum();
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"%s\" width=\"%d\" height=\"%d\""
                        + " viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">%n"
                        + "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>%n",
                Page.escape(title),
                WIDTH,
                height,
                WIDTH,
                height,
                WIDTH,
                height));
        int y = 0;
        for (Map.Entry<String, List<Bar>> panel : panels.entrySet()) {
            svgPanel(out, panel.getKey(), panel.getValue(), y);
            y += TITLE + panel.getValue().size() * ROW + GAP;
        }
        return out.append("</svg>\n").toString();
    }

    private static void svgPanel(StringBuilder out, String name, List<Bar> bars, int top) {
        double most = bars.stream()
                .mapToDouble(bar -> bar.stat().most())
                .filter(Double::isFinite)
                .max()
                .orElse(1);
        out.append(String.format(
                Locale.ROOT,
                "<text x=\"8\" y=\"%d\" font-weight=\"bold\" fill=\"%s\">%s</text>%n",
                top + TITLE - 12,
                INK,
                Page.escape(name)));
        double scale = (WIDTH - LEFT - RIGHT) / most;
        int y = top + TITLE;
        for (Bar bar : bars) {
            Stat stat = bar.stat();
            out.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s</text>%n",
                    LEFT - 8,
                    y + ROW - 8,
                    INK,
                    Page.escape(bar.name())));
            if (Double.isFinite(stat.median())) {
                out.append(String.format(
                        Locale.ROOT,
                        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>"
                                + "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"/>"
                                + "<text x=\"%.1f\" y=\"%d\" fill=\"%s\">%s</text>%n",
                        LEFT,
                        y + 3,
                        stat.median() * scale,
                        ROW - 6,
                        BAR,
                        LEFT + stat.least() * scale,
                        LEFT + stat.most() * scale,
                        y + ROW / 2,
                        y + ROW / 2,
                        INK,
                        LEFT + stat.most() * scale + 8,
                        y + ROW - 8,
                        INK,
                        number(stat.median())));
            }
            y += ROW;
        }
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 1_000 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }
}
