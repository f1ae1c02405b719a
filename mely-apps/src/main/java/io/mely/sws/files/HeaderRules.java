// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.Cors;
import io.mely.sws.http.CorsRule;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.http.ResponseHead;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Adds the configured fields to the heads of a file, and those of CORS. All rules that match count; of several for one field the last does.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> A match of each rule, when a file is loaded.
 */
final class HeaderRules {
    private static final Pattern COMMA = Pattern.compile(",");

    private final List<HeaderRule> rules;
    private final Cors cors;

    HeaderRules(List<HeaderRule> rules, Cors cors) {
        this.rules = List.copyOf(rules);
        this.cors = cors;
    }

    /** The fields for one path. */
    Fields of(String path) {
        Map<String, HeaderRule> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (HeaderRule each : rules) {
            if (each.matches(path)) {
                byName.put(each.name(), each);
            }
        }
        CorsRule rule = cors.of(path);
        Cors.fields(rule).forEach(each -> byName.put(each.name(), each));
        HeaderRule vary = byName.remove("Vary");
        String varied = joined(vary == null ? "" : vary.value(), Cors.isVarying(rule) ? "Origin" : "");
        return new Fields(List.copyOf(byName.values()), varied, rule);
    }

    /** Two lists of names as one, in which each stands once. */
    private static String joined(String first, String second) {
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        return (first + "," + second)
                .transform(COMMA::splitAsStream)
                .map(String::strip)
                .filter(name -> !name.isEmpty() && names.add(name))
                .collect(Collectors.joining(", "));
    }

    /**
     * Fields for one path.
     *
     * @param rules in the order of their names, without Vary, of which an answer has one line
     * @param varied what the answers vary by; empty if by nothing
     * @param cors what holds there for pages of other origins; null if nothing does
     */
    record Fields(
            Collection<HeaderRule> rules,
            String varied,
            @Nullable CorsRule cors) {
        ResponseHead addTo(ResponseHead head) {
            for (HeaderRule rule : rules) {
                head.field(rule.name(), rule.value());
            }
            return head;
        }

        /** What the answers vary by, and what is given; empty if by nothing. */
        String vary(String others) {
            return joined(others, varied);
        }
    }
}
