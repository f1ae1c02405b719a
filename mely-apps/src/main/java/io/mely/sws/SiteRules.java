// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import java.nio.file.Path;
import java.util.List;

/**
 * What an operator may say about the site, beyond where it lies. Immutable; start from {@link #DEFAULT}.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> {@link IllegalArgumentException} naming the field and the value that is not allowed.
 *
 * @param trySuffixes added, in order, to a path that leads to no file, as {@code .html} to {@code /about}
 * @param withheld files that are never served although they may lie below the root, as a configuration file; need not be there
 */
public record SiteRules(List<String> trySuffixes, List<Path> withheld) {
    /** Nothing is tried, nothing more is withheld. */
    public static final SiteRules DEFAULT = new SiteRules(List.of(), List.of());

    /** Checks all. */
    public SiteRules {
        trySuffixes = List.copyOf(trySuffixes);
        withheld = List.copyOf(withheld);
        for (String suffix : trySuffixes) {
            check(isSuffix(suffix), "trySuffixes must be the ends of file names", "trySuffixes", suffix);
        }
    }

    /**
     * Tells whether text can be the end of a file name.
     *
     * @param text any
     * @return false if it is empty, or has a slash, backslash or control character
     */
    public static boolean isSuffix(String text) {
        return !text.isEmpty() && text.chars().noneMatch(c -> c == '/' || c == '\\' || c < ' ' || c == 0x7f);
    }

    private static void check(boolean isValid, String rule, String field, Object value) {
        if (!isValid) {
            throw new IllegalArgumentException(rule + ": " + field + "=" + value);
        }
    }

    /**
     * The same with other suffixes.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withTrySuffixes(List<String> value) {
        return new SiteRules(value, withheld);
    }

    /**
     * The same with other files withheld.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withWithheld(List<Path> value) {
        return new SiteRules(trySuffixes, value);
    }
}
