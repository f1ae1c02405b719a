// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.HeaderRule;
import io.mely.sws.http.ResponseHead;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Adds the configured fields to the heads of a file. All rules that match count; of several for one field the last does.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> A match of each rule, when a file is loaded.
 */
final class HeaderRules {
    private final List<HeaderRule> rules;

    HeaderRules(List<HeaderRule> rules) {
        this.rules = List.copyOf(rules);
    }

    /** The fields for one path. */
    Fields of(String path) {
        Map<String, HeaderRule> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (HeaderRule each : rules) {
            if (each.matches(path)) {
                byName.put(each.name(), each);
            }
        }
        return new Fields(List.copyOf(byName.values()));
    }

    /** Fields for one path, in the order of their names. */
    record Fields(Collection<HeaderRule> rules) {
        ResponseHead addTo(ResponseHead head) {
            for (HeaderRule rule : rules) {
                head.field(rule.name(), rule.value());
            }
            return head;
        }
    }
}
