// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides conditional requests for one file: its strong entity tag and its date of change against the If-... fields. Lists of tags
 * may come in several lines (RFC 9110 5.3); a date or If-Range that came twice decides nothing.
 *
 * <p><b>Threads.</b> Any; immutable. <b>Costs.</b> Linear in the fields; a date is only parsed if it is not the very text that
 * was sent as Last-Modified. <b>Source.</b> RFC 9110 13.1, 13.2.2 (precedence).
 */
public final class Conditions {
    private static final int LISTED = 1;
    private static final int NOT_LISTED = 0;
    private static final int MALFORMED = -1;

    private final byte[] entityTag;
    private final byte[] lastModified;
    private final long lastModifiedS;
    private final boolean isDateTrue;
    private final boolean isDated;

    /**
     * Makes the conditions of a file whose date says nothing: it has none, and what asks by date is ignored (RFC 9110 13.1.3, 13.1.4).
     *
     * @param entityTag with its quotes
     * @return decides by the tag alone
     */
    public static Conditions undated(String entityTag) {
        return new Conditions(entityTag, 0, false, false);
    }

    /**
     * Makes the conditions of one state of a file.
     *
     * @param entityTag with its quotes
     * @param lastModifiedS seconds since 1970
     * @param isDateTrue false if that is not when the file was changed: the date of a file from the future
     */
    public Conditions(String entityTag, long lastModifiedS, boolean isDateTrue) {
        this(entityTag, lastModifiedS, isDateTrue, true);
    }

    private Conditions(String entityTag, long lastModifiedS, boolean isDateTrue, boolean isDated) {
        this.isDated = isDated;
        this.entityTag = entityTag.getBytes(StandardCharsets.US_ASCII);
        this.lastModifiedS = lastModifiedS;
        this.isDateTrue = isDateTrue;
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
            if (!isListed(bytes, start, head.ifMatch, true)) {
                return Status.PRECONDITION_FAILED;
            }
        } else if (isDated && head.ifUnmodifiedSince.isUsable()) {
            long since = date(bytes, start, head.ifUnmodifiedSince);
            if (since != HttpDate.INVALID && lastModifiedS > since) {
                return Status.PRECONDITION_FAILED;
            }
        }
        if (!head.ifNoneMatch.isAbsent()) {
            return isListed(bytes, start, head.ifNoneMatch, false) ? Status.NOT_MODIFIED : Status.OK;
        }
        if (isDated && head.ifModifiedSince.isUsable()) {
            long since = date(bytes, start, head.ifModifiedSince);
            return since != HttpDate.INVALID && lastModifiedS <= since ? Status.NOT_MODIFIED : Status.OK;
        }
        return Status.OK;
    }

    /**
     * Finds the ranges that a GET is to be answered with, after {@link #evaluate} said 200.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @param head its fields
     * @param size of the file, in bytes
     * @param nowS the Date of the response, seconds since 1970
     * @param rangesMax most in a list; of more none is taken
     * @return none for 416; null if the whole file is to be sent: also if it is empty, because some clients ask for a first part of every file
     */
    public @Nullable List<ByteRange> ranges(
            byte[] bytes, int start, RequestHead head, long size, long nowS, int rangesMax) {
        if (size == 0 || !head.range.isUsable() || !isRangeCurrent(bytes, start, head, nowS)) {
            return null;
        }
        return ByteRanges.parse(bytes, start + head.range.start(), start + head.range.end(), size, rangesMax);
    }

    /**
     * Tells whether If-Range is absent, or names this. RFC 9110 13.1.5: the tag compares strongly, the date exactly, and only if it is a strong validator (8.8.2.2): a file that was changed
     * in this very second may be changed once more in it.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @param head its fields
     * @param nowS the Date of the response, seconds since 1970
     * @return true if a part of this may be sent
     */
    public boolean isRangeCurrent(byte[] bytes, int start, RequestHead head, long nowS) {
        RequestHead.FieldRange ifRange = head.ifRange;
        if (ifRange.isAbsent()) {
            return true;
        }
        if (!ifRange.isUsable()) {
            return false;
        }
        int from = start + ifRange.start();
        int end = start + ifRange.end();
        if (Arrays.equals(bytes, from, end, entityTag, 0, entityTag.length)) {
            return true;
        }
        boolean isDateStrong = isDated && isDateTrue && nowS > lastModifiedS;
        return isDateStrong && date(bytes, start, ifRange) == lastModifiedS;
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
    private boolean isListed(byte[] bytes, int start, RequestHead.FieldRange lines, boolean isStrong) {
        int first = start + lines.start();
        if (lines.isUsable() && lines.end() - lines.start() == 1 && bytes[first] == '*') {
            return true;
        }
        int answer = NOT_LISTED;
        for (RequestHead.FieldRange line = lines; line != null && answer == NOT_LISTED; line = line.next()) {
            answer = findTag(bytes, start + line.start(), start + line.end(), isStrong);
        }
        return answer == LISTED;
    }

    private int findTag(byte[] bytes, int from, int end, boolean isStrong) {
        int i = from;
        while (i < end) {
            byte b = bytes[i];
            if (b == ' ' || b == '\t' || b == ',') {
                i++;
                continue;
            }
            boolean isWeak = b == 'W' && end - i > 2 && bytes[i + 1] == '/';
            int tag = isWeak ? i + 2 : i;
            if (bytes[tag] != '"') {
                return MALFORMED;
            }
            int close = tag + 1;
            while (close < end && bytes[close] != '"') {
                close++;
            }
            if (close == end) {
                return MALFORMED;
            }
            boolean isSame = Arrays.equals(bytes, tag, close + 1, entityTag, 0, entityTag.length);
            if (isSame && !(isWeak && isStrong)) {
                return LISTED;
            }
            i = close + 1;
        }
        return NOT_LISTED;
    }
}
