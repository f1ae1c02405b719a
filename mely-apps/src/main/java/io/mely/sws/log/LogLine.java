// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Writes lines, in bytes, to where they are wanted. Whatever came from a client is escaped, so that it can neither end a line nor leave its
 * quotes: in combined logs {@code "}, {@code \} and all that is no printable ASCII as {@code \xHH}, which is nginx's way; in JSON as
 * {@code \}{@code u00HH}, each byte as the character of that number. Names of users stand between blanks in combined logs, so blanks are escaped there.
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> Linear, eight bytes at a time where nothing is escaped; allocates once a second, for the
 * time. <b>Bounds.</b> {@link #BYTES_MAX}: what is longer than {@link #REQUEST_MAX} or {@link #FIELD_MAX} is cut.
 */
final class LogLine {
    /** Most bytes of a request line. */
    static final int REQUEST_MAX = 2_048;

    /** Most bytes of a field. */
    static final int FIELD_MAX = 1_024;

    private static final int ESCAPED_MAX = 6;

    /** More than all that does not come from the client's request: names, quotes, its address, time and numbers. */
    private static final int FRAME_MAX = 512;

    static final int BYTES_MAX = (REQUEST_MAX + 3 * FIELD_MAX) * ESCAPED_MAX + FRAME_MAX;

    private static final byte[] HEX = ascii("0123456789abcdef");
    private static final int DIGITS_MAX = 19;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private final LogFormat format;
    private final boolean isJson;
    private final byte[] digits = new byte[DIGITS_MAX];
    private long second = Long.MIN_VALUE;

    /** The time, with what stands around it. */
    private byte[] time = {};

    /** Where a line is being written, and its end so far. */
    private byte[] out = {};

    private int at;

    LogLine(LogFormat format) {
        this.format = format;
        isJson = format == LogFormat.JSON;
    }

    /**
     * Room that a line needs at most.
     *
     * @param clientBytes of its address
     * @param userBytes of the name
     * @param requestBytes of the request line
     * @param refererBytes of the field's value
     * @param agentBytes of User-Agent
     */
    static int bytesMax(int clientBytes, int userBytes, int requestBytes, int refererBytes, int agentBytes) {
        int fields =
                Math.min(userBytes, FIELD_MAX) + Math.min(refererBytes, FIELD_MAX) + Math.min(agentBytes, FIELD_MAX);
        assert clientBytes < FRAME_MAX / 2 : clientBytes;
        return FRAME_MAX + ESCAPED_MAX * (Math.min(requestBytes, REQUEST_MAX) + fields);
    }

    /**
     * Writes a line.
     *
     * @param to with room for {@link #bytesMax}
     * @param index where it begins
     * @param client its address, printable
     * @param user name that the client gave; empty if there is none
     * @param epochSecond seconds since 1970
     * @param in holds what the client sent
     * @param requestStart of the request line
     * @param requestEnd its end; the start if there is none
     * @param status of the answer
     * @param bodyBytes of the answer
     * @param refererStart of the field's value
     * @param refererEnd its end; the start if there is none
     * @param agentStart of User-Agent
     * @param agentEnd its end; the start if there is none
     * @return its length
     */
    int write(
            byte[] to,
            int index,
            byte[] client,
            byte[] user,
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
            time = ascii(
                    isJson
                            ? "{\"time\":\"" + format.time(epochSecond) + "\",\"client\":\""
                            : " [" + format.time(epochSecond) + "] \"");
        }
        out = to;
        at = index;
        int lineEnd = Math.min(requestEnd, requestStart + REQUEST_MAX);
        int refererCut = Math.min(refererEnd, refererStart + FIELD_MAX);
        int agentCut = Math.min(agentEnd, agentStart + FIELD_MAX);
        if (isJson) {
            put(time).put(client).put(JSON_USER);
            escape(user, 0, Math.min(user.length, FIELD_MAX)).put(JSON_REQUEST);
            escape(in, requestStart, lineEnd).put(JSON_STATUS).number(status);
            put(JSON_BYTES).number(bodyBytes).put(JSON_REFERER);
            escape(in, refererStart, refererCut).put(JSON_AGENT);
            escape(in, agentStart, agentCut).put(JSON_END);
        } else {
            put(client).put(COMBINED_USER).user(user).put(time);
            escapeOrDash(in, requestStart, lineEnd).put(COMBINED_STATUS).number(status);
            put(COMBINED_BYTES).number(bodyBytes).put(COMBINED_REFERER);
            escapeOrDash(in, refererStart, refererCut).put(COMBINED_AGENT);
            escapeOrDash(in, agentStart, agentCut).put(COMBINED_END);
        }
        return at - index;
    }

    private static final byte[] JSON_USER = ascii("\",\"user\":\"");
    private static final byte[] JSON_REQUEST = ascii("\",\"request\":\"");
    private static final byte[] JSON_STATUS = ascii("\",\"status\":");
    private static final byte[] JSON_BYTES = ascii(",\"bytes\":");
    private static final byte[] JSON_REFERER = ascii(",\"referer\":\"");
    private static final byte[] JSON_AGENT = ascii("\",\"agent\":\"");
    private static final byte[] JSON_END = ascii("\"}\n");
    private static final byte[] COMBINED_USER = ascii(" - ");
    private static final byte[] BLANK = ascii("\\x20");
    private static final byte[] COMBINED_STATUS = ascii("\" ");
    private static final byte[] COMBINED_BYTES = ascii(" ");
    private static final byte[] COMBINED_REFERER = ascii(" \"");
    private static final byte[] COMBINED_AGENT = ascii("\" \"");
    private static final byte[] COMBINED_END = ascii("\"\n");

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private LogLine put(byte[] text) {
        System.arraycopy(text, 0, out, at, text.length);
        at += text.length;
        return this;
    }

    private LogLine number(long value) {
        int from = DIGITS_MAX;
        long rest = value;
        do {
            digits[--from] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        while (from < DIGITS_MAX) {
            out[at++] = digits[from++];
        }
        return this;
    }

    private LogLine user(byte[] name) {
        int end = Math.min(name.length, FIELD_MAX);
        int from = 0;
        for (int i = 0; i < end; i++) {
            if (name[i] == ' ') {
                escape(name, from, i).put(BLANK);
                from = i + 1;
            }
        }
        return end == 0 ? escapeOrDash(name, 0, 0) : escape(name, from, end);
    }

    private LogLine escapeOrDash(byte[] in, int from, int end) {
        if (from >= end) {
            out[at++] = '-';
            return this;
        }
        return escape(in, from, end);
    }

    private LogLine escape(byte[] in, int from, int end) {
        byte[] out = this.out;
        int at = this.at;
        int i = from;
        while (i < end) {
            if (end - i >= Long.BYTES) {
                long word = (long) WORD.get(in, i);
                if (isPlain(word)) {
                    WORD.set(out, at, word);
                    i += Long.BYTES;
                    at += Long.BYTES;
                    continue;
                }
            }
            byte b = in[i++];
            if (isPlain(b)) {
                out[at++] = b;
            } else {
                out[at++] = '\\';
                out[at++] = (byte) (isJson ? 'u' : 'x');
                if (isJson) {
                    out[at++] = '0';
                    out[at++] = '0';
                }
                out[at++] = HEX[b >> 4 & 0xf];
                out[at++] = HEX[b & 0xf];
            }
        }
        this.at = at;
        return this;
    }

    private static boolean isPlain(byte b) {
        return b >= ' ' && b < 0x7f && b != '"' && b != '\\';
    }

    /** Whether all eight bytes are plain: each term has a high bit where the first byte that is not has its own. */
    private static boolean isPlain(long word) {
        long belowSpace = word - ' ' * ONES;
        long delete = word + ONES;
        long quote = (word ^ '"' * ONES) - ONES;
        long backslash = (word ^ '\\' * ONES) - ONES;
        return ((word | belowSpace | delete | quote | backslash) & HIGH_BITS) == 0;
    }
}
