// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Lines with their spread in a frame of two axes, each linear or logarithmic; each line has its name at its end. As SVG. */
public final class LinePlot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 380;
    private static final int LEFT = 90;
    private static final int RIGHT = 230;
    private static final int TOP = 16;
    private static final int BOTTOM = 52;
    private static final int LABEL_GAP = 17;
    /** Of a linear axis, about. */
    private static final int TICKS = 6;
    /** Told apart by the colour-blind, too (Okabe and Ito). */
    private static final List<String> COLORS =
            List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#9a6700", "#1b1f24", "#56b4e9");

    /**
     * A point.
     *
     * @param x across
     * @param y up
     * @param least end of the spread, at most y
     * @param most other end, at least y
     */
    public record Point(double x, double y, double least, double most) {}

    private record Series(String name, List<Point> points) {}

    private final String title;
    private final Axis across;
    private final Axis up;
    private final List<Series> lines = new ArrayList<>();

    /**
     * An axis.
     *
     * @param label with its unit
     * @param isLogarithmic then all values are above 0
     */
    public record Axis(String label, boolean isLogarithmic) {
        private double place(double value) {
            return isLogarithmic ? Math.log10(value) : value;
        }
    }

    /** The ends of an axis, in its own measure, and its ticks, in the values'. */
    private record Range(double from, double to, List<Double> ticks) {
        static Range of(Axis axis, double least, double most) {
            List<Double> ticks = new ArrayList<>();
            if (axis.isLogarithmic()) {
                double from = Math.floor(Math.log10(least));
                double to = Math.max(from + 1, Math.ceil(Math.log10(most)));
                for (double exponent = from; exponent <= to; exponent++) {
                    ticks.add(Math.pow(10, exponent));
                }
                return new Range(from, to, ticks);
            }
            double top = most > 0 ? most : 1;
            double step = Math.pow(10, Math.floor(Math.log10(top / TICKS)));
            for (double factor : new double[] {1, 2, 5, 10}) {
                if (top / (step * factor) <= TICKS) {
                    step *= factor;
                    break;
                }
            }
            double to = Math.ceil(top / step) * step;
            for (int i = 0; i * step <= to * 1.000001; i++) {
                ticks.add(i * step);
            }
            return new Range(0, to, ticks);
        }
    }

    /**
     * An empty plot.
     *
     * @param title for those who cannot see it
     * @param across the axis below
     * @param up the axis on the left
     */
    public LinePlot(String title, Axis across, Axis up) {
        this.title = title;
        this.across = across;
        this.up = up;
    }

    /** Adds a line; without points there is none. Points that no axis can show are left out. */
    public LinePlot add(String name, List<Point> points) {
        List<Point> shown = points.stream()
                .filter(p -> Double.isFinite(p.y()) && (!up.isLogarithmic() || p.least() > 0))
                .toList();
        if (!shown.isEmpty()) {
            lines.add(new Series(name, shown));
        }
        return this;
    }

    private double extreme(ToDoubleFunction<Point> value, boolean isMost) {
        var values = lines.stream().flatMap(line -> line.points().stream()).mapToDouble(value);
        return (isMost ? values.max() : values.min()).orElse(1);
    }

    /** The picture; an empty text if there is nothing to show. */
    public String svg() {
        if (lines.isEmpty()) {
            return "";
        }
        Range xs = Range.of(across, extreme(Point::x, false), extreme(Point::x, true));
        Range ys = Range.of(up, extreme(Point::least, false), extreme(Point::most, true));
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg role=\"img\" aria-label=\"%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">%n",
                Page.escape(title),
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT));
        svgAxes(out, xs, ys);
        for (int i = 0; i < lines.size(); i++) {
            svgLine(out, lines.get(i), COLORS.get(i % COLORS.size()), xs, ys);
        }
        svgNames(out, ys);
        return out.append("</svg>\n").toString();
    }

    private double x(double value, Range range) {
        return LEFT + (across.place(value) - range.from()) / (range.to() - range.from()) * (WIDTH - LEFT - RIGHT);
    }

    private double y(double value, Range range) {
        return HEIGHT
                - BOTTOM
                - (up.place(value) - range.from()) / (range.to() - range.from()) * (HEIGHT - TOP - BOTTOM);
    }

    private void svgAxes(StringBuilder out, Range xs, Range ys) {
        int bottom = HEIGHT - BOTTOM;
        for (double tick : ys.ticks()) {
            double y = y(tick, ys);
            out.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e1e4e8\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
                    LEFT,
                    WIDTH - RIGHT,
                    y,
                    y,
                    LEFT - 8,
                    y + 4,
                    number(tick)));
        }
        for (double tick : xs.ticks()) {
            double x = x(tick, xs);
            out.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#57606a\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
                    x,
                    x,
                    bottom,
                    bottom + 5,
                    x,
                    bottom + 20,
                    number(tick)));
        }
        out.append(String.format(
                Locale.ROOT,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#57606a\"/>"
                        + "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#57606a\">%s</text>"
                        + "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#57606a\" transform=\"rotate(-90 %d %d)\">%s</text>%n",
                LEFT,
                WIDTH - RIGHT,
                bottom,
                bottom,
                (LEFT + WIDTH - RIGHT) / 2,
                HEIGHT - 10,
                Page.escape(across.label()),
                18,
                (TOP + bottom) / 2,
                18,
                (TOP + bottom) / 2,
                Page.escape(up.label())));
    }

    private void svgLine(StringBuilder out, Series line, String color, Range xs, Range ys) {
        StringBuilder path = new StringBuilder();
        for (Point point : line.points()) {
            double x = x(point.x(), xs);
            path.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y(point.y(), ys)));
            out.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-opacity=\".45\" stroke-width=\"5\"/>"
                            + "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>%n",
                    x,
                    x,
                    y(point.least(), ys),
                    y(point.most(), ys),
                    color,
                    x,
                    y(point.y(), ys),
                    color));
        }
        out.append(String.format(
                Locale.ROOT,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n",
                path.toString().strip(),
                color));
    }

    /** At the lines' ends, moved apart where they would cover each other. */
    private void svgNames(StringBuilder out, Range ys) {
        List<Series> downwards = lines.stream()
                .sorted(Comparator.comparingDouble(line -> y(last(line).y(), ys)))
                .toList();
        double above = -LABEL_GAP;
        // The lowest has room for all that are moved down below it.
        double lowest = HEIGHT - BOTTOM - (double) LABEL_GAP * (downwards.size() - 1);
        for (Series line : downwards) {
            double y = Math.max(above + LABEL_GAP, Math.min(lowest, y(last(line).y(), ys) + 4));
            above = y;
            lowest += LABEL_GAP;
            out.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text>%n",
                    WIDTH - RIGHT + 10,
                    y,
                    COLORS.get(lines.indexOf(line) % COLORS.size()),
                    Page.escape(line.name())));
        }
    }

    private static Point last(Series line) {
        return line.points().get(line.points().size() - 1);
    }

    private static String number(double value) {
        if (value == 0) {
            return "0";
        }
        return Math.abs(value) >= 1
                ? String.format(Locale.ROOT, value == Math.rint(value) ? "%,.0f" : "%,.1f", value)
                : String.format(Locale.ROOT, "%." + (int) Math.ceil(-Math.log10(Math.abs(value)) - 1e-9) + "f", value);
    }
}
