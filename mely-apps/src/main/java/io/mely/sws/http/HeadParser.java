// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/**
 * Reads a request head line by line from a range of bytes, and goes on where it stopped when more have come. What it does not
 * like is refused with a status; where two readings are possible, it refuses, so that nobody in front of this server can read
 * the same bytes as another number of requests.
 *
 * <p>Stricter than the RFCs ask in: a bare line feed never ends a line (RFC 9112 2.2 lets a server take it), Content-Length
 * twice is refused even with equal values (6.3), and so is any Transfer-Encoding beside Content-Length (6.1).
 *
 * <p><b>Threads.</b> One at a time. <b>Costs.</b> Linear in the bytes, also if they come one by one; no allocation.
 * <b>Bounds.</b> {@link HeadLimits}. <b>Source.</b> RFC 9112 2-6.
 */
public final class HeadParser {
    /** The head is not complete; call again with more bytes. */
    public static final int NEED_MORE = 0;

    /** The head is complete. */
    public static final int DONE = 1;

    private static final int NOT_SEEN = -1;

    /** Where the path begins in a target that is not for this server. */
    private static final int MISDIRECTED = -2;

    private static final int VERSION_BYTES = 8;
    private static final int HTTP_BYTES = 4;

    /** Empty lines that may come before a request line; RFC 9112 2.2 asks for at least one. */
    private static final int EMPTY_LINES_MAX = 2;

    /** Longest method that is still a 501; nothing registered has more than 17 letters. */
    private static final int METHOD_BYTES_MAX = 32;

    private final HeadLimits limits;
    private final HeadFields wanted;
    private final RequestHead head = new RequestHead();

    private int lineStart;
    private int searched;
    private int emptyLines;
    private boolean hasRequestLine;
    private int fields;
    private int hosts;
    private long length = NOT_SEEN;
    private boolean isLengthSeen;
    private boolean isChunked;
    private boolean isEncodingSeen;
    private boolean isStream;
    private boolean isBodyOpen;

    /**
     * Makes a parser for one connection at a time.
     *
     * @param limits how long a head may be
     */
    public HeadParser(HeadLimits limits) {
        this(limits, HeadFields.NONE);
    }

    /**
     * The same, looking for more fields.
     *
     * @param limits how long a head may be
     * @param wanted what to look for
     */
    public HeadParser(HeadLimits limits, HeadFields wanted) {
        this.limits = limits;
        this.wanted = wanted;
    }

    /** Forgets the last head; the next byte given is the first of another. */
    public void reset() {
        head.clear();
        lineStart = 0;
        searched = 0;
        emptyLines = 0;
        hasRequestLine = false;
        fields = 0;
        hosts = 0;
        length = NOT_SEEN;
        isLengthSeen = false;
        isChunked = false;
        isEncodingSeen = false;
        isStream = false;
        isBodyOpen = false;
    }

    /**
     * The next head is that of a stream of HTTP/2, written down: it says so, and the connection, which is the stream, has no other.
     *
     * @param isOpen whether a body follows whose end is the stream's, unless the head says its length
     */
    public void expectStream(boolean isOpen) {
        isStream = true;
        isBodyOpen = isOpen;
    }

    /**
     * What was read.
     *
     * @return valid after {@link #DONE}, until {@link #reset()}; after a refusal method and version may be missing
     */
    public RequestHead head() {
        return head;
    }

    /**
     * The length of the head with its empty line.
     *
     * @return bytes; valid after {@link #DONE}
     */
    public int headBytes() {
        return lineStart;
    }

