// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.files.TypeRule;
import io.mely.sws.http.Cors;
import io.mely.sws.http.CorsRule;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.http.HostNames;
import java.nio.file.Path;
import java.util.List;

/**
 * What an operator may say about the site, beyond where it lies. Immutable; start from {@link #DEFAULT}.
 *
 * <p><b>Threads.</b> Any. <b>Errors.</b> {@link IllegalArgumentException} naming the field and the value that is not allowed.
 *
 * @param trySuffixes added, in order, to a path that leads to no file, as {@code .html} to {@code /about}
 * @param types of files, in the place of those of the built-in table; the last rule that matches counts
 * @param nosniff true tells browsers with each file to take its type for what it is
 * @param headersAlways fields that are added to every answer: files, errors, redirects, OPTIONS, lists; at most 2,048 characters. A rule of {@link SwsConfig#headers} for the same
 *     field wins
 * @param hosts names, without ports, that requests may have in Host, or {@code *.} and a name for all below it; others are answered 421. Empty = any
 * @param rangesMax most ranges in a request, 1 to 1000; if there are more, the whole file is sent
 * @param withheld files that are never served although they may lie below the root, as a configuration file; need not be there
 * @param cors which pages of other origins may read; the last rule that matches counts
 */
public record SiteRules(
        List<String> trySuffixes,
        List<TypeRule> types,
        boolean nosniff,
        List<HeaderRule> headersAlways,
        List<String> hosts,
        int rangesMax,
        List<Path> withheld,
        List<CorsRule> cors) {
    /** They have to fit into the output of a request beside the longest error page. */
    static final int ALWAYS_CHARS_MAX = 2 << 10;

    /** Each takes a head of its own. */
    private static final int RANGES_BOUND = 1000;

    /** What a client may ask for at once by default: zchunk, which asks for most, has 255. */
    private static final int RANGES_MAX = 256;

    /** Nothing is tried, any host is served, nothing more is withheld. */
    public static final SiteRules DEFAULT =
            new SiteRules(List.of(), List.of(), true, List.of(), List.of(), RANGES_MAX, List.of(), List.of());

    /** Checks all. */
    public SiteRules {
        trySuffixes = List.copyOf(trySuffixes);
        types = List.copyOf(types);
        check(
                types.size() <= TypeRule.RULES_MAX,
                "types must be at most " + TypeRule.RULES_MAX + " rules",
                "types",
                types.size());
        headersAlways = List.copyOf(headersAlways);
        check(
                HeaderRule.fieldsCharsMax(headersAlways) <= ALWAYS_CHARS_MAX,
                "headersAlways must have at most " + ALWAYS_CHARS_MAX + " characters in one response",
                "characters",
                HeaderRule.fieldsCharsMax(headersAlways));
        hosts = List.copyOf(hosts);
        withheld = List.copyOf(withheld);
        cors = List.copyOf(cors);
        check(
                cors.size() <= CorsRule.RULES_MAX,
                "cors must be at most " + CorsRule.RULES_MAX + " rules",
                "cors",
                cors.size());
        checkFields(headersAlways, cors);
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

    /** What the rules of CORS set may not be set twice. */
    static void checkFields(List<HeaderRule> fields, List<CorsRule> cors) {
        for (HeaderRule each : fields) {
            check(cors.isEmpty() || !Cors.isOwn(each), "fields must not be those that cors sets", "field", each);
        }
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
        return new SiteRules(value, types, nosniff, headersAlways, hosts, rangesMax, withheld, cors);
    }

    /**
     * The same with other types.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withTypes(List<TypeRule> value) {
        return new SiteRules(trySuffixes, value, nosniff, headersAlways, hosts, rangesMax, withheld, cors);
    }

    /**
     * The same with or without the word to browsers.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withNosniff(boolean value) {
        return new SiteRules(trySuffixes, types, value, headersAlways, hosts, rangesMax, withheld, cors);
    }

    /**
     * The same with other fields.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withHeadersAlways(List<HeaderRule> value) {
        return new SiteRules(trySuffixes, types, nosniff, value, hosts, rangesMax, withheld, cors);
    }

    /**
     * The same for other hosts.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withHosts(List<String> value) {
        return new SiteRules(trySuffixes, types, nosniff, headersAlways, value, rangesMax, withheld, cors);
    }

    /**
     * The same with another number of ranges.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withRangesMax(int value) {
        return new SiteRules(trySuffixes, types, nosniff, headersAlways, hosts, value, withheld, cors);
    }

    /**
     * The same with other files withheld.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withWithheld(List<Path> value) {
        return new SiteRules(trySuffixes, types, nosniff, headersAlways, hosts, rangesMax, value, cors);
    }

    /**
     * The same for other origins.
     *
     * @param value see the field
     * @return a copy
     */
    public SiteRules withCors(List<CorsRule> value) {
        return new SiteRules(trySuffixes, types, nosniff, headersAlways, hosts, rangesMax, withheld, value);
    }
}
