// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.report.LinePlot;
import io.mely.bench.report.LinePlot.Axis;
import io.mely.bench.report.LinePlot.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a sweep over cores wrote as a picture: answers beside the ideal, which is what cores that do nothing but the handlers' work would give, or all that
 * was asked in an open loop.
 */
final class Efficiency {
    private static final List<String> COLUMNS = List.of("workload", "engine", "cores", "answersPerS", "idealPerS");
    private static final String POLLERS = "pollers";
    /** Not one in quotes: an even number of these follows. */
    private static final String COMMA = ",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)";

    private Efficiency() {}

    /**
     * The picture.
     *
     * @param csv written by {@code --csv} of a sweep of one workload over cores
     * @return SVG, for a file of its own
     * @throws IOException if the file cannot be read
     * @throws IllegalArgumentException naming a column that it does not have
     */
    static String svg(Path csv) throws IOException {
        List<String> lines = Files.readAllLines(csv);
        List<String> header = lines.isEmpty() ? List.of() : cells(lines.get(0));
        for (String column : COLUMNS) {
            if (!header.contains(column)) {
                throw new IllegalArgumentException(csv + " has no column " + column);
            }
        }
        Map<String, List<Point>> curves = new LinkedHashMap<>();
        String workload = "";
        for (String line : lines.subList(1, lines.size())) {
            List<String> row = cells(line);
            workload = row.get(header.indexOf("workload"));
            double share = number(row, header, "answersPerS") / number(row, header, "idealPerS");
            curves.computeIfAbsent(name(row, header), key -> new ArrayList<>())
                    .add(new Point(number(row, header, "cores"), share, share, share));
        }
        LinePlot plot = new LinePlot(
                workload + ": efficiency by cores",
                new Axis(workload + ": simulated cores, the load grows with them", false),
                new Axis("answers beside the ideal", false));
        curves.forEach((name, points) -> plot.add(
                name,
                points.stream().sorted(Comparator.comparingDouble(Point::x)).toList()));
        return plot.svg()
                .replaceFirst(
                        "<svg ",
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" font-size=\"13\" ")
                .replaceFirst(">", "><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>");
    }

    private static List<String> cells(String line) {
        return Arrays.asList(line.split(COMMA, -1));
    }

    private static double number(List<String> row, List<String> header, String column) {
        return Double.parseDouble(row.get(header.indexOf(column)));
    }

    private static String name(List<String> row, List<String> header) {
        String engine = row.get(header.indexOf("engine"));
        if (!header.contains(POLLERS)) {
            return engine;
        }
        return engine + (number(row, header, POLLERS) == 1 ? ", one poller" : ", one a core");
    }
}