    /**
     * Reads on.
     *
     * @param bytes holds the head so far; what was given before must still be there, at the same distance from start
     * @param start index of the head's first byte
     * @param end index after the last byte received
     * @return {@link #NEED_MORE}, {@link #DONE}, or the status of a refusal, after which the connection must be closed
     */
    public int parse(byte[] bytes, int start, int end) {
        while (true) {
            int lineFeed = HttpBytes.indexOfLineFeed(bytes, start + searched, end);
            if (lineFeed < 0) {
                return parseNeedMore(bytes, start, end);
            }
            int next = lineFeed + 1 - start;
            if (next > limits.headBytesMax()) {
                return tooLong(next - 2);
            }
            int contentEnd = lineFeed - 1;
            int contentStart = start + lineStart;
            if (contentEnd < contentStart || bytes[contentEnd] != '\r') {
                return Status.BAD_REQUEST; // a bare line feed
            }
            int status;
            if (contentEnd == contentStart) {
                if (hasRequestLine) {
                    lineStart = next;
                    return parseEnd();
                }
                emptyLines++;
                status = emptyLines > EMPTY_LINES_MAX ? Status.BAD_REQUEST : 0;
            } else if (hasRequestLine) {
                status = parseField(bytes, start, contentStart, contentEnd);
            } else {
                status = parseRequestLine(bytes, start, contentStart, contentEnd);
            }
            if (status != 0) {
                return status;
            }
            lineStart = next;
            searched = next;
        }
    }

    /** An unfinished line is judged too: nobody should wait for a time-out who sent something that is no HTTP. */
    private int parseNeedMore(byte[] bytes, int start, int end) {
        int from = start + Math.max(searched, lineStart);
        int control = HttpBytes.indexOfControl(bytes, from, end);
        if (control >= 0 && (bytes[control] != '\r' || control + 1 < end)) {
            return Status.BAD_REQUEST;
        }
        // A carriage return at the very end is looked at again, together with what follows it.
        searched = control >= 0 ? control - start : end - start;
        if (end - start > limits.headBytesMax()
                || (!hasRequestLine && end - start - lineStart > limits.requestLineBytesMax() + 1)) {
            return tooLong(end - start);
        }
        return NEED_MORE;
    }

    private int tooLong(int headBytesSoFar) {
        boolean isRequestLine = !hasRequestLine && headBytesSoFar - lineStart > limits.requestLineBytesMax();
        return isRequestLine ? Status.URI_TOO_LONG : Status.HEADER_FIELDS_TOO_LARGE;
    }

    /** {@code method SP request-target SP HTTP-version} (RFC 9112 3), exactly one space each. */
    private int parseRequestLine(byte[] bytes, int start, int from, int end) {
        if (end - from > limits.requestLineBytesMax()) {
            return Status.URI_TOO_LONG;
        }
        int i = from;
        while (i < end && HttpBytes.isToken(bytes[i])) {
            i++;
        }
        if (i == from || i == end || bytes[i] != ' ' || i - from > METHOD_BYTES_MAX) {
            return Status.BAD_REQUEST;
        }
        head.method = Method.of(bytes, from, i);
        int targetStart = i + 1;
        int targetEnd = end - VERSION_BYTES - 1;
        if (targetEnd <= targetStart || bytes[targetEnd] != ' ') {
            return Status.BAD_REQUEST;
        }
        int status = parseVersion(bytes, targetEnd + 1);
        if (status == 0) {
            status = parseTarget(bytes, start, targetStart, targetEnd);
        }
        hasRequestLine = status == 0;
        return status;
    }

    /** A later minor version is served as 1.1 (RFC 9110 2.5), another major one refused; letters are case-sensitive. */
    private int parseVersion(byte[] bytes, int from) {
        if (!HttpBytes.equals(bytes, from, from + 5, "HTTP/")
                || !HttpBytes.isDigit(bytes[from + 5])
                || bytes[from + 6] != '.'
                || !HttpBytes.isDigit(bytes[from + 7])) {
            return Status.BAD_REQUEST;
        }
        if (isStream) {
            head.minorVersion = 1;
            head.isClose = true;
            return bytes[from + 5] == '2' ? 0 : Status.VERSION_NOT_SUPPORTED;
        }
        head.minorVersion = bytes[from + 7] - '0';
        return bytes[from + 5] == '1' ? 0 : Status.VERSION_NOT_SUPPORTED;
    }

