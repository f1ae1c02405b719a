// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * How often each kind of hostile client was begun, and how it ended.
 *
 * <p><b>Threads.</b> One writes; it is read when that one is over.
 *
 * @param <A> the kinds
 */
final class ActBooks<A extends Enum<A>> {
    /** How a client ended; each has one end. */
    enum End {
        /** By an answer that is right for what was sent. */
        ANSWERED,
        /** The server closed or reset the connection, where it may. */
        CUT,
        /** The client went away. */
        LEFT,
        /** By an answer, or none, that is a fault of the server. */
        WRONG
    }

    private static final int WRONG_KEPT = 20;

    private final Class<A> acts;
    private final Map<A, Integer> begun;
    private final Map<A, Map<End, Integer>> ends;
    private final List<String> wrong = new ArrayList<>();

    ActBooks(Class<A> acts) {
        this.acts = acts;
        begun = new EnumMap<>(acts);
        ends = new EnumMap<>(acts);
    }

    private List<A> all() {
        return List.of(Objects.requireNonNull(acts.getEnumConstants()));
    }

    void begin(A act) {
        begun.merge(act, 1, Integer::sum);
    }

    void end(A act, End end) {
        ends.computeIfAbsent(act, a -> new EnumMap<>(End.class)).merge(end, 1, Integer::sum);
    }

    /** Ends it by a fault, in words. */
    void wrong(A act, String what) {
        end(act, End.WRONG);
        if (wrong.size() < WRONG_KEPT) {
            wrong.add(act + ": " + what);
        }
    }

    int begun(A act) {
        return begun.getOrDefault(act, 0);
    }

    int ended(A act, End end) {
        return ends.getOrDefault(act, Map.of()).getOrDefault(end, 0);
    }

    private int ended(A act) {
        return ends.getOrDefault(act, Map.of()).values().stream()
                .mapToInt(Integer::intValue)
                .sum();
    }

    /** The first faults, in words. */
    List<String> wrong() {
        return List.copyOf(wrong);
    }

    /** A line for each kind that was never there, has not as many ends as begins, or ended wrongly. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (A act : all()) {
            int faults = ended(act, End.WRONG);
            if (faults > 0 || ended(act) != begun(act) || begun(act) == 0) {
                problems.add(act + ": " + begun(act) + " begun, " + ended(act) + " ended, wrong: " + faults);
            }
        }
        return problems;
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        all().forEach(act -> json.put(act.name(), json(act)));
        return json;
    }

    private Map<String, Object> json(A act) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("begun", begun(act));
        for (End each : End.values()) {
            json.put(each.name().toLowerCase(Locale.ROOT), ended(act, each));
        }
        return json;
    }

    void print(PrintWriter out) {
        all().forEach(act -> out.println(act.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ": " + json(act)));
        wrong.forEach(out::println);
    }
}
