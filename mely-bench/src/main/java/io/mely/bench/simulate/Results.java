// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.simulate;

import io.mely.bench.simulate.machine.Ledger;
import io.mely.bench.simulate.machine.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Outcomes as text, CSV and JSON. The same outcome gives the same bytes: nothing of the host is in it. */
final class Results {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    private Results() {}

    /** All figures of a run by name, in a fixed order. */
    static Map<String, Object> figures(Outcome outcome) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("machine", outcome.experiment().machine().name());
        all.put("cores", outcome.experiment().cores());
        all.put("workload", outcome.experiment().workload());
        all.put("engine", outcome.experiment().engine());
        outcome.experiment().parameters().forEach(all::put);
        all.put("seed", outcome.experiment().seed());
        all.put("events", outcome.events());
        all.put("seconds", outcome.seconds());
        all.put("kEventsPerS", outcome.kEventsPerS());
        for (int level = 1; level <= outcome.experiment().machine().caches().size(); level++) {
            all.put("missesPerEventL" + level, outcome.missesPerEvent(level));
        }
        all.put("lockShare", outcome.lockShare());
        all.put("steals", outcome.steals());
        all.put("stealAttempts", outcome.attempts());
        all.put("rescues", outcome.rescues());
        all.put("stealCycles", outcome.stealCycles());
        all.put("stolenCycles", outcome.stolenCycles());
        all.put("waitingCycles", outcome.waitingCycles());
        for (Ledger.Activity activity : Ledger.Activity.values()) {
            all.put("share." + activity.name().toLowerCase(Locale.ROOT), outcome.share(activity));
        }
        all.put("sleeps", outcome.sleeps());
        all.put("wakeups", outcome.wakeups());
        for (double percentile : PERCENTILES) {
            all.put("sojournUsP" + name(percentile), outcome.sojournNs().getValueAtPercentile(percentile) / 1e3);
        }
        outcome.extras().forEach((name, value) -> {
            boolean isMover = name.startsWith("movers.");
            all.put(isMover ? name : name + "PerS", isMover ? value : value / outcome.seconds());
        });
        return all;
    }

    private static String name(double percentile) {
        return percentile == Math.rint(percentile)
                ? String.valueOf((int) percentile)
                : String.valueOf(percentile).replace('.', '_');
    }

    static String json(List<Outcome> outcomes) {
        return outcomes.stream()
                .map(outcome -> "  {"
                        + figures(outcome).entrySet().stream()
                                .map(entry -> "\"" + entry.getKey() + "\": " + jsonValue(entry.getValue()))
                                .collect(Collectors.joining(", "))
                        + ", \"utilisation\": [" + utilisation(outcome) + "]}")
                .collect(Collectors.joining(",\n", "[\n", "\n]\n"));
    }

    /** By core: the share of the time in which it did not idle. */
    private static String utilisation(Outcome outcome) {
        StringBuilder text = new StringBuilder();
        for (int core = 0; core < outcome.experiment().cores(); core++) {
            text.append(core == 0 ? "" : ", ").append(value(1 - outcome.share(core, Ledger.Activity.IDLE)));
        }
        return text.toString();
    }

    private static String jsonValue(Object value) {
        return value instanceof String text ? "\"" + text.replaceAll("[\\\\\"]", "\\\\$0") + "\"" : value(value);
    }

    private static String value(Object value) {
        if (value instanceof Double number) {
            return Double.isNaN(number) || Double.isInfinite(number)
                    ? "null"
                    : String.format(Locale.ROOT, "%.6g", number);
        }
        return String.valueOf(value);
    }

    /** As RFC 4180 has it: a machine's name may have a comma. */
    private static String cell(String text) {
        return text.contains(",") || text.contains("\"") ? "\"" + text.replace("\"", "\"\"") + "\"" : text;
    }

    static String csv(List<Outcome> outcomes) {
        Map<String, Boolean> names = new LinkedHashMap<>();
        outcomes.forEach(outcome -> figures(outcome).keySet().forEach(name -> names.put(name, true)));
        StringBuilder text = new StringBuilder(String.join(",", names.keySet())).append('\n');
        for (Outcome outcome : outcomes) {
            Map<String, Object> all = figures(outcome);
            text.append(names.keySet().stream()
                            .map(name -> all.containsKey(name) ? cell(value(all.getOrDefault(name, ""))) : "")
                            .collect(Collectors.joining(",")))
                    .append('\n');
        }
        return text.toString();
    }

    static String header() {
        return String.format(
                Locale.ROOT,
                "%-16s %-16s %5s %-24s %10s %7s %9s %10s %10s %8s %6s %10s %10s",
                "workload",
                "engine",
                "cores",
                "parameters",
                "KEvents/s",
                "lock %",
                "steals",
                "cost cy",
                "stolen cy",
                "L2 miss",
                "busy %",
                "p50 us",
                "p99 us");
    }

    static String line(Outcome outcome) {
        String parameters = outcome.experiment().parameters().entrySet().stream()
                .map(entry -> entry.getKey() + "="
                        + String.format(Locale.ROOT, "%.4f", entry.getValue()).replaceAll("\\.?0+$", ""))
                .collect(Collectors.joining(" "));
        int level = Math.min(2, outcome.experiment().machine().caches().size());
        return String.format(
                Locale.ROOT,
                "%-16s %-16s %5d %-24s %10.0f %7.2f %9d %10s %10s %8.2f %6.1f %10.1f %10.1f",
                outcome.experiment().workload(),
                outcome.experiment().engine(),
                outcome.experiment().cores(),
                parameters,
                outcome.kEventsPerS(),
                100 * outcome.lockShare(),
                outcome.steals(),
                PapersTables.number(outcome.stealCycles()),
                PapersTables.number(outcome.stolenCycles()),
                outcome.missesPerEvent(level),
                100 * (1 - outcome.share(Ledger.Activity.IDLE)),
                outcome.sojournNs().getValueAtPercentile(50) / 1e3,
                outcome.sojournNs().getValueAtPercentile(99) / 1e3);
    }

    /** Which objects of the runtime were missed most, if it was counted: what moves between cores. */
    static String movers(Outcome outcome) {
        return outcome.extras().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("movers."))
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .limit(12)
                .map(entry -> String.format(
                        Locale.ROOT,
                        "    %-44s %8.2f misses an event%n",
                        entry.getKey().substring("movers.".length()),
                        entry.getValue() / outcome.events()))
                .collect(Collectors.joining());
    }

    /** Two runs side by side, every figure that is a number. */
    static String comparison(Outcome first, Outcome second) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%-22s %16s %16s %8s%n",
                "",
                first.experiment().engine() + "/" + first.experiment().cores(),
                second.experiment().engine() + "/" + second.experiment().cores(),
                "ratio"));
        Map<String, Object> others = figures(second);
        figures(first).forEach((name, value) -> {
            Object other = others.get(name);
            if (value instanceof Number a && other instanceof Number b && !name.equals("seed")) {
                text.append(String.format(
                        Locale.ROOT,
                        "%-22s %16s %16s %8s%n",
                        name,
                        PapersTables.number(a.doubleValue()),
                        PapersTables.number(b.doubleValue()),
                        a.doubleValue() == 0
                                ? "-"
                                : String.format(Locale.ROOT, "%.2f", b.doubleValue() / a.doubleValue())));
            }
        });
        return text.toString();
    }
}
