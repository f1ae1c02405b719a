// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.http.HostNames;
import java.nio.file.Path;
import java.util.List;

/**
 * What an operator may say about the site, beyond where it lies. Immutable; start from {@link #DEFAULT}.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> {@link IllegalArgumentException} naming the field and the value that is not allowed.
 *
 * @param trySuffixes added, in order, to a path that leads to no file, as {@code .html} to {@code /about}
 * @param hosts names, without ports, that requests may have in Host, or {@code *.} and a name for all below it; others are answered 421. Empty = any
 * @param rangesMax most ranges in a request, 1 to 1000; if there are more, the whole file is sent
 * @param withheld files that are never served although they may lie below the root, as a configuration file; need not be there
 */
public record SiteRules(List<String> trySuffixes, List<String> hosts, int rangesMax, List<Path> withheld) {
    /** Each takes a head of its own. */
    private static final int RANGES_BOUND = 1000;

    /** What a client may ask for at once by default: zchunk, which asks for most, has 255. */
    private static final int RANGES_MAX = 256;

    /** Nothing is tried, any host is served, nothing more is withheld. */
    public static final SiteRules DEFAULT = new SiteRules(List.of(), List.of(), RANGES_MAX, List.of());

    /** Checks all. */
    public SiteRules {
        trySuffixes = List.copyOf(trySuffixes);
        hosts = List.copyOf(hosts);
        withheld = List.copyOf(withheld);
        for (String host : hosts) {
            check(HostNames.isName(host), "hosts must be names without ports", "hosts", host);
        }
        check(
                rangesMax >= 1 && rangesMax <= RANGES_BOUND,
                "rangesMax must be 1 to " + RANGES_BOUND,
                "rangesMax",
                rangesMax);
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
        return new SiteRules(value, hosts, rangesMax, withheld);
    }

    /**
     * The same for other hosts.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withHosts(List<String> value) {
        return new SiteRules(trySuffixes, value, rangesMax, withheld);
    }

    /**
     * The same with another number of ranges.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withRangesMax(int value) {
        return new SiteRules(trySuffixes, hosts, value, withheld);
    }

    /**
     * The same with other files withheld.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withWithheld(List<Path> value) {
        return new SiteRules(trySuffixes, hosts, rangesMax, value);
    }
}
