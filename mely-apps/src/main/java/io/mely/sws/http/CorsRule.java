// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets pages of other origins read paths that match a pattern (CORS, in Fetch, section 3.2).
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class CorsRule {
    /** Most rules of a site. */
    public static final int RULES_MAX = 1000;

    /** Longest origin that is looked at: a scheme, a name of 253 characters, and a port. */
    static final int ORIGIN_BYTES_MAX = 300;

    /** In the place of a pattern: the files that browsers load from elsewhere with CORS only. */
    private static final String FONTS = "fonts";

    private static final Pattern FONT_PATHS = Pattern.compile("(?i).*\\.(eot|otf|ttc|ttf|woff2?)", Pattern.DOTALL);

    private static final String ANY = "*";
    private static final String NONE = "none";
    private static final String CREDENTIALS = "credentials";
    private static final String BELOW = "://*.";
    private static final Pattern ORIGIN = Pattern.compile(
            "[a-z][a-z0-9+.-]*://(\\*\\.)?([a-z0-9_-]+(\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+\\])(:[0-9]{1,5})?");

    private final String pattern;
    private final List<String> origins; // lower case; a star alone is any, and without one it is none
    private final boolean isWithCredentials;

    private CorsRule(String pattern, List<String> origins, boolean isWithCredentials) {
        this.pattern = pattern;
        this.origins = List.copyOf(origins);
        this.isWithCredentials = isWithCredentials;
    }

    /**
     * Reads {@code PATTERN *}, {@code PATTERN none}, or {@code PATTERN ORIGIN ORIGIN} with {@code credentials} behind it or not. An origin is as a browser sends it, or has
     * {@code *.} for all names below. In the place of the pattern there may be {@code fonts}.
     *
     * @param text as a configuration has it
     * @return null if it has another form; credentials for any origin have none
     */
    public static @Nullable CorsRule parse(String text) {
        List<String> words = new ArrayList<>(List.of(text.strip().split("[ \t]+", -1)));
        String pattern = words.remove(0);
        boolean isPattern = pattern.equals(FONTS) || PathPattern.isValid(pattern);
        boolean isWithCredentials = words.remove(CREDENTIALS);
        if (!isPattern || words.isEmpty()) {
            return null;
        }
        if (words.size() == 1 && (words.contains(ANY) || words.contains(NONE))) {
            return isWithCredentials ? null : new CorsRule(pattern, words.contains(ANY) ? words : List.of(), false);
        }
        List<String> origins = new ArrayList<>();
        for (String each : words) {
            String origin = each.toLowerCase(Locale.ROOT);
            if (!ORIGIN.matcher(origin).matches()) {
                return null;
            }
            origins.add(withoutUsualPort(origin));
        }
        return new CorsRule(pattern, origins, isWithCredentials);
    }

    /** Browsers leave it out. */
    private static String withoutUsualPort(String origin) {
        return origin.replaceFirst("^(http://.*):80$", "$1").replaceFirst("^(https://.*):443$", "$1");
    }

    boolean matches(String path) {
        return pattern.equals(FONTS) ? FONT_PATHS.matcher(path).matches() : PathPattern.matches(pattern, path);
    }

    /** Whether pages of any origin may read. */
    boolean isForAny() {
        return origins.equals(List.of(ANY));
    }

    /** Whether it depends on the origin who may read. */
    boolean isBySender() {
        return !origins.isEmpty() && !isForAny();
    }

    boolean isWithCredentials() {
        return isWithCredentials;
    }

    /** Whether one of the origins is this one. */
    boolean allows(String origin) {
        for (String each : origins) {
            int star = each.indexOf(BELOW);
            boolean isThis = star < 0
                    ? each.equals(origin)
                    : isBelow(origin, each.substring(0, star + 3), each.substring(star + BELOW.length() - 1));
            if (isThis) {
                return true;
            }
        }
        return false;
    }

    /** What the star stands for is a name, or several with dots between them. */
    private static boolean isBelow(String origin, String start, String end) {
        int from = start.length();
        int to = origin.length() - end.length();
        if (to <= from || !origin.startsWith(start) || !origin.endsWith(end)) {
            return false;
        }
        for (int i = from; i < to; i++) {
            char c = origin.charAt(i);
            boolean isOfName = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
            if (!isOfName) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CorsRule that && that.toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return Objects.hash(pattern, origins, isWithCredentials);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return pattern + " " + (origins.isEmpty() ? NONE : String.join(" ", origins))
                + (isWithCredentials ? " " + CREDENTIALS : "");
    }
}
