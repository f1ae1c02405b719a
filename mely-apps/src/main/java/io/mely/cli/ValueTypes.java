// SPDX-License-Identifier: Apache-2.0
package io.mely.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The types of value that settings have.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ValueTypes {
    private static final Pattern INTEGER = Pattern.compile("\\s*([+-]?[0-9]{1,18})\\s*");

    private static final Pattern OCTAL = Pattern.compile("[0-7]{3}");

    private ValueTypes() {}

    /** A whole number of a range; {@link Integer#MAX_VALUE} as its end is not worth mentioning. */
    public static ValueType<Integer> count(int min, int max) {
        return new Simple<>(
                max == Integer.MAX_VALUE ? min + " or more" : min + " to " + max,
                String::valueOf,
                ValueTypes::integer,
                value -> value >= min && value <= max);
    }

    /** A whole number of a range, or one word that stands for zero. */
    public static ValueType<Integer> countOr(String word, int min, int max) {
        return new Simple<>(
                word + ", or " + min + " to " + max,
                value -> value == 0 ? word : String.valueOf(value),
                text -> isWord(word, text) ? Integer.valueOf(0) : exceptZero(integer(text)),
                value -> value == 0 || (value >= min && value <= max));
    }

    /** A size in bytes; {@link Long#MAX_VALUE} as its end is not worth mentioning. */
    public static ValueType<Long> size(long min, long max) {
        String range =
                max == Long.MAX_VALUE ? Units.show(min) + " or more" : Units.show(min) + " to " + Units.show(max);
        return new Simple<>(
                "a size, " + range, Units::show, Units::bytes, value -> value >= Math.max(0, min) && value <= max);
    }

    /** A size in bytes, or none at all. */
    public static ValueType<Long> zeroOrSize(long min, long max) {
        return new Simple<>(
                "0 B, or a size of " + Units.show(min) + " to " + Units.show(max),
                Units::show,
                Units::bytes,
                value -> value == 0 || (value >= min && value <= max));
    }

    /** A duration with its unit. */
    public static ValueType<Duration> time(Duration min, Duration max) {
        return new Simple<>(
                "a time with its unit, " + Units.show(min) + " to " + Units.show(max),
                Units::show,
                Units::duration,
                value -> value.compareTo(min) >= 0 && value.compareTo(max) <= 0);
    }

    /** One of some words, upper or lower case. A program may give values that have none. */
    public static <T> ValueType<T> oneOf(Map<String, T> words) {
        return new Simple<>(
                orOf(List.copyOf(words.keySet())),
                value -> wordOf(words, value),
                text -> words.get(text.strip().toLowerCase(Locale.ROOT)),
                value -> true);
    }

    /** The words of an enumeration: its names, lower case and with dashes. */
    public static <E extends Enum<E>> ValueType<E> oneOf(Class<E> type) {
        Map<String, E> words = new LinkedHashMap<>();
        for (E each : type.getEnumConstants()) {
            words.put(each.name().toLowerCase(Locale.ROOT).replace('_', '-'), each);
        }
        return oneOf(words);
    }

    /** True or false, in HOCON's spellings. */
    public static ValueType<Boolean> yesOrNo() {
        Map<String, Boolean> words = new LinkedHashMap<>();
        words.put("true", true);
        words.put("false", false);
        words.put("yes", true);
        words.put("no", false);
        words.put("on", true);
        words.put("off", false);
        return oneOf(words);
    }

    /** A folder, relative to the current one. */
    public static ValueType<Path> path() {
        return new Simple<>("a path", value -> quoted(value.toString()), ValueTypes::pathOf, value -> true);
    }

    /** Text that passes a check. */
    public static ValueType<String> text(String allowed, Predicate<String> check) {
        return new Simple<>(allowed, ValueTypes::quoted, text -> text, check);
    }

    /** A list of texts that each pass a check; written with commas where there are no lists. */
    public static ValueType<List<String>> list(String allowed, Predicate<String> check) {
        return new Items<>(
                allowed,
                text -> text.isBlank()
                        ? List.of()
                        : Stream.of(text.split(",", -1)).map(String::strip).toList(),
                items -> items,
                item -> item,
                items -> items.stream().allMatch(check));
    }

    /** A list of texts that are read one by one; one a line where there are no lists. A program's list passes the check, too. */
    public static <T> ValueType<List<T>> lines(
            String allowed, Function<String, @Nullable T> parser, Predicate<List<T>> check) {
        return new Items<>(allowed, ValueTypes::linesOf, lines -> parsed(lines, parser), String::valueOf, check);
    }

    /** The same, of which there may be so many. */
    public static <T> ValueType<List<T>> lines(String allowed, int most, Function<String, @Nullable T> parser) {
        return lines(allowed, parser, items -> items.size() <= most);
    }

    /** A list of words that stand for something, with commas or lines between them where there are no lists. */
    public static <T> ValueType<List<T>> words(
            String allowed, Function<String, @Nullable T> parser, Function<T, String> writer) {
        return new Items<>(
                allowed,
                ValueTypes::linesOf,
                lines -> parsed(
                        lines.stream()
                                .flatMap(line -> Stream.of(line.split(",")))
                                .map(String::strip)
                                .toList(),
                        parser),
                writer,
                items -> true);
    }

    /** Permissions of a file. */
    public static ValueType<Integer> permissions() {
        return new Simple<>(
                "three octal digits",
                value -> String.format(Locale.ROOT, "\"%03o\"", value),
                text -> OCTAL.matcher(text).matches() ? Integer.valueOf(text, 8) : null,
                value -> value >= 0 && value <= 0777);
    }

    /**
     * Tells whether no two items have a part in common.
     *
     * @param <T> type of the items
     * @param items any
     * @param part of an item
     * @return true if each has one of its own
     */
    public static <T> boolean areDistinct(List<T> items, Function<T, ?> part) {
        return items.stream().map(part).distinct().count() == items.size();
    }

    /**
     * Tells whether a file could have that name.
     *
     * @param text empty or a path
     * @return false if no file can be called so
     */
    public static boolean isFile(String text) {
        return text.isEmpty() || (pathOf(text) != null && !text.endsWith("/"));
    }

    private static List<String> linesOf(String text) {
        return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    private static <T> @Nullable List<T> parsed(List<String> lines, Function<String, @Nullable T> parser) {
        List<T> items = new ArrayList<>();
        for (String line : lines) {
            T item = parser.apply(line);
            if (item == null) {
                return null;
            }
            items.add(item);
        }
        return items;
    }

    private static @Nullable Path pathOf(String text) {
        try {
            return text.isEmpty() ? null : Path.of(text);
        } catch (InvalidPathException notAPath) {
            return null;
        }
    }

    private static @Nullable Integer integer(String text) {
        var digits = INTEGER.matcher(text);
        if (!digits.matches()) {
            return null;
        }
        long value = Long.parseLong(digits.group(1));
        return value == (int) value ? Integer.valueOf((int) value) : null;
    }

    private static @Nullable Integer exceptZero(@Nullable Integer value) {
        return value == null || value == 0 ? null : value;
    }

    private static boolean isWord(String word, String text) {
        return word.equalsIgnoreCase(text.strip());
    }

    private static <T> String wordOf(Map<String, T> words, T value) {
        for (Map.Entry<String, T> entry : words.entrySet()) {
            if (entry.getValue().equals(value)) {
                return entry.getKey();
            }
        }
        return String.valueOf(value);
    }

    private static String orOf(List<String> words) {
        int last = words.size() - 1;
        return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String quotedList(List<String> items) {
        return "[" + String.join(", ", items.stream().map(ValueTypes::quoted).toList()) + "]";
    }

    /** A value that is read from one text. */
    private record Simple<T>(
            String allowed, Function<T, String> writer, Function<String, @Nullable T> reader, Predicate<T> check)
            implements ValueType<T> {
        @Override
        public @Nullable T parse(String text) {
            T value = reader.apply(text);
            return value == null ? null : checked(value);
        }

        @Override
        public @Nullable T checked(T value) {
            return check.test(value) ? value : null;
        }

        @Override
        public String show(T value) {
            return writer.apply(value);
        }
    }

    /** A list: of a file, or of a text that is split first. */
    private record Items<T>(
            String allowed,
            Function<String, List<String>> splitter,
            Function<List<String>, @Nullable List<T>> reader,
            Function<T, String> writer,
            Predicate<List<T>> check)
            implements ValueType<List<T>> {
        @Override
        public @Nullable List<T> parse(String text) {
            return parseList(splitter.apply(text));
        }

        @Override
        public @Nullable List<T> parseList(List<String> items) {
            List<T> values = reader.apply(items);
            return values == null ? null : checked(values);
        }

        @Override
        public @Nullable List<T> checked(List<T> value) {
            return check.test(value) ? List.copyOf(value) : null;
        }

        @Override
        public String show(List<T> value) {
            return quotedList(value.stream().map(writer).toList());
        }
    }
}
