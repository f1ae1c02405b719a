// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import java.nio.ByteBuffer;

/**
 * Finds the end of a response's head, its status, its length, and whether the server closes. Nothing else of HTTP: a response without
 * Content-Length is malformed here.
 *
 * <p><b>Threads.</b> One. <b>Costs.</b> Looks at eight bytes at a time for line ends; allocates nothing.
 */
final class ResponseParser {
    static final int INCOMPLETE = -1;
    static final int MALFORMED = -2;

    private static final long LINE_FEEDS = 0x0a0a0a0a0a0a0a0aL;
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final int STATUS_LINE_MIN = 12;
    private static final long LENGTH_MAX = 1L << 50;

    private static final byte[] LENGTH = lower("content-length:");
    private static final byte[] CONNECTION = lower("connection:");
    private static final byte[] ENCODING = lower("transfer-encoding:");
    private static final byte[] VERSION = lower("http/1.");
    private static final byte[] CLOSE = lower("close");

    private int status;
    private long contentLength;
    private boolean isClosing;

    private static byte[] lower(String text) {
        byte[] bytes = new byte[text.length()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) text.charAt(i);
        }
        return bytes;
    }

    int status() {
        return status;
    }

    long contentLength() {
        return contentLength;
    }

    boolean isClosing() {
        return isClosing;
    }

    /**
     * Reads a head.
     *
     * @param in little-endian
     * @param from its first byte
     * @param to behind what has arrived
     * @return the index behind the head, {@link #INCOMPLETE} or {@link #MALFORMED}
     */
    int parse(ByteBuffer in, int from, int to) {
        int end = lineFeed(in, from, to);
        if (end < 0) {
            return INCOMPLETE;
        }
        if (end - from < STATUS_LINE_MIN || !startsWith(in, from, end, VERSION) || !readStatus(in, from + 9)) {
            return MALFORMED;
        }
        contentLength = -1;
        isClosing = in.get(from + 7) == '0';
        int line = end + 1;
        while (true) {
            end = lineFeed(in, line, to);
            if (end < 0) {
                return INCOMPLETE;
            }
            if (end - line <= 1) {
                if (contentLength < 0 && !hasNoBody()) {
                    return MALFORMED;
                }
                contentLength = hasNoBody() ? 0 : contentLength;
                return end + 1;
            }
            if (!readField(in, line, end)) {
                return MALFORMED;
            }
            line = end + 1;
        }
    }

    private boolean hasNoBody() {
        return status == 204 || status == 304;
    }

    private boolean readStatus(ByteBuffer in, int at) {
        status = 0;
        for (int i = at; i < at + 3; i++) {
            int digit = in.get(i) - '0';
            if (digit < 0 || digit > 9) {
                return false;
            }
            status = status * 10 + digit;
        }
        return in.get(at - 1) == ' ';
    }

    private boolean readField(ByteBuffer in, int line, int end) {
        int first = in.get(line) | 0x20;
        if (first == 'c') {
            if (startsWith(in, line, end, LENGTH)) {
                return readLength(in, line + LENGTH.length, end);
            }
            if (startsWith(in, line, end, CONNECTION)) {
                int at = skipBlanks(in, line + CONNECTION.length, end);
                isClosing = startsWith(in, at, end, CLOSE);
            }
            return true;
        }
        return first != 't' || !startsWith(in, line, end, ENCODING);
    }

    private boolean readLength(ByteBuffer in, int from, int end) {
        long value = 0;
        int at = skipBlanks(in, from, end);
        int start = at;
        for (; at < end; at++) {
            int digit = in.get(at) - '0';
            if (digit < 0 || digit > 9) {
                break;
            }
            value = value * 10 + digit;
            if (value > LENGTH_MAX) {
                return false;
            }
        }
        boolean isWhole = at > start && (at == end || in.get(at) == '\r' || in.get(at) == ' ');
        boolean isOnly = contentLength < 0;
        contentLength = value;
        return isWhole && isOnly;
    }

    private static int skipBlanks(ByteBuffer in, int from, int end) {
        int at = from;
        while (at < end && in.get(at) == ' ') {
            at++;
        }
        return at;
    }

    /** Whether a word in small letters stands there, in whatever letters. */
    private static boolean startsWith(ByteBuffer in, int from, int end, byte[] word) {
        if (end - from < word.length) {
            return false;
        }
        for (int i = 0; i < word.length; i++) {
            int c = in.get(from + i);
            if (c != word[i] && (c | 0x20) != word[i]) {
                return false;
            }
        }
        return true;
    }

    private static int lineFeed(ByteBuffer in, int from, int to) {
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            long differences = in.getLong(at) ^ LINE_FEEDS;
            long zeros = (differences - ONES) & ~differences & HIGHS;
            if (zeros != 0) {
                return at + (Long.numberOfTrailingZeros(zeros) >>> 3);
            }
        }
        for (; at < to; at++) {
            if (in.get(at) == '\n') {
                return at;
            }
        }
        return -1;
    }
}
