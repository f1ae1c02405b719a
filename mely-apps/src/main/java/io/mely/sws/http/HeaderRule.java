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
 * <p>In a pattern {@code *} stands for any characters but slashes, {@code **} for any characters, {@code ?} for one that is no slash; all else
 * for itself. It is compared with the whole path, decoded, as the request names it: {@code /dir/} and not {@code /dir/index.html}.
 *
 * <p><b>Threads.</b> Any; immutable.
 *
 * @param pattern begins with a slash or an asterisk
 * @param name a token; none of the fields that the server itself is responsible for
 * @param value printable ASCII, not empty, without blanks at its ends
 */
public record HeaderRule(String pattern, String name, String value) {
    /** Longest pattern. */
    public static final int PATTERN_CHARS_MAX = 1000;

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

    private static final Pattern PATTERN =
            Pattern.compile("[/*][^\\x00-\\x20\\x7f]{0," + (PATTERN_CHARS_MAX - 1) + "}");
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}");
    private static final Pattern VALUE =
            Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]{0," + (VALUE_CHARS_MAX - 2) + "}[\\x21-\\x7e])?");
    private static final Pattern TEXT = Pattern.compile("(\\S+)[ \t]+([^: \t]+):[ \t]*(.*)");

    /** Checks all three. */
    public HeaderRule {
        check(PATTERN.matcher(pattern).matches(), "pattern must begin with / or *", "pattern", pattern);
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
     * Tells whether a path matches. Takes time by the length of the path and of the pattern, whatever they are: it follows all ways through the pattern at once.
     *
     * @param path decoded
     * @return true if the whole path does
     */
    public boolean matches(String path) {
        int end = pattern.length();
        boolean[] isDouble = doubleStars();
        boolean[] at = new boolean[end + 1]; // how far in the pattern the path so far may have come
        at[0] = true;
        passStars(at, isDouble);
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            boolean[] next = new boolean[end + 1];
            for (int j = 0; j < end; j++) {
                char token = pattern.charAt(j);
                if (at[j] && token == '*') {
                    next[j] |= c != '/' || isDouble[j];
                } else if (at[j]) {
                    next[j + 1] |= token == '?' ? c != '/' : token == c;
                }
            }
            passStars(next, isDouble);
            at = next;
        }
        return at[end];
    }

    /** Where two stars begin that stand for any characters. */
    private boolean[] doubleStars() {
        boolean[] isDouble = new boolean[pattern.length()];
        for (int i = 0; i + 1 < pattern.length(); i++) {
            if (pattern.charAt(i) == '*' && pattern.charAt(i + 1) == '*') {
                isDouble[i++] = true;
            }
        }
        return isDouble;
    }

    /** A star may stand for nothing. */
    private void passStars(boolean[] at, boolean[] isDouble) {
        for (int j = 0; j < pattern.length(); j++) {
            if (at[j] && pattern.charAt(j) == '*') {
                at[j + (isDouble[j] ? 2 : 1)] = true;
            }
        }
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return pattern + " " + name + ": " + value;
    }
}