    /** The four forms of RFC 9112 3.2. UTF-8 counts as if it were percent-encoded: some clients send it so. */
    private int parseTarget(byte[] bytes, int start, int from, int end) {
        int pathStart = from;
        if (bytes[from] != '/') {
            if (head.method == Method.OPTIONS && end - from == 1 && bytes[from] == '*') {
                head.isAsterisk = true;
                return 0;
            }
            pathStart = parseTargetAuthority(bytes, start, from, end);
            if (pathStart < 0) {
                return pathStart == MISDIRECTED ? Status.MISDIRECTED_REQUEST : Status.BAD_REQUEST;
            }
        }
        int pathEnd = -1;
        boolean isEncoded = false;
        boolean isAscii = true;
        for (int i = pathStart; i < end; i++) {
            byte b = bytes[i];
            isAscii &= b >= 0;
            if (b >= 0 && !HttpBytes.isTarget(b)) {
                return Status.BAD_REQUEST;
            }
            if (b == '?' && pathEnd < 0) {
                pathEnd = i;
            } else if (b == '%' && pathEnd < 0) {
                isEncoded = true;
            }
        }
        if (!isAscii && !Utf8.isValid(bytes, pathStart, end)) {
            return Status.BAD_REQUEST;
        }
        head.pathStart = pathStart - start;
        head.pathEnd = (pathEnd < 0 ? end : pathEnd) - start;
        head.queryEnd = end - start;
        head.isPathEncoded = isEncoded;
        return 0;
    }

    /**
     * Where the path begins in {@code http://host/path}, or in CONNECT's {@code host:port} (empty there); -1 if malformed. An https
     * target must not be answered by a server without TLS (RFC 9110 7.4).
     */
    private int parseTargetAuthority(byte[] bytes, int start, int from, int end) {
        if (head.method == Method.CONNECT) {
            return HostField.isValid(bytes, from, end) ? end : -1;
        }
        int scheme = from;
        while (scheme < end && bytes[scheme] != ':') {
            scheme++;
        }
        boolean isHttp = HttpBytes.equalsIgnoreCase(bytes, from, scheme, "http")
                || HttpBytes.equalsIgnoreCase(bytes, from, scheme, "https");
        if (!isHttp || end - scheme < 3 || bytes[scheme + 1] != '/' || bytes[scheme + 2] != '/') {
            return -1;
        }
        int authority = scheme + 3;
        int i = authority;
        while (i < end && bytes[i] != '/' && bytes[i] != '?') {
            i++;
        }
        if (!HostField.isValid(bytes, authority, i)) {
            return -1;
        }
        head.host.set(authority - start, i - start);
        return scheme - from == HTTP_BYTES || wanted.isSecure() ? i : MISDIRECTED;
    }

    /** {@code field-name ":" OWS field-value OWS} (RFC 9112 5). */
    private int parseField(byte[] bytes, int start, int from, int end) {
        int colon = from;
        while (colon < end && HttpBytes.isToken(bytes[colon])) {
            colon++;
        }
        // Also refuses a space before the colon and a folded line (5.1, 5.2).
        if (colon == from || colon == end || bytes[colon] != ':') {
            return Status.BAD_REQUEST;
        }
        if (++fields > limits.fieldCountMax()) {
            return Status.HEADER_FIELDS_TOO_LARGE;
        }
        int valueStart = colon + 1;
        int valueEnd = end;
        if (HttpBytes.indexOfControl(bytes, valueStart, valueEnd) >= 0) {
            return Status.BAD_REQUEST;
        }
        while (valueStart < valueEnd && isBlank(bytes[valueStart])) {
            valueStart++;
        }
        while (valueEnd > valueStart && isBlank(bytes[valueEnd - 1])) {
            valueEnd--;
        }
        return parseKnownField(bytes, start, from, colon, valueStart, valueEnd);
    }

