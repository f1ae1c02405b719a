// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.log;

import java.nio.charset.StandardCharsets;

/**
 * One line, in bytes. Whatever came from a client is escaped, so that it can neither end a line nor leave its quotes: in combined logs
 * {@code "}, {@code \} and all that is no printable ASCII as {@code \xHH}, which is nginx's way; in JSON as {@code \}{@code u00HH}, each byte
 * as the character of that number.
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> Linear; allocates once a second, for the time. <b>Bounds.</b> {@link #BYTES_MAX}: what
 * is longer than {@link #REQUEST_MAX} or {@link #FIELD_MAX} is cut.
 */
final class LogLine {
    /** Most bytes of a request line. */
    static final int REQUEST_MAX = 2_048;

    /** Most bytes of a field. */
    static final int FIELD_MAX = 1_024;

    private static final int ESCAPED_MAX = 6;

    static final int BYTES_MAX = (REQUEST_MAX + 2 * FIELD_MAX) * ESCAPED_MAX + 512;

    private static final byte[] HEX = ascii("0123456789abcdef");
    private static final int DIGITS_MAX = 19;

    private final LogFormat format;
    private final boolean isJson;
    private final byte[] bytes = new byte[BYTES_MAX];
    private final byte[] digits = new byte[DIGITS_MAX];
    private int length;
    private long second = Long.MIN_VALUE;
    private byte[] time = {};

    LogLine(LogFormat format) {
        this.format = format;
        isJson = format == LogFormat.JSON;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /**
     * Writes a line.
     *
     * @param client its address, printable
     * @param epochSecond seconds since 1970
     * @param in holds what the client sent
     * @param requestStart of the request line
     * @param requestEnd its end; the start if there is none
     * @param status of the answer
     * @param bodyBytes of the answer
     * @param refererStart of the field's value
     * @param refererEnd its end; 0 if there is none
     * @param agentStart of User-Agent
     * @param agentEnd its end; 0 if there is none
     */
    void write(
            byte[] client,
            long epochSecond,
            byte[] in,
            int requestStart,
            int requestEnd,
            int status,
            long bodyBytes,
            int refererStart,
            int refererEnd,
            int agentStart,
            int agentEnd) {
        if (epochSecond != second) {
            second = epochSecond;
            time = ascii(format.time(epochSecond));
        }
        length = 0;
        int lineEnd = Math.min(requestEnd, requestStart + REQUEST_MAX);
        int refererCut = Math.min(refererEnd, refererStart + FIELD_MAX);
        int agentCut = Math.min(agentEnd, agentStart + FIELD_MAX);
        if (isJson) {
            put(JSON_TIME).put(time).put(JSON_CLIENT).put(client).put(JSON_REQUEST);
            escape(in, requestStart, lineEnd).put(JSON_STATUS).number(status);
            put(JSON_BYTES).number(bodyBytes).put(JSON_REFERER);
            escape(in, refererStart, refererCut).put(JSON_AGENT);
            escape(in, agentStart, agentCut).put(JSON_END);
        } else {
            put(client).put(COMBINED_TIME).put(time).put(COMBINED_REQUEST);
            escapeOrDash(in, requestStart, lineEnd).put(COMBINED_STATUS).number(status);
            put(COMBINED_BYTES).number(bodyBytes).put(COMBINED_REFERER);
            escapeOrDash(in, refererStart, refererCut).put(COMBINED_AGENT);
            escapeOrDash(in, agentStart, agentCut).put(COMBINED_END);
        }
    }

    private static final byte[] JSON_TIME = ascii("{\"time\":\"");
    private static final byte[] JSON_CLIENT = ascii("\",\"client\":\"");
    private static final byte[] JSON_REQUEST = ascii("\",\"request\":\"");
    private static final byte[] JSON_STATUS = ascii("\",\"status\":");
    private static final byte[] JSON_BYTES = ascii(",\"bytes\":");
    private static final byte[] JSON_REFERER = ascii(",\"referer\":\"");
    private static final byte[] JSON_AGENT = ascii("\",\"agent\":\"");
    private static final byte[] JSON_END = ascii("\"}\n");
    private static final byte[] COMBINED_TIME = ascii(" - - [");
    private static final byte[] COMBINED_REQUEST = ascii("] \"");
    private static final byte[] COMBINED_STATUS = ascii("\" ");
    private static final byte[] COMBINED_BYTES = ascii(" ");
    private static final byte[] COMBINED_REFERER = ascii(" \"");
    private static final byte[] COMBINED_AGENT = ascii("\" \"");
    private static final byte[] COMBINED_END = ascii("\"\n");

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private LogLine put(byte[] text) {
        System.arraycopy(text, 0, bytes, length, text.length);
        length += text.length;
        return this;
    }

    private LogLine number(long value) {
        int from = DIGITS_MAX;
        long rest = value;
        do {
            digits[--from] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        System.arraycopy(digits, from, bytes, length, DIGITS_MAX - from);
        length += DIGITS_MAX - from;
        return this;
    }

    private LogLine escapeOrDash(byte[] in, int from, int end) {
        if (from >= end) {
            bytes[length++] = '-';
            return this;
        }
        return escape(in, from, end);
    }

    private LogLine escape(byte[] in, int from, int end) {
        int at = length;
        for (int i = from; i < end; i++) {
            byte b = in[i];
            if (b >= ' ' && b < 0x7f && b != '"' && b != '\\') {
                bytes[at++] = b;
            } else {
                bytes[at++] = '\\';
                bytes[at++] = (byte) (isJson ? 'u' : 'x');
                if (isJson) {
                    bytes[at++] = '0';
                    bytes[at++] = '0';
                }
                bytes[at++] = HEX[b >> 4 & 0xf];
                bytes[at++] = HEX[b & 0xf];
            }
        }
        length = at;
        return this;
    }
}
