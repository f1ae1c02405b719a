// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.simulate.machine.Ledger;
import io.mely.bench.simulate.machine.Outcome;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What each core did when, as a page that needs nothing else: one row a core, one color an activity. The last part of the run, as long as fits.
 */
final class Timeline {
    private static final int WIDTH = 1_600;
    private static final int LABEL = 70;
    private static final int ROW = 22;
    private static final int LEGEND = 200;
    private static final double PIXEL_MIN = 0.15;
    /** Of a picture for a document, which is to be small. */
    private static final double PICTURE_PIXEL_MIN = 0.5;

    private Timeline() {}

    private static String paint(Ledger.Activity activity) {
        return switch (activity) {
            case HANDLER -> "#3b7dd8";
            case RUNTIME -> "#9bbbe3";
            case STEAL -> "#d9482b";
            case SEARCH -> "#f2b134";
            case IDLE -> "#eeeeee";
        };
    }

    private static String word(Ledger.Activity activity) {
        return switch (activity) {
            case HANDLER -> "handler";
            case RUNTIME -> "the runtime's own code";
            case STEAL -> "a steal";
            case SEARCH -> "looks for work in vain";
            case IDLE -> "sleeps";
        };
    }

    /** The rows alone, coarser, with the legend below: a file for a document. */
    static String picture(Outcome outcome, double us) {
        return svg(outcome, us, PICTURE_PIXEL_MIN, true);
    }

    private static String svg(Outcome outcome, double us, double pixelMin, boolean hasLegend) {
        double gigahertz = outcome.experiment().machine().gigahertz();
        double end = outcome.figures().now();
        double begin = Math.max(0, end - us * 1e3 * gigahertz);
        double scale = (WIDTH - LABEL) / (end - begin);
        int cores = outcome.experiment().cores();
        StringBuilder svg = new StringBuilder();
        int height = (cores + (hasLegend ? 3 : 2)) * ROW;
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
                        + "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>%n",
                WIDTH,
                height,
                WIDTH,
                height,
                WIDTH,
                height));
        for (int core = 0; core < cores; core++) {
            svg.append(String.format(Locale.ROOT, "<text x=\"0\" y=\"%d\">core %d</text>%n", core * ROW + 15, core));
        }
        for (Ledger.Span span : spans(outcome, begin, pixelMin / scale)) {
            double x = LABEL + (Math.max(begin, span.from()) - begin) * scale;
            double width = (span.to() - Math.max(begin, span.from())) * scale;
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>%n",
                    x,
                    span.core() * ROW + 2,
                    width,
                    ROW - 4,
                    paint(span.activity())));
        }
        for (int i = 0; i <= 10; i++) {
            double tick = LABEL + i * (WIDTH - LABEL - 40) / 10.0;
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.0f\" y=\"%d\" fill=\"#666666\">%.0f us</text>%n",
                    tick,
                    cores * ROW + 16,
                    (tick - LABEL) / scale / gigahertz / 1e3));
        }
        int x = LABEL;
        for (Ledger.Activity activity : hasLegend ? Ledger.Activity.values() : new Ledger.Activity[0]) {
            int y = (cores + 1) * ROW;
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"14\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>%n",
                    x,
                    y + 4,
                    paint(activity),
                    x + 20,
                    y + 15,
                    word(activity)));
            x += LEGEND;
        }
        return svg.append("</svg>\n").toString();
    }

    /** The page. */
    static String html(Outcome outcome, double us) {
        String legend = List.of(Ledger.Activity.values()).stream()
                .map(activity -> "<span style=\"background:" + paint(activity)
                        + ";padding:2px 10px;margin-right:12px\">" + word(activity) + "</span>")
                .collect(Collectors.joining("\n"));
        return "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>" + title(outcome) + "</title>\n<h3>" + title(outcome)
                + "</h3>\n<p>" + legend + "</p>\n" + svg(outcome, us, PIXEL_MIN, false) + "<pre>" + Results.header()
                + "\n" + Results.line(outcome)
                + "</pre>\n";
    }

    private static String title(Outcome outcome) {
        return outcome.experiment().workload() + " by " + outcome.experiment().engine() + ", "
                + outcome.experiment().cores() + " cores, "
                + outcome.experiment().machine().name();
    }

    /** What can be seen: neighbours of one activity become one, and what is narrower than a hair goes with what surrounds it. */
    private static List<Ledger.Span> spans(Outcome outcome, double begin, double shortest) {
        List<Ledger.Span> kept = new java.util.ArrayList<>();
        for (int core = 0; core < outcome.experiment().cores(); core++) {
            Ledger.Span last = null;
            for (Ledger.Span span : outcome.spans()) {
                if (span.core() != core || span.to() <= begin) {
                    continue;
                }
                if (last != null && (last.activity() == span.activity() || span.to() - span.from() < shortest)) {
                    last = new Ledger.Span(core, last.activity(), last.from(), span.to());
                } else {
                    if (last != null) {
                        kept.add(last);
                    }
                    last = span;
                }
            }
            if (last != null) {
                kept.add(last);
            }
        }
        return kept;
    }
}
