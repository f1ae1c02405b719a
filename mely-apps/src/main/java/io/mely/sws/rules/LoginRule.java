// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a name and a password (RFC 7617) where a path matches a pattern.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class LoginRule {
    /** Most rules of a site. */
    public static final int RULES_MAX = 1000;

    /** What clients are told if nothing else is configured. */
    public static final String REALM = "restricted";

    /** Longest realm, so that the answer fits beside any other. */
    public static final int REALM_CHARS_MAX = 200;

    private static final Pattern TEXT = Pattern.compile("(\\S+)[ \t]+(\\S+)([ \t]+(.+))?");
    private static final Pattern REALM_TEXT =
            Pattern.compile("[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]{1," + REALM_CHARS_MAX + "}");

    private final PathRule rule;
    private final Path file;
    private final String realm;

    /**
     * Makes one.
     *
     * @param pattern of paths
     * @param file of names and bcrypt hashes, as {@code htpasswd -B} writes it
     * @param realm what clients are told; printable ASCII without quotes and backslashes
     * @throws IllegalArgumentException naming what is wrong
     */
    public LoginRule(String pattern, Path file, String realm) {
        if (!REALM_TEXT.matcher(realm).matches()) {
            throw new IllegalArgumentException("realm must be printable ASCII without quotes, at most "
                    + REALM_CHARS_MAX + " characters: realm=" + realm);
        }
        rule = new PathRule(pattern);
        this.file = file;
        this.realm = realm;
    }

    /**
     * Reads {@code PATTERN FILE} or {@code PATTERN FILE REALM}.
     *
     * @param text as a configuration has it
     * @return null if it has another form
     */
    public static @Nullable LoginRule parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            return null;
        }
        String realm = parts.group(4) == null ? REALM : parts.group(4);
        try {
            return new LoginRule(parts.group(1), Path.of(parts.group(2)), realm);
        } catch (IllegalArgumentException notAllowed) { // an InvalidPathException is one
            return null;
        }
    }

    /** Whether it is for a path. */
    boolean isFor(String path) {
        return rule.matches(path);
    }

    /**
     * The names and hashes.
     *
     * @return never served
     */
    public Path file() {
        return file;
    }

    String realm() {
        return realm;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LoginRule that && that.toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return Objects.hash(rule.toString(), file, realm);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return rule + " " + file + (realm.equals(REALM) ? "" : " " + realm);
    }
}
