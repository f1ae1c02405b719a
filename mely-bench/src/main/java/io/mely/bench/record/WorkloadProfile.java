// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * What an application asks of its runtime, small enough for a mail: how long the handlers of each stage take, to whom they send, in how
 * many colors, and how often something comes from outside. {@code simulate --profile} runs it on machines that nobody has.
 *
 * <p>Colors are ranks: the file says how the load is spread over them, not which they are.
 *
 * @param seconds how long was recorded, &gt; 0
 * @param cores of the runtime
 * @param stages those that ran or were sent to, by name, each name once; stages of one name count as one
 * @param colors the most popular color first; bands of several colors after the first few
 * @param uncountedColors events whose color was not counted, for want of room
 */
public record WorkloadProfile(
        double seconds, int cores, List<StageLoad> stages, List<ColorBand> colors, long uncountedColors) {
    /** What the file says of itself first. */
    public static final String FORMAT = "mely-profile";

    /** Of the file's form. */
    public static final int VERSION = 1;

    /**
     * One stage.
     *
     * @param name as given
     * @param processingTimeNs its annotation; 0 if it is measured
     * @param penalty its annotation
     * @param priority its annotation
     * @param dataBytes its annotation
     * @param runs events it handled
     * @param totalNs what they took in sum, with what they did to send
     * @param times the same as a histogram
     * @param sends by target
     * @param arrivals events that no handler sent: from pollers, timers and threads outside
     * @param dispersion how these come in bunches, by growing windows; empty if they were too few to say
     */
    public record StageLoad(
            String name,
            long processingTimeNs,
            int penalty,
            int priority,
            long dataBytes,
            long runs,
            long totalNs,
            List<TimeBucket> times,
            List<Sends> sends,
            long arrivals,
            List<Dispersion> dispersion) {
        /** Copies the lists, and checks the numbers. */
        public StageLoad {
            times = List.copyOf(times);
            sends = List.copyOf(sends);
            dispersion = List.copyOf(dispersion);
            check(runs >= 0 && totalNs >= 0 && arrivals >= 0, "counts must be >= 0", name);
            check(times.stream().mapToLong(TimeBucket::events).sum() == runs, "times must add up to runs", name);
        }
    }

    /**
     * Events that took about as long.
     *
     * @param fromNs least time
     * @param belowNs they took less
     * @param events how many
     */
    public record TimeBucket(long fromNs, long belowNs, long events) {
        /** Checks the numbers. */
        public TimeBucket {
            check(0 <= fromNs && fromNs < belowNs && events > 0, "a bucket of time must hold something", fromNs);
        }
    }

    /**
     * What the handlers of a stage send to another, or to itself.
     *
     * @param to name of the stage
     * @param isOwnColor whether into the color of the handler
     * @param events sent
     * @param runs handlers that sent at least one of them
     */
    public record Sends(String to, boolean isOwnColor, long events, long runs) {
        /** Checks the numbers. */
        public Sends {
            check(0 < runs && runs <= events, "sends must have events >= runs > 0", to);
        }
    }

    /**
     * The variance of the number of arrivals in a window over its mean: 1 is Poisson, more is bunched, less is regular.
     *
     * @param windowMs length of a window
     * @param index &gt;= 0
     */
    public record Dispersion(double windowMs, double index) {
        /** Checks the numbers. */
        public Dispersion {
            check(windowMs > 0 && index >= 0, "a dispersion must be >= 0 over a window > 0", windowMs);
        }
    }

    /**
     * Colors that are about as popular.
     *
     * @param colors how many, &gt; 0
     * @param events of all of them together, by stage in the order of {@link WorkloadProfile#stages}
     */
    public record ColorBand(int colors, List<Long> events) {
        /** Copies the list, and checks the numbers. */
        public ColorBand {
            events = List.copyOf(events);
            check(colors > 0 && events.stream().allMatch(count -> count >= 0), "a band must have colors", colors);
        }
    }

    /** Copies the lists, and checks that the parts belong together. */
    public WorkloadProfile {
        stages = List.copyOf(stages);
        colors = List.copyOf(colors);
        check(seconds > 0 && cores > 0, "seconds and cores must be > 0", seconds);
        List<String> names = stages.stream().map(StageLoad::name).toList();
        check(names.stream().distinct().count() == names.size(), "stages must have different names", names);
        for (StageLoad stage : stages) {
            for (Sends sends : stage.sends()) {
                check(names.contains(sends.to()), "sends must go to a stage of the profile", sends.to());
                check(sends.runs() <= stage.runs(), "no more handlers can send than ran", sends.to());
            }
        }
        for (ColorBand band : colors) {
            check(band.events().size() == names.size(), "a band must have a count for each stage", band.events());
        }
    }

    private static void check(boolean isValid, String rule, Object value) {
        if (!isValid) {
            throw new IllegalArgumentException("profile: " + rule + ": " + value);
        }
    }

    /**
     * Events handled.
     *
     * @return of all stages
     */
    public long runs() {
        return stages.stream().mapToLong(StageLoad::runs).sum();
    }

    /**
     * Writes it, over what is there.
     *
     * @param file to be
     * @throws IOException if it cannot be written
     */
    public void write(Path file) throws IOException {
        Files.writeString(file, toJson());
    }

    /**
     * The file's text: JSON, a line for each stage and band, the same for the same profile.
     *
     * @return ended by a line feed
     */
    public String toJson() {
        StringJoiner stageLines = new StringJoiner(",\n", "[\n", "\n]");
        stages.forEach(stage -> stageLines.add(json(stage)));
        StringJoiner bandLines = new StringJoiner(",\n", "[\n", "\n]");
        colors.forEach(band -> bandLines.add("{\"colors\": " + band.colors() + ", \"events\": " + band.events() + "}"));
        return "{\"format\": \"" + FORMAT + "\", \"version\": " + VERSION + ", \"seconds\": " + number(seconds)
                + ", \"cores\": " + cores + ", \"uncountedColors\": " + uncountedColors + ",\n\"stages\": " + stageLines
                + ",\n\"colors\": " + bandLines + "}\n";
    }

    private static String json(StageLoad stage) {
        StringJoiner times = new StringJoiner(", ", "[", "]");
        stage.times().forEach(t -> times.add("[" + t.fromNs() + ", " + t.belowNs() + ", " + t.events() + "]"));
        StringJoiner sends = new StringJoiner(", ", "[", "]");
        stage.sends()
                .forEach(s -> sends.add("{\"to\": " + quoted(s.to()) + ", \"ownColor\": " + s.isOwnColor()
                        + ", \"events\": " + s.events() + ", \"runs\": " + s.runs() + "}"));
        StringJoiner dispersion = new StringJoiner(", ", "[", "]");
        stage.dispersion().forEach(d -> dispersion.add("[" + number(d.windowMs()) + ", " + number(d.index()) + "]"));
        return "{\"name\": " + quoted(stage.name()) + ", \"processingTimeNs\": " + stage.processingTimeNs()
                + ", \"penalty\": " + stage.penalty() + ", \"priority\": " + stage.priority() + ", \"dataBytes\": "
                + stage.dataBytes() + ", \"runs\": " + stage.runs() + ", \"totalNs\": " + stage.totalNs()
                + ",\n \"times\": " + times + ",\n \"sends\": " + sends + ",\n \"arrivals\": " + stage.arrivals()
                + ", \"dispersion\": " + dispersion + "}";
    }

    /** Nine digits: more than a clock has. */
    private static String number(double value) {
        return String.format(Locale.ROOT, "%.9g", value);
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
