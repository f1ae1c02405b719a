// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import org.jspecify.annotations.Nullable;

/**
 * A part of a file that a Range field asks for; {@link ByteRanges} reads the field.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Units.</b> Bytes. <b>Source.</b> RFC 9110 14.1.2.
 *
 * @param first index of the first byte
 * @param end index behind the last byte; not above first if the file has none of what was asked for
 */
public record ByteRange(long first, long end) {
    private static final ByteRange NONE = new ByteRange(0, 0);

    /**
     * Tells whether there is anything to send.
     *
     * @return false if the file has nothing of it
     */
    boolean isSatisfiable() {
        return first < end;
    }

    /** One element of the list. Null if it is malformed, or the suffix of an empty file: then the whole field is ignored. */
    static @Nullable ByteRange parse(byte[] bytes, int from, int end, long size) {
        int dash = digitsEnd(bytes, from, end);
        if (dash == end || bytes[dash] != '-' || digitsEnd(bytes, dash + 1, end) != end) {
            return null;
        }
        boolean hasLast = dash + 1 < end;
        long last = hasLast ? number(bytes, dash + 1, end) : Long.MAX_VALUE;
        if (dash == from) {
            return hasLast ? suffix(last, size) : null;
        }
        long first = number(bytes, from, dash);
        if (last < first) {
            return null;
        }
        return first >= size ? NONE : new ByteRange(first, Math.min(last, size - 1) + 1);
    }

    /** Whether a part of both costs less than two. */
    boolean isNear(ByteRange other, long gapBytes) {
        return first - other.end <= gapBytes && other.first - end <= gapBytes;
    }

    ByteRange union(ByteRange other) {
        return new ByteRange(Math.min(first, other.first), Math.max(end, other.end));
    }

    long size() {
        return end - first;
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
