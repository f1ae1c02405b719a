// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A field that is added to the responses for files whose paths match a pattern.
 *
 * <p>The pattern is a {@link PathPattern}, compared with the path as the request names it: {@code /dir/} and not {@code /dir/index.html}.
 *
 * <p><b>Threads.</b> Any; immutable.
 *
 * @param pattern begins with a slash or an asterisk
 * @param name a token; none of the fields that the server itself is responsible for
 * @param value printable ASCII, not empty, without blanks at its ends
 */
public record HeaderRule(String pattern, String name, String value) {
    /** Longest pattern. */
    public static final int PATTERN_CHARS_MAX = PathPattern.CHARS_MAX;

    /** Longest value. */
    public static final int VALUE_CHARS_MAX = 8192;

    /** Most characters of all fields of one response: half of the buffer of a request that is not under way yet. */
    public static final int FIELDS_CHARS_MAX = 12 << 10;

    /** Most rules of a server. */
    public static final int RULES_MAX = 1000;

    private static final Set<String> RESERVED = Set.of(
            "accept-ranges",
            "allow",
            "connection",
            "content-encoding",
            "content-length",
            "content-range",
            "content-type",
            "date",
            "etag",
            "keep-alive",
            "last-modified",
            "location",
            "server",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "x-content-type-options");

    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}");
    private static final Pattern VALUE =
            Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]{0," + (VALUE_CHARS_MAX - 2) + "}[\\x21-\\x7e])?");
    private static final Pattern TEXT = Pattern.compile("(\\S+)[ \t]+([^: \t]+):[ \t]*(.*)");

    /** Checks all three. */
    public HeaderRule {
        check(PathPattern.isValid(pattern), "pattern must begin with / or *", "pattern", pattern);
        check(
                NAME.matcher(name).matches() && !RESERVED.contains(name.toLowerCase(Locale.ROOT)),
                "name must be a token, and no field that the server sends itself",
                "name",
                name);
        check(VALUE.matcher(value).matches(), "value must be printable ASCII", "value", value);
    }

    /**
     * The most that rules can add to a response.
     *
     * @param rules any
     * @return characters, with names and line ends, if all of them match
     */
    public static long fieldsCharsMax(Collection<HeaderRule> rules) {
        Map<String, Integer> longest = new HashMap<>();
        for (HeaderRule rule : rules) {
            longest.merge(rule.name.toLowerCase(Locale.ROOT), rule.name.length() + rule.value.length() + 4, Math::max);
        }
        return longest.values().stream().mapToLong(Integer::intValue).sum();
    }

    private static void check(boolean isValid, String rule, String field, String text) {
        if (!isValid) {
            throw new IllegalArgumentException(rule + ": " + field + "=" + text);
        }
    }

    /**
     * Reads {@code PATTERN NAME: VALUE}.
     *
     * @param text as a configuration has it
     * @return null if it has another form
     */
    public static @Nullable HeaderRule parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            return null;
        }
        try {
            return new HeaderRule(parts.group(1), parts.group(2), parts.group(3));
        } catch (IllegalArgumentException notAllowed) {
            return null;
        }
    }

    /**
     * Tells whether a path matches.
     *
     * @param path decoded
     * @return true if the whole path does
     */
    public boolean matches(String path) {
        return PathPattern.matches(pattern, path);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return pattern + " " + name + ": " + value;
    }
}
