// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.PathPattern;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The type of some files, in the place of the one from the table.
 *
 * <p><b>Threads.</b> Any; immutable.
 *
 * @param pattern {@code .EXTENSION}, compared with the end of the file's name in any case; or a {@link PathPattern}, compared with the path of the request
 * @param type value of Content-Type; a charset is sent only if it is named here
 * @param encoding value of Content-Encoding, as for an {@code .svgz}; empty = none
 */
public record TypeRule(String pattern, String type, String encoding) {
    /** Most rules of a server. */
    public static final int RULES_MAX = 1000;

    private static final Pattern EXTENSION = Pattern.compile("\\.[^/\\x00-\\x20\\x7f]{1,100}");
    private static final Pattern TYPE =
            Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+( ?;[\\x20-\\x7e]{1,200})?");
    private static final Pattern ENCODING = Pattern.compile("[a-z0-9-]{0,20}");
    private static final Pattern TEXT = Pattern.compile("(\\S+)[ \t]+(.*?)([ \t]+encoding=([a-z0-9-]+))?");

    /** Checks all three. */
    public TypeRule {
        check(
                EXTENSION.matcher(pattern).matches() || PathPattern.isValid(pattern),
                "pattern must be .EXTENSION, or begin with / or *",
                "pattern",
                pattern);
        check(TYPE.matcher(type).matches(), "type must be a media type", "type", type);
        check(ENCODING.matcher(encoding).matches(), "encoding must be a token", "encoding", encoding);
    }

    private static void check(boolean isValid, String rule, String field, String text) {
        if (!isValid) {
            throw new IllegalArgumentException(rule + ": " + field + "=" + text);
        }
    }

    /**
     * Reads {@code PATTERN TYPE} or {@code PATTERN TYPE encoding=ENCODING}.
     *
     * @param text as a configuration has it
     * @return null if it has another form
     */
    public static @Nullable TypeRule parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            return null;
        }
        try {
            return new TypeRule(parts.group(1), parts.group(2), parts.group(4) == null ? "" : parts.group(4));
        } catch (IllegalArgumentException notAllowed) {
            return null;
        }
    }

    boolean matches(String path, String fileName) {
        return pattern.startsWith(".")
                ? fileName.toLowerCase(Locale.ROOT).endsWith(pattern.toLowerCase(Locale.ROOT))
                : PathPattern.matches(pattern, path);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return pattern + " " + type + (encoding.isEmpty() ? "" : " encoding=" + encoding);
    }
}
