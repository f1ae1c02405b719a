// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.conformance;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Compares a 200 or 206 with the file, part by part. */
final class RangeCheck {
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes ([0-9]{1,9})-([0-9]{1,9})/([0-9]{1,9})");
    private static final Pattern BOUNDARY = Pattern.compile("multipart/byteranges; *boundary=\"?([^\"; ]{1,70})\"?");

    private RangeCheck() {}

    /** Null if every byte is where it says it is. */
    static @Nullable String check(Reply reply, String target) {
        byte[] content = TestSite.content(target);
        if (content == null) {
            throw new IllegalArgumentException("ranges must be of a file of the site: " + target);
        }
        if (reply.status() == 200) {
            return Arrays.equals(reply.body(), content) ? null : "not the whole file";
        }
        if (reply.status() != 206) {
            return null;
        }
        Matcher boundary = BOUNDARY.matcher(reply.value("Content-Type"));
        return boundary.matches()
                ? checkParts(reply, boundary.group(1), content)
                : checkPart(reply.value("Content-Range"), reply.body(), content);
    }

    private static @Nullable String checkPart(String contentRange, byte[] body, byte[] content) {
        Matcher range = CONTENT_RANGE.matcher(contentRange);
        if (!range.matches()) {
            return "Content-Range: " + Wire.cut(contentRange);
        }
        int first = Integer.parseInt(range.group(1));
        int end = Integer.parseInt(range.group(2)) + 1;
        if (first >= end || end > content.length || Integer.parseInt(range.group(3)) != content.length) {
            return "Content-Range: " + contentRange;
        }
        return Arrays.equals(body, Arrays.copyOfRange(content, first, end)) ? null : "other bytes than " + contentRange;
    }

    private static @Nullable String checkParts(Reply reply, String boundary, byte[] content) {
        if (reply.has("Content-Range")) {
            return "Content-Range beside multipart"; // RFC 9110 15.3.7.2
        }
        String rest = "\r\n" + reply.text();
        String delimiter = "\r\n--" + boundary;
        int at = rest.indexOf(delimiter);
        while (at >= 0) {
            at += delimiter.length();
            if (rest.startsWith("--", at)) {
                return null;
            }
            int next = rest.indexOf(delimiter, at);
            int headEnd = rest.indexOf("\r\n\r\n", at);
            if (next < 0 || headEnd < 0 || headEnd > next) {
                return "a part without its head or end";
            }
            String contentRange = "";
            for (String line : rest.substring(at, headEnd).split("\r\n", -1)) {
                if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-range:")) {
                    contentRange = line.substring(14).strip();
                }
            }
            byte[] part = rest.substring(headEnd + 4, next).getBytes(StandardCharsets.ISO_8859_1);
            String failure = checkPart(contentRange, part, content);
            if (failure != null) {
                return failure;
            }
            at = next;
        }
        return "multipart without its end";
    }
}
