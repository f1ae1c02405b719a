// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import io.mely.sws.files.UriText;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sends clients elsewhere whose path matches a pattern. The query of the request goes with them.
 *
 * <p>A target that begins with a slash stays on this host, whatever the path has: a client can't make it lead to another one by slashes. In a target with a host no star can be a part of
 * that host. What a star stands for is percent-encoded, so it can't end the field either.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class Redirect {
    /** Most rules of a site. */
    public static final int RULES_MAX = 1000;

    private static final Set<Integer> STATUSES = Set.of(301, 302, 303, 307, 308);
    private static final Pattern TEXT = Pattern.compile("([0-9]{3})[ \t]+(\\S+)[ \t]+(\\S+)");

    /** Printable ASCII of a URI. */
    private static final Pattern URI = Pattern.compile("[!#$%&'()*+,./0-9:;=?@A-Z\\[\\]_a-z~-]{1,2000}");

    private static final Pattern HERE = Pattern.compile("/(?!/).*");
    private static final Pattern ELSEWHERE = Pattern.compile("https?://[0-9A-Za-z.:\\[\\]_-]+([/?#].*)?");

    private final int status;
    private final PathRule rule;
    private final Target target;

    /**
     * Makes one.
     *
     * @param status 301, 302, 303, 307 or 308
     * @param pattern of paths
     * @param target a path that begins with one slash, or an http or https URI; {@code $1} to {@code $9} are what the stars of the pattern stand for
     * @throws IllegalArgumentException naming what is wrong
     */
    public Redirect(int status, String pattern, String target) {
        if (!STATUSES.contains(status)) {
            throw new IllegalArgumentException("status must be 301, 302, 303, 307 or 308: status=" + status);
        }
        boolean isUri = URI.matcher(target).matches()
                && (HERE.matcher(target).matches() || ELSEWHERE.matcher(target).matches());
        if (!isUri) {
            throw new IllegalArgumentException(
                    "target must be a path that begins with one slash, or http:// or https:// and a host: target="
                            + target);
        }
        this.status = status;
        rule = new PathRule(pattern);
        this.target = new Target(target, rule.groups());
    }

    /**
     * Reads {@code STATUS PATTERN TARGET}.
     *
     * @param text as a configuration has it
     * @return null if it has another form
     */
    public static @Nullable Redirect parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            return null;
        }
        try {
            return new Redirect(Integer.parseInt(parts.group(1)), parts.group(2), parts.group(3));
        } catch (IllegalArgumentException notAllowed) {
            return null;
        }
    }

    /**
     * The status of the answer.
     *
     * @return 301, 302, 303, 307 or 308
     */
    public int status() {
        return status;
    }

    /**
     * Where a request is sent.
     *
     * @param path of the request, decoded
     * @param query of the request with its question mark, ASCII; empty = none
     * @return a value of Location; null if the rule is not for that path, or leads to the same path again
     */
    public @Nullable String locationOf(String path, String query) {
        List<String> groups = rule.groupsOf(path);
        if (groups == null) {
            return null;
        }
        String uri = target.toUri(groups);
        if (uri.startsWith("/")) {
            int slashes = 1;
            while (slashes < uri.length() && uri.charAt(slashes) == '/') {
                slashes++;
            }
            uri = uri.substring(slashes - 1); // "//name" would be another host
        }
        if (uri.equals(UriText.encode(path))) {
            return null;
        }
        return withQuery(uri, query);
    }

    private static String withQuery(String uri, String query) {
        if (query.length() <= 1) {
            return uri;
        }
        int hash = uri.indexOf('#');
        String before = hash < 0 ? uri : uri.substring(0, hash);
        String fragment = hash < 0 ? "" : uri.substring(hash);
        String joined = before.indexOf('?') < 0 ? before + query : before + "&" + query.substring(1);
        return joined + fragment;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Redirect that && that.toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return Objects.hash(status, rule.toString(), target.toString());
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return status + " " + rule + " " + target;
    }
}
