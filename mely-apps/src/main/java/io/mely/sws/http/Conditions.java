// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decides conditional requests for one file: its strong entity tag and its date of change against the If-... fields. A field
 * that came twice decides nothing, and still keeps the date field that it overrides from deciding.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> Linear in the fields; a date is only parsed if it is not the very text that
 * was sent as Last-Modified. <b>Source.</b> RFC 9110 13.1, 13.2.2 (precedence).
 */
public final class Conditions {
    private final byte[] entityTag;
    private final byte[] lastModified;
    private final long lastModifiedS;

    /**
     * Makes the conditions of one state of a file.
     *
     * @param entityTag with its quotes
     * @param lastModifiedS seconds since 1970
     */
    public Conditions(String entityTag, long lastModifiedS) {
        this.entityTag = entityTag.getBytes(StandardCharsets.US_ASCII);
        this.lastModifiedS = lastModifiedS;
        lastModified = HttpDate.format(lastModifiedS).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Evaluates a GET or HEAD.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @param head its fields
     * @return 200, 304 or 412
     */
    public int evaluate(byte[] bytes, int start, RequestHead head) {
        if (!head.ifMatch.isAbsent()) {
            if (head.ifMatch.isUsable() && !isListed(bytes, start, head.ifMatch, true)) {
                return Status.PRECONDITION_FAILED;
            }
        } else if (head.ifUnmodifiedSince.isUsable()) {
            long since = date(bytes, start, head.ifUnmodifiedSince);
            if (since != HttpDate.INVALID && lastModifiedS > since) {
                return Status.PRECONDITION_FAILED;
            }
        }
        if (!head.ifNoneMatch.isAbsent()) {
            boolean isListed = head.ifNoneMatch.isUsable() && isListed(bytes, start, head.ifNoneMatch, false);
            return isListed ? Status.NOT_MODIFIED : Status.OK;
        }
        if (head.ifModifiedSince.isUsable()) {
            long since = date(bytes, start, head.ifModifiedSince);
            return since != HttpDate.INVALID && lastModifiedS <= since ? Status.NOT_MODIFIED : Status.OK;
        }
        return Status.OK;
    }

    /**
     * Finds the one range that a GET is to be answered with, after {@link #evaluate} said 200.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @param head its fields
     * @param size of the file, in bytes
     * @return null if the whole file is to be sent
     */
    public @Nullable ByteRange range(byte[] bytes, int start, RequestHead head, long size) {
        if (!head.range.isUsable() || !isRangeCurrent(bytes, start, head.ifRange)) {
            return null;
        }
        return ByteRange.parse(bytes, start + head.range.start(), start + head.range.end(), size);
    }

    /** RFC 9110 13.1.5: the tag compares strongly, the date exactly. */
    private boolean isRangeCurrent(byte[] bytes, int start, RequestHead.FieldRange ifRange) {
        if (ifRange.isAbsent()) {
            return true;
        }
        if (!ifRange.isUsable()) {
            return false;
        }
        int from = start + ifRange.start();
        int end = start + ifRange.end();
        return Arrays.equals(bytes, from, end, entityTag, 0, entityTag.length)
                || date(bytes, start, ifRange) == lastModifiedS;
    }

    private long date(byte[] bytes, int start, RequestHead.FieldRange range) {
        int from = start + range.start();
        int end = start + range.end();
        if (Arrays.equals(bytes, from, end, lastModified, 0, lastModified.length)) {
            return lastModifiedS;
        }
        return HttpDate.parse(bytes, from, end);
    }

    /**
     * Looks for the tag in {@code "*" / 1#entity-tag}. A malformed list matches nothing from the fault on.
     *
     * @param isStrong true: a weak tag never matches (If-Match); false: W/ is ignored (If-None-Match)
     */
    private boolean isListed(byte[] bytes, int start, RequestHead.FieldRange range, boolean isStrong) {
        int i = start + range.start();
        int end = start + range.end();
        if (end - i == 1 && bytes[i] == '*') {
            return true;
        }
        while (i < end) {
            byte b = bytes[i];
            if (b == ' ' || b == '\t' || b == ',') {
                i++;
                continue;
            }
            boolean isWeak = b == 'W' && end - i > 2 && bytes[i + 1] == '/';
            int tag = isWeak ? i + 2 : i;
            if (bytes[tag] != '"') {
                return false;
            }
            int close = tag + 1;
            while (close < end && bytes[close] != '"') {
                close++;
            }
            if (close == end) {
                return false;
            }
            boolean isSame = Arrays.equals(bytes, tag, close + 1, entityTag, 0, entityTag.length);
            if (isSame && !(isWeak && isStrong)) {
                return true;
            }
            i = close + 1;
        }
        return false;
    }
}
