// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a Range field: {@code bytes=} and a list of ranges, which become disjoint parts of the file in the order asked for.
 *
 * <p>Two ranges that overlap, touch, or lie nearer than a part's head is long become one (RFC 9110 15.3.7.2). The field is ignored, so that the
 * whole file is sent, if it is malformed, has another unit, asks for more ranges than are allowed, or if the parts would
 * take as many bytes as the file. So no request can make the server send more than the file and some heads (17.15).
 *
 * <p><b>Threads.</b> Any. <b>Source.</b> RFC 9110 14.1.2, 14.2.
 */
final class ByteRanges {
    /** About what the head of one part takes. */
    static final int PART_HEAD_BYTES = 100;

    private static final String UNIT = "bytes=";

    private ByteRanges() {}

    /** None for 416; null if the field is ignored. */
    static @Nullable List<ByteRange> parse(byte[] bytes, int from, int end, long size, int rangesMax) {
        int i = from + UNIT.length();
        if (end < i || !HttpBytes.equalsIgnoreCase(bytes, from, i, UNIT)) {
            return null;
        }
        List<ByteRange> parts = new ArrayList<>(1);
        int ranges = 0;
        while (i < end) {
            int comma = i;
            while (comma < end && bytes[comma] != ',') {
                comma++;
            }
            int first = HttpBytes.skipBlanks(bytes, i, comma);
            int last = HttpBytes.trimBlanks(bytes, first, comma);
            if (first < last) {
                ByteRange range = ByteRange.parse(bytes, first, last, size);
                if (range == null || ++ranges > rangesMax) {
                    return null;
                }
                if (range.isSatisfiable()) {
                    add(parts, range);
                }
            }
            i = comma + 1;
        }
        return ranges == 0 || isWorthless(parts, size) ? null : parts;
    }

    /** Merges what is near, where the first of it stood. */
    private static void add(List<ByteRange> parts, ByteRange range) {
        ByteRange merged = range;
        int at = parts.size();
        for (int i = 0; i < parts.size(); ) {
            ByteRange part = parts.get(i);
            if (part.isNear(merged, PART_HEAD_BYTES)) {
                merged = part.union(merged);
                parts.remove(i);
                at = Math.min(at, i);
                i = 0; // the larger one may be near to others
            } else {
                i++;
            }
        }
        parts.add(Math.min(at, parts.size()), merged);
    }

    private static boolean isWorthless(List<ByteRange> parts, long size) {
        if (parts.size() <= 1) {
            return false;
        }
        long sum = 0;
        for (ByteRange part : parts) {
            sum += part.size() + PART_HEAD_BYTES;
        }
        return sum >= size;
    }
}
