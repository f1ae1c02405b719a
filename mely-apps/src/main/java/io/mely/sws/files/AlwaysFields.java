// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.HeaderRule;
import io.mely.sws.http.PreparedResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Adds configured fields to answers that are made of no file: refusals, redirects, OPTIONS.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> A match of each rule and a copy of the answer.
 */
public final class AlwaysFields {
    private final HeaderRules rules;

    /**
     * Of some rules.
     *
     * @param rules at least one
     */
    public AlwaysFields(List<HeaderRule> rules) {
        this.rules = new HeaderRules(rules);
    }

    /**
     * The answer with the fields for a path.
     *
     * @param response small
     * @param path decoded; empty if the request has none that can be read
     * @return a copy, or the same if there are none
     */
    public PreparedResponse addTo(PreparedResponse response, String path) {
        StringBuilder lines = new StringBuilder();
        for (HeaderRule each : rules.of(path).rules()) {
            lines.append(each.name()).append(": ").append(each.value()).append("\r\n");
        }
        return lines.length() == 0 ? response : response.with(lines.toString().getBytes(StandardCharsets.US_ASCII));
    }
}
