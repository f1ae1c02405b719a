// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.util.Locale;
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
    /** Longest pattern and value. */
    public static final int CHARS_MAX = 1000;

    /** Most rules of a server. */
    public static final int RULES_MAX = 100;

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

    private static final Pattern PATTERN = Pattern.compile("[/*][^\\x00-\\x20\\x7f]{0," + (CHARS_MAX - 1) + "}");
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}");
    private static final Pattern VALUE =
            Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]{0," + (CHARS_MAX - 2) + "}[\\x21-\\x7e])?");
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
     * The pattern as a regular expression. It backtracks, so it is for the paths of files that exist, not for all that clients send.
     *
     * @return matches whole paths
     */
    public Pattern regex() {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '*') {
                boolean isAny = i + 1 < pattern.length() && pattern.charAt(i + 1) == '*';
                regex.append(isAny ? ".*" : "[^/]*");
                i += isAny ? 1 : 0;
            } else {
                regex.append(c == '?' ? "[^/]" : Pattern.quote(String.valueOf(c)));
            }
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return pattern + " " + name + ": " + value;
    }
}
