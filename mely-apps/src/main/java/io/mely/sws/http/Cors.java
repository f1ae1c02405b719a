// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the rules of a site say to pages of other origins. Of several rules that match a path the last counts.
 *
 * <p>Where any origin may read, that stands in every answer. Where only some may, every answer varies by Origin, and the line that allows it is added for those who may.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Source.</b> Fetch, section 3.2.
 */
public final class Cors {
    /** What a response with the lines of {@link #lines} and the field Vary has more, at most. */
    public static final int BYTES_MAX = 2 << 10;

    /** No rules. */
    public static final Cors NONE = new Cors(List.of());

    private static final byte[] NOTHING = {};

    /** Longest list of fields that a preflight is told it may send. */
    private static final int REQUEST_HEADERS_MAX = 1 << 10;

    private static final Pattern NAMES =
            Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+([ \t]*,[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+)*");

    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
    private static final String EXPOSE_HEADERS = "Access-Control-Expose-Headers";

    private static final List<HeaderRule> FOR_ANY =
            List.of(new HeaderRule("**", ALLOW_ORIGIN, "*"), new HeaderRule("**", EXPOSE_HEADERS, "*"));

    private static final Set<String> OWN = Set.of(
            "access-control-allow-credentials",
            "access-control-allow-headers",
            "access-control-allow-methods",
            "access-control-allow-origin",
            "access-control-expose-headers",
            "access-control-max-age");

    /** Where a star is a star only (with credentials): what readers of ranges and caches need. */
    private static final String EXPOSED = "Accept-Ranges, Content-Encoding, Content-Range, ETag";

    /** How long a browser may remember the answer, in seconds: the most that Chromium does. */
    private static final int MAX_AGE_S = 7200;

    private final List<CorsRule> rules;

    /**
     * Of some rules.
     *
     * @param rules in their order
     */
    public Cors(List<CorsRule> rules) {
        this.rules = List.copyOf(rules);
    }

    /**
     * Tells whether there are rules.
     *
     * @return false if no answer gets anything from here
     */
    public boolean isOn() {
        return !rules.isEmpty();
    }

    /**
     * The rule for a path.
     *
     * @param path decoded
     * @return null if there is none
     */
    public @Nullable CorsRule of(String path) {
        CorsRule last = null;
        for (CorsRule each : rules) {
            last = each.matches(path) ? each : last;
        }
        return last;
    }

    /**
     * What all clients are told.
     *
     * @param rule for the path
     * @return fields
     */
    public static List<HeaderRule> fields(@Nullable CorsRule rule) {
        return rule != null && rule.isForAny() ? FOR_ANY : List.of();
    }

    /**
     * Tells whether a field of one's own would stand beside one of these.
     *
     * @param field of an answer
     * @return true if it is one that rules of CORS set
     */
    public static boolean isOwn(HeaderRule field) {
        return OWN.contains(field.name().toLowerCase(Locale.ROOT));
    }

    /**
     * What a path's answers vary by.
     *
     * @param rule for the path
     * @return true if they depend on Origin
     */
    public static boolean isVarying(@Nullable CorsRule rule) {
        return rule != null && rule.isBySender();
    }

    /**
     * What only the client is told whose request this is, beyond {@link #fields}.
     *
     * @param rule for the path
     * @param head of the request
     * @param bytes holds it
     * @param start index of its first byte
     * @return lines with their ends; empty if there is nothing to tell
     */
    public static byte[] lines(@Nullable CorsRule rule, RequestHead head, byte[] bytes, int start) {
        if (rule == null || !head.hasOrigin()) {
            return NOTHING;
        }
        String origin = head.origin(bytes, start);
        boolean isAllowed = rule.isBySender() && origin.length() <= CorsRule.ORIGIN_BYTES_MAX && rule.allows(origin);
        if (!isAllowed && !rule.isForAny()) {
            return NOTHING;
        }
        StringBuilder lines = new StringBuilder();
        if (isAllowed) {
            add(lines, ALLOW_ORIGIN, origin);
            add(lines, EXPOSE_HEADERS, rule.isWithCredentials() ? EXPOSED : "*");
            if (rule.isWithCredentials()) {
                add(lines, "Access-Control-Allow-Credentials", "true");
            }
        }
        if (head.method() == Method.OPTIONS && head.hasRequestMethod()) {
            addPreflight(lines, head.requestHeaders(bytes, start));
        }
        return lines.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Whatever fields it is going to send, none of them changes anything here. */
    private static void addPreflight(StringBuilder lines, String fields) {
        add(lines, "Access-Control-Allow-Methods", Method.ALLOWED);
        if (fields.length() <= REQUEST_HEADERS_MAX && NAMES.matcher(fields).matches()) {
            add(lines, "Access-Control-Allow-Headers", fields);
        }
        add(lines, "Access-Control-Max-Age", Integer.toString(MAX_AGE_S));
    }

    private static void add(StringBuilder lines, String name, String value) {
        lines.append(name).append(": ").append(value).append("\r\n");
    }
}
