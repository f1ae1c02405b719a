// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import org.jspecify.annotations.Nullable;

/**
 * Chooses between the codings of a file by an Accept-Encoding field. The highest weight wins; of equal ones the coding that
 * compresses best; the file as it is only if it has a higher weight than any. What is malformed is passed over.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Linear; nothing allocated. <b>Units.</b> Weights in thousandths. <b>Source.</b> RFC 9110 12.4.2, 12.5.3.
 */
final class AcceptEncoding {
    private static final int UNSEEN = Preferences.UNSEEN;
    private static final int MALFORMED = -2;
    private static final int WEIGHT_MAX = 1000;
    private static final Coding[] CODINGS = Coding.values();

    private AcceptEncoding() {}

    /**
     * Null if the file is to be sent as it is.
     *
     * @param lines all of the name
     * @param available bits of the codings that there are
     */
    static @Nullable Coding choose(byte[] bytes, int start, RequestHead.FieldRange lines, int available) {
        Coding best = null;
        int bestWeight = 0;
        int any = weightOf(bytes, start, lines, "*");
        for (Coding coding : CODINGS) {
            if ((available & coding.bit()) != 0) {
                int weight = weightOf(bytes, start, lines, coding.toString());
                if (weight == UNSEEN && coding == Coding.GZIP) {
                    weight = weightOf(bytes, start, lines, "x-gzip"); // RFC 9110 8.4.1.3
                }
                weight = weight == UNSEEN ? any : weight;
                if (weight > bestWeight) {
                    best = coding;
                    bestWeight = weight;
                }
            }
        }
        return weightOf(bytes, start, lines, "identity") > bestWeight ? null : best;
    }

    private static int weightOf(byte[] bytes, int start, RequestHead.FieldRange lines, String coding) {
        return Preferences.weightOf(bytes, start, lines, coding, AcceptEncoding::weightIn);
    }

    /** Of {@code codings [ OWS ";" OWS "q=" qvalue ]}; negative if it is another coding, or malformed. */
    private static int weightIn(byte[] bytes, int from, int end, String coding) {
        int semicolon = from;
        while (semicolon < end && bytes[semicolon] != ';') {
            semicolon++;
        }
        int nameStart = HttpBytes.skipBlanks(bytes, from, semicolon);
        int nameEnd = HttpBytes.trimBlanks(bytes, nameStart, semicolon);
        if (!HttpBytes.equalsIgnoreCase(bytes, nameStart, nameEnd, coding)) {
            return UNSEEN;
        }
        if (semicolon == end) {
            return WEIGHT_MAX;
        }
        int weightStart = HttpBytes.skipBlanks(bytes, semicolon + 1, end);
        int weightEnd = HttpBytes.trimBlanks(bytes, weightStart, end);
        if (weightEnd - weightStart < 3 || !HttpBytes.equalsIgnoreCase(bytes, weightStart, weightStart + 2, "q=")) {
            return MALFORMED;
        }
        return weight(bytes, weightStart + 2, weightEnd);
    }

    /** {@code ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )}. */
    static int weight(byte[] bytes, int from, int end) {
        boolean isDigit = bytes[from] == '0' || bytes[from] == '1';
        boolean hasPoint = end - from == 1 || bytes[from + 1] == '.';
        if (!isDigit || !hasPoint || end - from > 5) {
            return MALFORMED;
        }
        int weight = (bytes[from] - '0') * WEIGHT_MAX;
        int unit = WEIGHT_MAX / 10;
        for (int i = from + 2; i < end; i++, unit /= 10) {
            if (!HttpBytes.isDigit(bytes[i])) {
                return MALFORMED;
            }
            weight += (bytes[i] - '0') * unit;
        }
        return weight <= WEIGHT_MAX ? weight : MALFORMED;
    }
}
