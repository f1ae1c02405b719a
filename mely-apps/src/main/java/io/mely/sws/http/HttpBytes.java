// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Classes of bytes and searches on byte arrays, as HTTP defines them.
 *
 * <p><b>Threads.</b> Any. <b>Costs.</b> Searches look at eight bytes at a time.
 */
final class HttpBytes {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGHS = 0x8080_8080_8080_8080L;
    private static final long LINE_FEEDS = '\n' * ONES;
    private static final long SPACES = ' ' * ONES;
    private static final long DELETES = 0x7f * ONES;

    private static final byte TOKEN = 1;
    private static final byte TARGET = 2;
    private static final byte REG_NAME = 4;
    private static final byte[] CLASSES = new byte[256];

    static {
        String letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        set(letters + "!#$%&'*+-.^_`|~", TOKEN); // RFC 9110 5.6.2
        set(letters + "-._~!$&'()*+,;=%", REG_NAME); // RFC 3986 3.2.2, percent signs checked apart
        // RFC 3986 allows less; browsers send the rest unencoded and nginx takes it. '#' must never arrive.
        set(letters + "-._~!$&'()*+,;=%:@/?[]\"<>\\^`{|}", TARGET);
    }

    private HttpBytes() {}

    private static void set(String members, byte bit) {
        for (byte b : members.getBytes(StandardCharsets.US_ASCII)) {
            CLASSES[b] |= bit;
        }
    }

    static boolean isToken(byte b) {
        return (CLASSES[b & 0xff] & TOKEN) != 0;
    }

    static boolean isTarget(byte b) {
        return (CLASSES[b & 0xff] & TARGET) != 0;
    }

    static boolean isRegName(byte b) {
        return (CLASSES[b & 0xff] & REG_NAME) != 0;
    }

    static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    /**
     * The value of a hexadecimal digit.
     *
     * @return 0 to 15, or -1 if it is none
     */
    static int hex(byte b) {
        if (b >= '0' && b <= '9') {
            return b - '0';
        }
        int lower = b | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    /** The first byte that is no space or tab, or end. */
    static int skipBlanks(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && isBlank(bytes[i])) {
            i++;
        }
        return i;
    }

    /** The end without spaces and tabs before it. */
    static int trimBlanks(byte[] bytes, int from, int end) {
        int i = end;
        while (i > from && isBlank(bytes[i - 1])) {
            i--;
        }
        return i;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    /**
     * Finds the next line feed.
     *
     * @return its index, or -1
     */
    static int indexOfLineFeed(byte[] bytes, int from, int end) {
        int i = from;
        for (; i + 8 <= end; i += 8) {
            long found = zeroBytes((long) LONGS.get(bytes, i) ^ LINE_FEEDS);
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        for (; i < end; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    /**
     * Finds a control character other than the horizontal tab: what no field value may have (RFC 9110 5.5).
     *
     * @return its index, or -1
     */
    static int indexOfControl(byte[] bytes, int from, int end) {
        int i = from;
        for (; i + 8 <= end; i += 8) {
            long word = (long) LONGS.get(bytes, i);
            // Exact for the lowest hit and never misses one; borrow makes false hits above it only.
            long below = (word - SPACES) & ~word & HIGHS;
            if ((below | zeroBytes(word ^ DELETES)) != 0) {
                int hit = indexOfControlSlow(bytes, i, i + 8);
                if (hit >= 0) {
                    return hit;
                }
            }
        }
        return indexOfControlSlow(bytes, i, end);
    }

    private static int indexOfControlSlow(byte[] bytes, int from, int end) {
        for (int i = from; i < end; i++) {
            byte b = bytes[i];
            if ((b >= 0 && b < ' ' && b != '\t') || b == 0x7f) {
                return i;
            }
        }
        return -1;
    }

    /** The high bit of each zero byte; bits above the lowest one may be false. */
    private static long zeroBytes(long word) {
        return (word - ONES) & ~word & HIGHS;
    }

    /**
     * Compares with a lower-case text.
     *
     * @param lower ASCII letters in lower case, digits and hyphens
     */
    static boolean equalsIgnoreCase(byte[] bytes, int from, int end, String lower) {
        if (end - from != lower.length()) {
            return false;
        }
        for (int i = 0; i < lower.length(); i++) {
            byte b = bytes[from + i];
            int folded = b >= 'A' && b <= 'Z' ? b | 0x20 : b;
            if (folded != lower.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    static boolean equals(byte[] bytes, int from, int end, String text) {
        if (end - from != text.length()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (bytes[from + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