    private int parseKnownField(byte[] bytes, int start, int from, int colon, int valueStart, int valueEnd) {
        return switch (colon - from) {
            case 4 -> isNamed(bytes, from, "host") ? parseHost(bytes, start, valueStart, valueEnd) : 0;
            case 5 -> isNamed(bytes, from, "range") ? range(head.range, start, valueStart, valueEnd) : 0;
            case 6 -> {
                if (wanted.hasAccept() && isNamed(bytes, from, "accept")) {
                    head.accept.set(valueStart - start, valueEnd - start);
                } else if (isNamed(bytes, from, "origin")) {
                    head.origin.set(valueStart - start, valueEnd - start);
                }
                yield isNamed(bytes, from, "expect") ? parseExpect(bytes, valueStart, valueEnd) : 0;
            }
            case 7 -> {
                if (wanted.hasLog() && isNamed(bytes, from, "referer")) {
                    head.referer.set(valueStart - start, valueEnd - start);
                }
                yield 0;
            }
            case 8 -> {
                if (isNamed(bytes, from, "if-match")) {
                    yield condition(head.ifMatch, start, valueStart, valueEnd);
                }
                yield isNamed(bytes, from, "if-range") ? range(head.ifRange, start, valueStart, valueEnd) : 0;
            }
            case 9 -> {
                if (!wanted.proxyField().isEmpty() && isNamed(bytes, from, colon, wanted.proxyField())) {
                    head.proxy.set(valueStart - start, valueEnd - start);
                }
                yield 0;
            }
            case 10 -> {
                if (wanted.hasLog() && isNamed(bytes, from, "user-agent")) {
                    head.userAgent.set(valueStart - start, valueEnd - start);
                }
                yield isNamed(bytes, from, "connection") ? parseConnection(bytes, valueStart, valueEnd) : 0;
            }
            case 12 -> {
                if (wanted.hasContent() && isNamed(bytes, from, "content-type")) {
                    content(head.contentType, start, valueStart, valueEnd);
                }
                yield 0;
            }
            case 13 -> {
                if (isNamed(bytes, from, "authorization")) {
                    head.authorization.set(valueStart - start, valueEnd - start);
                }
                yield isNamed(bytes, from, "if-none-match")
                        ? condition(head.ifNoneMatch, start, valueStart, valueEnd)
                        : 0;
            }
            case 14 -> isNamed(bytes, from, "content-length") ? parseContentLength(bytes, valueStart, valueEnd) : 0;
            case 15 -> {
                if (isNamed(bytes, from, "accept-encoding")) {
                    head.acceptEncoding.set(valueStart - start, valueEnd - start);
                } else if (!wanted.proxyField().isEmpty() && isNamed(bytes, from, colon, wanted.proxyField())) {
                    head.proxy.set(valueStart - start, valueEnd - start);
                }
                yield 0;
            }
            case 16 -> {
                if (wanted.hasContent() && isNamed(bytes, from, "content-encoding")) {
                    content(head.contentEncoding, start, valueStart, valueEnd);
                }
                yield 0;
            }
            case 17 -> {
                if (isNamed(bytes, from, "transfer-encoding")) {
                    yield parseTransferEncoding(bytes, valueStart, valueEnd);
                }
                yield isNamed(bytes, from, "if-modified-since")
                        ? condition(head.ifModifiedSince, start, valueStart, valueEnd)
                        : 0;
            }
            case 19 ->
                isNamed(bytes, from, "if-unmodified-since")
                        ? condition(head.ifUnmodifiedSince, start, valueStart, valueEnd)
                        : 0;
            case 29 -> {
                if (isNamed(bytes, from, "access-control-request-method")) {
                    head.requestMethod.set(valueStart - start, valueEnd - start);
                }
                yield 0;
            }
            case 30 -> {
                if (isNamed(bytes, from, "access-control-request-headers")) {
                    head.requestHeaders.set(valueStart - start, valueEnd - start);
                }
                yield 0;
            }
            default -> 0;
        };
    }

    private static boolean isNamed(byte[] bytes, int from, int end, String lower) {
        return HttpBytes.equalsIgnoreCase(bytes, from, end, lower);
    }

    private static boolean isNamed(byte[] bytes, int from, String lower) {
        return HttpBytes.equalsIgnoreCase(bytes, from, from + lower.length(), lower);
    }

    private int parseHost(byte[] bytes, int start, int from, int end) {
        hosts++;
        if (head.host.isAbsent()) { // else the target has it (RFC 9112 3.2.2)
            head.host.set(from - start, end - start);
        }
        return hosts > 1 || !HostField.isValid(bytes, from, end) ? Status.BAD_REQUEST : 0;
    }

