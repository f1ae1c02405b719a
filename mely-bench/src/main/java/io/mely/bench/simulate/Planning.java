// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.record.Visits;
import io.mely.bench.record.WorkloadProfile;
import io.mely.bench.record.WorkloadProfile.StageLoad;
import io.mely.bench.report.LinePlot;
import io.mely.bench.simulate.machine.Experiment;
import io.mely.bench.simulate.machine.Ledger;
import io.mely.bench.simulate.machine.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a recorded application would do elsewhere, and by which policy it does best there. */
final class Planning {
    /** What a user of Mely can choose between. */
    static final List<String> POLICIES =
            List.of("mely-off", "mely-base", "mely-timeleft", "mely-penalty", "mely-locality", "mely");

    /** So many requests are measured, unless the user says how long: ten are beyond the 99.9th percentile. */
    private static final double REQUESTS = 10_000;

    private static final long MEASURE_US_MIN = 20_000;

    /** A policy that answers less of what arrives while it is measured falls behind; less than this is chance. Guess. */
    private static final double ANSWERED_MIN = 0.95;

    private final WorkloadProfile profile;

    Planning(WorkloadProfile profile) {
        this.profile = profile;
    }

    private double arrivalsPerSecond() {
        return profile.stages().stream().mapToLong(StageLoad::arrivals).sum() / profile.seconds();
    }

    long measureUs(double load) {
        return Math.max(MEASURE_US_MIN, (long) (REQUESTS / (arrivalsPerSecond() * load) * 1e6));
    }

    static boolean keepsUp(Outcome outcome) {
        return extra(outcome, "answers") >= ANSWERED_MIN * extra(outcome, "arrivals");
    }

    private static double extra(Outcome outcome, String name) {
        return outcome.extras().getOrDefault(name, 0.0);
    }

    private static double us(Outcome outcome, double percentile) {
        return outcome.sojournNs().getValueAtPercentile(percentile) / 1e3;
    }

    /** Everything but the policy, which are compared. */
    private static Map<String, List<Outcome>> byPlace(List<Outcome> outcomes) {
        Map<String, List<Outcome>> places = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            Experiment experiment = outcome.experiment();
            StringBuilder place = new StringBuilder(
                    experiment.cores() + " cores of " + experiment.machine().name());
            experiment
                    .parameters()
                    .forEach((name, value) ->
                            place.append(", ").append(name).append(' ').append(plain(value)));
            places.computeIfAbsent(place.toString(), key -> new ArrayList<>()).add(outcome);
        }
        return places;
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }

    /** The lowest 99th percentile of those that keep up; of equal ones the one that answers more. */
    static Optional<Outcome> best(List<Outcome> outcomes) {
        return outcomes.stream()
                .filter(Planning::keepsUp)
                .min(Comparator.comparingDouble((Outcome outcome) -> us(outcome, 99))
                        .thenComparing(Outcome::kEventsPerS, Comparator.reverseOrder()));
    }

    String text(List<Outcome> outcomes) {
        Visits visits = Visits.of(profile);
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "recorded: %.1f s on %d cores, %.0f requests/s, %.0f events/s, handlers busy on %.2f cores%n",
                profile.seconds(),
                profile.cores(),
                arrivalsPerSecond(),
                visits.eventsPerSecond(),
                visits.busyCores()));
        byPlace(outcomes).forEach((place, here) -> {
            text.append(String.format(Locale.ROOT, "%n%s%n%s%n", place, HEADER));
            here.forEach(outcome -> text.append(line(outcome)));
            text.append(verdict(here));
        });
        return text.toString();
    }

    private static final String HEADER = String.format(
            Locale.ROOT,
            "%-16s %12s %12s %10s %7s %10s %10s %10s %10s",
            "policy",
            "arrive/s",
            "answered/s",
            "handlers %",
            "busy %",
            "p50 us",
            "p99 us",
            "p99.9 us",
            "steals/s");

    private static String line(Outcome outcome) {
        return String.format(
                Locale.ROOT,
                "%-16s %12.0f %12.0f %10.1f %7.1f %10.1f %10.1f %10.1f %10.0f%s%n",
                outcome.experiment().engine(),
                extra(outcome, "arrivals") / outcome.seconds(),
                extra(outcome, "answers") / outcome.seconds(),
                100 * outcome.share(Ledger.Activity.HANDLER),
                100 * (1 - outcome.share(Ledger.Activity.IDLE)),
                us(outcome, 50),
                us(outcome, 99),
                us(outcome, 99.9),
                outcome.steals() / outcome.seconds(),
                keepsUp(outcome) ? "" : "   falls behind");
    }

    private static String verdict(List<Outcome> here) {
        return best(here)
                .map(found -> String.format(
                        Locale.ROOT,
                        "best policy: %s, p99 %.1f us%n",
                        found.experiment().engine(),
                        us(found, 99)))
                .orElse("best policy: none keeps up\n");
    }

    /** The 99th percentile by load, or by cores if there is one load, a line for each policy that keeps up; empty if none does. */
    static String svg(List<Outcome> outcomes) {
        boolean isByLoad =
                outcomes.stream().mapToDouble(Planning::load).distinct().count() > 1;
        String across = isByLoad ? "times the recorded load" : "cores";
        LinePlot plot = new LinePlot(
                "99th percentile of the sojourn by " + across,
                new LinePlot.Axis(across, false),
                new LinePlot.Axis("p99, us", true));
        Map<String, List<LinePlot.Point>> lines = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            double x = isByLoad ? load(outcome) : outcome.experiment().cores();
            List<LinePlot.Point> line =
                    lines.computeIfAbsent(outcome.experiment().engine(), engine -> new ArrayList<>());
            if (keepsUp(outcome)) {
                double y = us(outcome, 99);
                line.add(new LinePlot.Point(x, y, y, y));
            }
        }
        lines.forEach(plot::add);
        return plot.svg()
                .replaceFirst(
                        "<svg ",
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" font-size=\"13\" style=\"background:#fff\" ");
    }

    private static double load(Outcome outcome) {
        return outcome.experiment().parameter("load", 1);
    }
}
