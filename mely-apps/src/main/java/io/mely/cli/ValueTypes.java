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
import org.jspecify.annotations.Nullable;

/**
 * The types of value that settings have.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ValueTypes {
    private static final Pattern INTEGER = Pattern.compile("\\s*([+-]?[0-9]{1,18})\\s*");

    private ValueTypes() {}

    /** A whole number of a range; {@link Integer#MAX_VALUE} as its end is not worth mentioning. */
    public static ValueType<Integer> count(int min, int max) {
        return new Simple<>(max == Integer.MAX_VALUE ? min + " or more" : min + " to " + max, String::valueOf) {
            @Override
            public @Nullable Integer parse(String text) {
                return integer(text, min, max);
            }
        };
    }

    /** A whole number of a range, or one word that stands for zero. */
    public static ValueType<Integer> countOr(String word, int min, int max) {
        return new Simple<>(word + ", or " + min + " to " + max, value -> value == 0 ? word : String.valueOf(value)) {
            @Override
            public @Nullable Integer parse(String text) {
                return isWord(word, text) ? Integer.valueOf(0) : integer(text, min, max);
            }
        };
    }

    /** A size in bytes; {@link Long#MAX_VALUE} as its end is not worth mentioning. */
    public static ValueType<Long> size(long min, long max) {
        String range =
                max == Long.MAX_VALUE ? Units.show(min) + " or more" : Units.show(min) + " to " + Units.show(max);
        return new Simple<>("a size, " + range, Units::show) {
            @Override
            public @Nullable Long parse(String text) {
                long bytes = Units.bytes(text);
                return bytes < min || bytes > max ? null : Long.valueOf(bytes);
            }
        };
    }

    /** A size in bytes, or none at all. */
    public static ValueType<Long> zeroOrSize(long min, long max) {
        return new Simple<>("0 B, or a size of " + Units.show(min) + " to " + Units.show(max), Units::show) {
            @Override
            public @Nullable Long parse(String text) {
                long bytes = Units.bytes(text);
                return (bytes < min && bytes != 0) || bytes > max ? null : Long.valueOf(bytes);
            }
        };
    }

    /** A duration with its unit. */
    public static ValueType<Duration> time(Duration min, Duration max) {
        String range = Units.show(min) + " to " + Units.show(max);
        return new Simple<>("a time with its unit, " + range, Units::show) {
            @Override
            public @Nullable Duration parse(String text) {
                Duration time = Units.duration(text);
                return time == null || time.compareTo(min) < 0 || time.compareTo(max) > 0 ? null : time;
            }
        };
    }

    /** One of some words, upper or lower case. */
    public static <T> ValueType<T> oneOf(Map<String, T> words) {
        return new Simple<>(orOf(List.copyOf(words.keySet())), value -> wordOf(words, value)) {
            @Override
            public @Nullable T parse(String text) {
                return words.get(text.strip().toLowerCase(Locale.ROOT));
            }
        };
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
        return new Simple<>("a path", value -> quoted(value.toString())) {
            @Override
            public @Nullable Path parse(String text) {
                try {
                    return text.isEmpty() ? null : Path.of(text);
                } catch (InvalidPathException notAPath) {
                    return null;
                }
            }
        };
    }

    /** Text that passes a check. */
    public static ValueType<String> text(String allowed, Predicate<String> check) {
        return new Simple<>(allowed, ValueTypes::quoted) {
            @Override
            public @Nullable String parse(String text) {
                return check.test(text) ? text : null;
            }
        };
    }

    /** A list of texts that each pass a check; written with commas where there are no lists. */
    public static ValueType<List<String>> list(String allowed, Predicate<String> check) {
        return new Simple<>(allowed, ValueTypes::quotedList) {
            @Override
            public @Nullable List<String> parse(String text) {
                if (text.isBlank()) {
                    return List.of();
                }
                List<String> items = new ArrayList<>();
                for (String item : text.split(",", -1)) {
                    items.add(item.strip());
                }
                return parseList(items);
            }

            @Override
            public @Nullable List<String> parseList(List<String> items) {
                return items.stream().allMatch(check) ? List.copyOf(items) : null;
            }
        };
    }

    /** A list of texts that are read together; one a line where there are no lists. */
    public static <T> ValueType<List<T>> lines(String allowed, Function<List<String>, @Nullable List<T>> reader) {
        return new Simple<>(
                allowed, items -> quotedList(items.stream().map(String::valueOf).toList())) {
            @Override
            public @Nullable List<T> parse(String text) {
                return parseList(text.lines()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty())
                        .toList());
            }

            @Override
            public @Nullable List<T> parseList(List<String> items) {
                return reader.apply(items);
            }
        };
    }

    private static @Nullable Integer integer(String text, int min, int max) {
        var digits = INTEGER.matcher(text);
        if (!digits.matches()) {
            return null;
        }
        long value = Long.parseLong(digits.group(1));
        return value < min || value > max ? null : Integer.valueOf((int) value);
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

    /** The parts that all types share. */
    private abstract static class Simple<T> implements ValueType<T> {
        private final String allowed;
        private final Function<T, String> writer;

        Simple(String allowed, Function<T, String> writer) {
            this.allowed = allowed;
            this.writer = writer;
        }

        @Override
        public String allowed() {
            return allowed;
        }

        @Override
        public String show(T value) {
            return writer.apply(value);
        }
    }
}
