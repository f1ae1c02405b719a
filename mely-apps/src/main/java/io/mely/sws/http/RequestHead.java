// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a server of files needs to know of a request head. Filled by {@link HeadParser} and reused for the next request.
 *
 * <p><b>Threads.</b> One at a time. <b>Units.</b> Offsets in bytes from the head's first byte; a field that is absent has end 0.
 */
public final class RequestHead {
    /** How the body is delimited (RFC 9112 6.3). */
    public enum Body {
        /** There is none. */
        NONE,
        /** By Content-Length. */
        FIXED,
        /** By chunks. */
        CHUNKED,
        /** By the end of its stream (RFC 9113 8.1). */
        STREAM
    }

    Method method = Method.UNKNOWN;
    int pathStart;
    int pathEnd;
    int queryEnd;
    boolean isAsterisk;
    boolean isPathEncoded;
    int minorVersion;
    boolean isClose;
    boolean isKeepAlive;
    boolean expectsContinue;
    boolean hasUnknownExpectation;
    Body body = Body.NONE;
    long contentLength;
    final FieldRange ifMatch = new FieldRange();
    final FieldRange ifNoneMatch = new FieldRange();
    final FieldRange ifModifiedSince = new FieldRange();
    final FieldRange ifUnmodifiedSince = new FieldRange();
    boolean isConditional;
    final FieldRange range = new FieldRange();
    final FieldRange ifRange = new FieldRange();
    boolean hasRange;
    final FieldRange acceptEncoding = new FieldRange();
    final FieldRange accept = new FieldRange();
    final FieldRange referer = new FieldRange();
    final FieldRange userAgent = new FieldRange();
    final FieldRange host = new FieldRange();
    final FieldRange contentType = new FieldRange();
    final FieldRange contentEncoding = new FieldRange();
    boolean hasContentFields;
    boolean isLengthGiven;
    final FieldRange proxy = new FieldRange();
    final FieldRange authorization = new FieldRange();
    final FieldRange origin = new FieldRange();
    final FieldRange requestMethod = new FieldRange();
    final FieldRange requestHeaders = new FieldRange();

    RequestHead() {}

    void clear() {
        method = Method.UNKNOWN;
        pathStart = 0;
        pathEnd = 0;
        queryEnd = 0;
        isAsterisk = false;
        isPathEncoded = false;
        minorVersion = 0;
        isClose = false;
        isKeepAlive = false;
        expectsContinue = false;
        hasUnknownExpectation = false;
        body = Body.NONE;
        contentLength = 0;
        isLengthGiven = false;
        if (hasContentFields) {
            contentType.clear();
            contentEncoding.clear();
            hasContentFields = false;
        }
        if (isConditional) {
            ifMatch.clear();
            ifNoneMatch.clear();
            ifModifiedSince.clear();
            ifUnmodifiedSince.clear();
            isConditional = false;
        }
        clear(acceptEncoding);
        clear(accept);
        clear(referer);
        clear(userAgent);
        clear(host);
        clear(proxy);
        clear(authorization);
        clear(origin);
        clear(requestMethod);
        clear(requestHeaders);
        if (hasRange) {
            range.clear();
            ifRange.clear();
            hasRange = false;
        }
    }

    private static void clear(FieldRange field) {
        if (!field.isAbsent()) {
            field.clear();
        }
    }

    /**
     * Where the value of Referer begins.
     *
     * @return an offset
     */
    public int refererStart() {
        return referer.start();
    }

    /**
     * Where it ends.
     *
     * @return an offset; 0 if there is none, or nobody looked for it
     */
    public int refererEnd() {
        return referer.end();
    }

    /**
     * Where the value of User-Agent begins.
     *
     * @return an offset
     */
    public int userAgentStart() {
        return userAgent.start();
    }

    /**
     * Where it ends.
     *
     * @return an offset; 0 if there is none, or nobody looked for it
     */
    public int userAgentEnd() {
        return userAgent.end();
    }

    /**
     * Where the host and its port begin, in the target or in Host.
     *
     * @return an offset
     */
    public int hostStart() {
        return host.start();
    }

    /**
     * Where they end.
     *
     * @return an offset; 0 if the request names none
     */
    public int hostEnd() {
        return host.end();
    }

    /**
     * The method.
     *
     * @return UNKNOWN until the request line has been read
     */
    public Method method() {
        return method;
    }

    /**
     * Where the path begins, with its slash.
     *
     * @return an offset
     */
    public int pathStart() {
        return pathStart;
    }

    /**
     * Where the path ends.
     *
     * @return an offset; equal to {@link #pathStart()} if the target has no path
     */
    public int pathEnd() {
        return pathEnd;
    }

    /**
     * Where the target ends; from {@link #pathEnd()} to here is the query with its question mark.
     *
     * @return an offset
     */
    public int queryEnd() {
        return queryEnd;
    }

    /**
     * Tells whether the target is "*" (OPTIONS only).
     *
     * @return true for the asterisk form
     */
    public boolean isAsterisk() {
        return isAsterisk;
    }

    /**
     * Tells whether the path has a percent sign.
     *
     * @return false if the bytes of the path stand for themselves
     */
    public boolean isPathEncoded() {
        return isPathEncoded;
    }

    /**
     * Tells whether the client speaks HTTP/1.0.
     *
     * @return true for 1.0, false for 1.1 and later minor versions
     */
    public boolean isHttp10() {
        return minorVersion == 0;
    }

    /**
     * Tells whether the client wants the connection kept (RFC 9112 9.3).
     *
     * @return false if it must be closed after the response
     */
    public boolean isPersistent() {
        return !isClose && (minorVersion > 0 || isKeepAlive);
    }

