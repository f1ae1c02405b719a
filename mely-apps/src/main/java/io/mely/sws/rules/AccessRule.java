// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.rules;

import io.mely.sws.proxy.AddressRange;
import java.net.InetAddress;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets some addresses see paths that match a pattern, or keeps them out.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class AccessRule {
    /** Most rules of a site. */
    public static final int RULES_MAX = 1000;

    private static final String ALL = "all";
    private static final Pattern TEXT = Pattern.compile("(\\S+)[ \t]+(allow|deny)[ \t]+(\\S+)");

    private final PathRule rule;
    private final boolean isAllowed;
    private final @Nullable AddressRange range; // null: all

    /**
     * Makes one.
     *
     * @param pattern of paths
     * @param isAllowed whether they may see them
     * @param range of addresses; null = all
     * @throws IllegalArgumentException if the pattern is none
     */
    public AccessRule(String pattern, boolean isAllowed, @Nullable AddressRange range) {
        rule = new PathRule(pattern);
        this.isAllowed = isAllowed;
        this.range = range;
    }

    /**
     * Reads {@code PATTERN allow ADDRESS} or {@code PATTERN deny all}.
     *
     * @param text as a configuration has it
     * @return null if it has another form
     */
    public static @Nullable AccessRule parse(String text) {
        Matcher parts = TEXT.matcher(text.strip());
        if (!parts.matches()) {
            return null;
        }
        AddressRange range = AddressRange.parse(parts.group(3));
        if (range == null && !parts.group(3).equals(ALL)) {
            return null;
        }
        try {
            return new AccessRule(parts.group(1), parts.group(2).equals("allow"), range);
        } catch (IllegalArgumentException notAllowed) {
            return null;
        }
    }

    /** Whether it says something about a path and an address. An address that is not the client's own lets nobody in. */
    boolean isFor(String path, InetAddress client, boolean isClients) {
        boolean isOf = range == null || (range.has(client) && (isClients || !isAllowed));
        return isOf && rule.matches(path);
    }

    boolean isAllowed() {
        return isAllowed;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AccessRule that && that.toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return Objects.hash(rule.toString(), isAllowed, range);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return rule + (isAllowed ? " allow " : " deny ") + (range == null ? ALL : range);
    }
}
