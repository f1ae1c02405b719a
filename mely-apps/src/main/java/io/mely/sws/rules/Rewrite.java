// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import io.mely.sws.files.RequestPath;
import io.mely.sws.files.UriText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Answers paths that match a pattern with what is at another path; clients do not see it.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class Rewrite {
    /** Most rules of a site. */
    public static final int RULES_MAX = 1000;

    private static final Pattern TEXT = Pattern.compile("(\\S+)[ \t]+(/.*)");

    private final PathRule rule;
    private final Target target;

    /**
     * Makes one.
     *
     * @param pattern of paths
     * @param target a path, decoded; {@code $1} to {@code $9} are what the stars of the pattern stand for
     * @throws IllegalArgumentException naming what is wrong
     */
    public Rewrite(String pattern, String target) {
        if (!target.startsWith("/") || target.chars().anyMatch(c -> c < ' ' || c == 0x7f || c == '\\')) {
            throw new IllegalArgumentException("target must be a path: target=" + target);
        }
        rule = new PathRule(pattern);
        this.target = new Target(target, rule.groups());
    }

    /**
     * Reads {@code PATTERN TARGET}.
     *
     * @param text as a configuration has it
     * @return null if it has another form
     */
    public static @Nullable Rewrite parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            return null;
        }
        try {
            return new Rewrite(parts.group(1), parts.group(2));
        } catch (IllegalArgumentException notAllowed) {
            return null;
        }
    }

    /**
     * The path that is answered instead.
     *
     * @param path of the request, decoded
     * @return in its canonical form; null if the rule is not for that path. A path that would leave the root is the root
     */
    public @Nullable String pathOf(String path) {
        List<String> groups = rule.groupsOf(path);
        if (groups == null) {
            return null;
        }
        byte[] text = UriText.encode(target.toPath(groups)).getBytes(StandardCharsets.US_ASCII);
        RequestPath canonical = new RequestPath(text.length);
        return canonical.set(text, 0, text.length) ? canonical.toString() : "/";
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Rewrite that && that.toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return Objects.hash(rule.toString(), target.toString());
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return rule + " " + target;
    }
}