    private int parseExpect(byte[] bytes, int from, int end) {
        boolean isContinue = HttpBytes.equalsIgnoreCase(bytes, from, end, "100-continue");
        head.expectsContinue |= isContinue;
        head.hasUnknownExpectation |= !isContinue;
        return 0;
    }

    private int condition(RequestHead.FieldRange range, int start, int valueStart, int valueEnd) {
        range.set(valueStart - start, valueEnd - start);
        head.isConditional = true;
        return 0;
    }

    private int range(RequestHead.FieldRange field, int start, int valueStart, int valueEnd) {
        field.set(valueStart - start, valueEnd - start);
        head.hasRange = true;
        return 0;
    }

    private void content(RequestHead.FieldRange field, int start, int valueStart, int valueEnd) {
        field.set(valueStart - start, valueEnd - start);
        head.hasContentFields = true;
    }

    /** A list of options, of which two matter; "close" wins (RFC 9112 9.6). */
    private int parseConnection(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end) {
            int optionStart = i;
            while (i < end && bytes[i] != ',') {
                i++;
            }
            int optionEnd = i;
            while (optionStart < optionEnd && isBlank(bytes[optionStart])) {
                optionStart++;
            }
            while (optionEnd > optionStart && isBlank(bytes[optionEnd - 1])) {
                optionEnd--;
            }
            head.isClose |= HttpBytes.equalsIgnoreCase(bytes, optionStart, optionEnd, "close");
            head.isKeepAlive |= HttpBytes.equalsIgnoreCase(bytes, optionStart, optionEnd, "keep-alive");
            i++;
        }
        return 0;
    }

    private int parseContentLength(byte[] bytes, int from, int end) {
        if (isLengthSeen || from == end) {
            return Status.BAD_REQUEST;
        }
        isLengthSeen = true;
        long value = 0;
        for (int i = from; i < end; i++) {
            if (!HttpBytes.isDigit(bytes[i])) {
                return Status.BAD_REQUEST;
            }
            int digit = bytes[i] - '0';
            if (value > (Long.MAX_VALUE - digit) / 10) {
                return Status.BAD_REQUEST;
            }
            value = value * 10 + digit;
        }
        length = value;
        return 0;
    }

    /** Only "chunked", once: other codings are 501 if chunked comes last, otherwise there is no framing (RFC 9112 6.1, 6.3). */
    private int parseTransferEncoding(byte[] bytes, int from, int end) {
        if (isEncodingSeen) {
            return Status.BAD_REQUEST;
        }
        isEncodingSeen = true;
        if (HttpBytes.equalsIgnoreCase(bytes, from, end, "chunked")) {
            isChunked = true;
            return 0;
        }
        int last = end;
        while (last > from && bytes[last - 1] != ',') {
            last--;
        }
        int lastStart = last;
        while (lastStart < end && isBlank(bytes[lastStart])) {
            lastStart++;
        }
        boolean isLastChunked = last > from && HttpBytes.equalsIgnoreCase(bytes, lastStart, end, "chunked");
        boolean isFirstChunked = HttpBytes.equalsIgnoreCase(bytes, from, Math.min(from + 7, end), "chunked");
        return isLastChunked && !isFirstChunked ? Status.NOT_IMPLEMENTED : Status.BAD_REQUEST;
    }

    /** What can only be judged when all fields are known. */
    private int parseEnd() {
        if (hosts == 0 && head.minorVersion > 0) {
            return Status.BAD_REQUEST; // RFC 9112 3.2
        }
        if (isEncodingSeen && (isLengthSeen || head.minorVersion == 0)) {
            return Status.BAD_REQUEST; // RFC 9112 6.1: this is how requests are smuggled
        }
        head.isLengthGiven = isLengthSeen || isChunked || isBodyOpen;
        if (isChunked) {
            head.body = RequestHead.Body.CHUNKED;
        } else if (isBodyOpen) {
            head.body = RequestHead.Body.STREAM;
        } else if (length > 0) {
            head.body = RequestHead.Body.FIXED;
            head.contentLength = length;
        }
        return DONE;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }
}
