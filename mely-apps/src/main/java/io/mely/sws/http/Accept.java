// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/**
 * What an Accept field says of a media type. The most specific range that it names counts; what is malformed is passed over.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Linear; nothing allocated. <b>Units.</b> Weights in thousandths. <b>Source.</b> RFC 9110 12.4.2, 12.5.1.
 */
final class Accept {
    private static final int UNSEEN = Preferences.UNSEEN;
    private static final int WEIGHT_MAX = 1000;

    private Accept() {}

    /** Whether a page would be welcome; it is if nothing is said. */
    static boolean takesHtml(byte[] bytes, int start, RequestHead.FieldRange lines) {
        if (lines.isAbsent()) {
            return true;
        }
        int weight = html(bytes, start, lines);
        return (weight == UNSEEN ? weightOf(bytes, start, lines, "*/*") : weight) > 0;
    }

    /** Whether JSON is asked for by its name, and no page is by its own with as much weight. */
    static boolean prefersJson(byte[] bytes, int start, RequestHead.FieldRange lines) {
        int json = lines.isAbsent() ? UNSEEN : weightOf(bytes, start, lines, "application/json");
        return json > 0 && json > html(bytes, start, lines);
    }

    private static int html(byte[] bytes, int start, RequestHead.FieldRange lines) {
        int exact = weightOf(bytes, start, lines, "text/html");
        return exact == UNSEEN ? weightOf(bytes, start, lines, "text/*") : exact;
    }

    private static int weightOf(byte[] bytes, int start, RequestHead.FieldRange lines, String range) {
        return Preferences.weightOf(bytes, start, lines, range, Accept::weightIn);
    }

    /** Of {@code media-range *( OWS ";" OWS parameter )}, one of which may be the weight; negative if it is another range, or malformed. */
    private static int weightIn(byte[] bytes, int from, int end, String range) {
        int semicolon = semicolon(bytes, from, end);
        int nameStart = HttpBytes.skipBlanks(bytes, from, semicolon);
        int nameEnd = HttpBytes.trimBlanks(bytes, nameStart, semicolon);
        if (!HttpBytes.equalsIgnoreCase(bytes, nameStart, nameEnd, range)) {
            return UNSEEN;
        }
        while (semicolon < end) {
            int next = semicolon(bytes, semicolon + 1, end);
            int parameter = HttpBytes.skipBlanks(bytes, semicolon + 1, next);
            int parameterEnd = HttpBytes.trimBlanks(bytes, parameter, next);
            if (parameterEnd - parameter > 2 && HttpBytes.equalsIgnoreCase(bytes, parameter, parameter + 2, "q=")) {
                return AcceptEncoding.weight(bytes, parameter + 2, parameterEnd);
            }
            semicolon = next;
        }
        return WEIGHT_MAX;
    }

    private static int semicolon(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && bytes[i] != ';') {
            i++;
        }
        return i;
    }
}
