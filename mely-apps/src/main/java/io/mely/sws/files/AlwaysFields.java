// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.Cors;
import io.mely.sws.http.CorsRule;
import io.mely.sws.http.HeaderRule;
import io.mely.sws.http.PreparedResponse;
import io.mely.sws.http.RequestHead;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adds configured fields, and those of CORS, to answers that are made of no file: refusals, redirects, OPTIONS.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> A match of each rule and a copy of the answer.
 */
public final class AlwaysFields {
    private final HeaderRules rules;

    /**
     * Of some rules.
     *
     * @param rules of fields
     * @param cors what pages of other origins may read
     */
    public AlwaysFields(List<HeaderRule> rules, Cors cors) {
        this.rules = new HeaderRules(rules, cors);
    }

    /**
     * The answer with the fields for a path.
     *
     * @param response small
     * @param path decoded; empty if the request has none that can be read
     * @param head of the request
     * @param bytes holds it
     * @param start index of its first byte
     * @return a copy, or the same if there are none
     */
    public PreparedResponse addTo(PreparedResponse response, String path, RequestHead head, byte[] bytes, int start) {
        HeaderRules.Fields fields = rules.of(path);
        StringBuilder text = new StringBuilder();
        for (HeaderRule each : fields.rules()) {
            text.append(each.name()).append(": ").append(each.value()).append("\r\n");
        }
        text.append(new String(Cors.lines(fields.cors(), head, bytes, start), StandardCharsets.US_ASCII));
        PreparedResponse varying = fields.varied().isEmpty() ? response : response.varyingBy(fields.varied());
        return text.length() == 0 ? varying : varying.with(text.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * The rule of CORS for a path.
     *
     * @param path decoded
     * @return null if there is none
     */
    public @Nullable CorsRule corsOf(String path) {
        return rules.of(path).cors();
    }
}