    /**
     * Tells whether the client waits for a 100 before it sends the body.
     *
     * @return true if a 100 is in order
     */
    public boolean expectsContinue() {
        return expectsContinue && minorVersion > 0;
    }

    /**
     * Tells whether there is an expectation other than 100-continue: 417.
     *
     * @return true if one was read
     */
    public boolean hasUnknownExpectation() {
        return hasUnknownExpectation;
    }

    /**
     * How the body is delimited.
     *
     * @return NONE if there is none, or one of length 0
     */
    public Body body() {
        return body;
    }

    /**
     * The length of a FIXED body.
     *
     * @return bytes
     */
    public long contentLength() {
        return contentLength;
    }

    /**
     * Tells whether the request says how long its body is.
     *
     * @return true also for a length of 0, and for chunks
     */
    public boolean isLengthGiven() {
        return isLengthGiven;
    }

    /**
     * The value of Content-Type.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @return empty if there is none or more than one, or it was not looked for
     */
    public String contentType(byte[] bytes, int start) {
        return text(contentType, bytes, start);
    }

    /**
     * The value of Content-Encoding.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @return empty if there is none, or it was not looked for; "?" if there are several lines of it
     */
    public String contentEncoding(byte[] bytes, int start) {
        return contentEncoding.next() == null ? text(contentEncoding, bytes, start) : "?";
    }

    private static String text(FieldRange field, byte[] bytes, int start) {
        return field.isUsable()
                ? new String(bytes, start + field.start(), field.end() - field.start(), StandardCharsets.ISO_8859_1)
                : "";
    }

    /**
     * Tells whether any of the If-... fields is there.
     *
     * @return false for an ordinary request
     */
    public boolean isConditional() {
        return isConditional;
    }

    /**
     * Tells whether Range or If-Range is there.
     *
     * @return false for an ordinary request
     */
    public boolean hasRange() {
        return hasRange;
    }

    /**
     * Chooses between the codings that a file is stored in (RFC 9110 12.5.3).
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @param available bits of the codings
     * @return null if the file is to be sent as it is
     */
    public @Nullable Coding coding(byte[] bytes, int start, int available) {
        return acceptEncoding.isAbsent() ? null : AcceptEncoding.choose(bytes, start, acceptEncoding, available);
    }

    /**
     * Tells whether the client takes a page (RFC 9110 12.5.1).
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @return true also if it says nothing, or Accept was not looked for
     */
    public boolean takesHtml(byte[] bytes, int start) {
        return Accept.takesHtml(bytes, start, accept);
    }

    /**
     * Tells whether the client would rather have JSON than a page.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @return false also if it says nothing, or Accept was not looked for
     */
    public boolean prefersJson(byte[] bytes, int start) {
        return Accept.prefersJson(bytes, start, accept);
    }

    /**
     * The value of Authorization.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @return empty if there is none or more than one
     */
    public String authorization(byte[] bytes, int start) {
        return text(authorization, bytes, start);
    }

    /**
     * Tells whether a page of some origin asks.
     *
     * @return true if there is one field Origin
     */
    public boolean hasOrigin() {
        return origin.isUsable();
    }

    /**
     * The origin of the page that asks.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @return empty if there is none or more than one
     */
    public String origin(byte[] bytes, int start) {
        return text(origin, bytes, start);
    }

    /**
     * Tells whether a request is announced (Fetch, section 3.2.2).
     *
     * @return true if there is Access-Control-Request-Method
     */
    public boolean hasRequestMethod() {
        return !requestMethod.isAbsent();
    }

    /**
     * The fields that the announced request is going to have.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @return names; empty if there are none, or more than one line of them
     */
    public String requestHeaders(byte[] bytes, int start) {
        return text(requestHeaders, bytes, start);
    }

    /**
     * Tells whether a proxy has named the client.
     *
     * @return false also if that was not looked for
     */
    public boolean hasProxyField() {
        return !proxy.isAbsent();
    }

    /**
     * What a proxy has named the client in.
     *
     * @param bytes holds the head
     * @param start index of its first byte
     * @return its lines, joined by commas
     */
    public String proxyField(byte[] bytes, int start) {
        StringBuilder value = new StringBuilder();
        for (FieldRange line = proxy; line != null; line = line.next()) {
            value.append(value.length() == 0 ? "" : ",")
                    .append(new String(
                            bytes, start + line.start(), line.end() - line.start(), StandardCharsets.ISO_8859_1));
        }
        return value.toString();
    }

    /** Where the value of a field stands. */
    static final class FieldRange {
        private int start;
        private int end;

        /** The next line of the same name; nobody sends any, so none is kept for reuse. */
        private @Nullable FieldRange next;

        /** The last of them, so that a head of many lines takes no more time for each than a short one. */
        private FieldRange last = this;

        void set(int newStart, int newEnd) {
            if (end == 0) {
                start = newStart;
                end = newEnd;
                return;
            }
            FieldRange added = new FieldRange();
            added.set(newStart, newEnd);
            last.next = added;
            last = added;
        }

        void clear() {
            start = 0;
            end = 0;
            next = null;
            last = this;
        }

        /** Null behind the last line. */
        @Nullable
        FieldRange next() {
            return next;
        }

        boolean isAbsent() {
            return end == 0;
        }

        /** There, and only once. */
        boolean isUsable() {
            return end != 0 && next == null;
        }

        int start() {
            return start;
        }

        int end() {
            return end;
        }
    }
}
