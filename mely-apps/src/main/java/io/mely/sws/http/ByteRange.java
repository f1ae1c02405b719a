// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import org.jspecify.annotations.Nullable;

/**
 * The part of a file that a Range field asks for. Only a single range is understood; a list is ignored, as RFC 9110 14.2 allows, so no
 * request can ask for more bytes than the file has.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Units.</b> Bytes. <b>Source.</b> RFC 9110 14.1.2.
 *
 * @param first index of the first byte
 * @param end index behind the last byte; not above first if the file has none of what was asked for
 */
public record ByteRange(long first, long end) {
    private static final int UNIT_BYTES = 6;
    private static final ByteRange NONE = new ByteRange(0, 0);

    /**
     * Tells whether there is anything to send.
     *
     * @return false for 416
     */
    public boolean isSatisfiable() {
        return first < end;
    }

    /** Null if the value is malformed, a list, in another unit, or the suffix of an empty file: then it is ignored. */
    static @Nullable ByteRange parse(byte[] bytes, int from, int end, long size) {
        int firstStart = from + UNIT_BYTES;
        if (end - from < UNIT_BYTES || !HttpBytes.equalsIgnoreCase(bytes, from, firstStart, "bytes=")) {
            return null;
        }
        int dash = digitsEnd(bytes, firstStart, end);
        if (dash == end || bytes[dash] != '-' || digitsEnd(bytes, dash + 1, end) != end) {
            return null;
        }
        boolean hasLast = dash + 1 < end;
        long last = hasLast ? number(bytes, dash + 1, end) : Long.MAX_VALUE;
        if (dash == firstStart) {
            return hasLast ? suffix(last, size) : null;
        }
        long first = number(bytes, firstStart, dash);
        if (last < first) {
            return null;
        }
        return first >= size ? NONE : new ByteRange(first, Math.min(last, size - 1) + 1);
    }

    private static @Nullable ByteRange suffix(long length, long size) {
        if (length == 0) {
            return NONE;
        }
        return size == 0 ? null : new ByteRange(Math.max(0, size - length), size);
    }

    private static int digitsEnd(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && HttpBytes.isDigit(bytes[i])) {
            i++;
        }
        return i;
    }

    /** More than a long holds is more than any file has. */
    private static long number(byte[] bytes, int from, int end) {
        long value = 0;
        for (int i = from; i < end; i++) {
            int digit = bytes[i] - '0';
            if (value > (Long.MAX_VALUE - digit) / 10) {
                return Long.MAX_VALUE;
            }
            value = value * 10 + digit;
        }
        return value;
    }
}
