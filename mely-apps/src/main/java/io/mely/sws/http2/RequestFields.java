// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http2;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a request, or its trailers, as they are decoded, checked by RFC 9113 8.2 and 8.3. Then it writes them as a head of HTTP/1.1 says them, for one parser to read
 * them all. What could be read otherwise there, such as a line end in a value, is malformed here.
 *
 * <p><b>Threads.</b> One at a time. <b>Bounds.</b> The decoder's; it adds no field beyond that.
 */
public final class RequestFields extends DefaultHttp2Headers {
    /** How long a body is going to be, if nobody says so. */
    public static final long NOT_GIVEN = -1;

    private static final Set<AsciiString> OF_CONNECTIONS = Set.of(
            AsciiString.cached("connection"),
            AsciiString.cached("keep-alive"),
            AsciiString.cached("proxy-connection"),
            AsciiString.cached("transfer-encoding"),
            AsciiString.cached("upgrade"));

    private static final AsciiString TE = AsciiString.cached("te");
    private static final AsciiString HOST = AsciiString.cached("host");
    private static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");
    private static final AsciiString COOKIE = AsciiString.cached("cookie");
    private static final AsciiString PRIORITY = AsciiString.cached("priority");
    private static final AsciiString CONNECT = AsciiString.cached("CONNECT");
    private static final AsciiString OPTIONS = AsciiString.cached("OPTIONS");
    private static final AsciiString HEAD = AsciiString.cached("HEAD");
    private static final AsciiString HTTPS = AsciiString.cached("https");
    private static final AsciiString HTTP = AsciiString.cached("http");
    private static final AsciiString VERSION = AsciiString.cached(" HTTP/2.0\r\n");
    private static final AsciiString HOST_IS = AsciiString.cached("host: ");

    /** More than any body has. */
    private static final int LENGTH_DIGITS_MAX = 18;

    private static final int FIELDS_AT_FIRST = 32;

    private AsciiString[] lines = new AsciiString[2 * FIELDS_AT_FIRST]; // names and values in turn
    private int used;
    private @Nullable AsciiString method;
    private @Nullable AsciiString scheme;
    private @Nullable AsciiString authority;
    private @Nullable AsciiString path;
    private @Nullable AsciiString host;
    private @Nullable AsciiString priority;
    private long length = NOT_GIVEN;
    private int cookieBytes; // with what is between them
    private boolean hasPseudo;
    private String fault = "";
    private boolean isTooLong;

    /** Makes one without fields. */
    RequestFields() {
        super(false);
    }

    /** Ready for the next block; keeps nothing of the last one. */
    void forget() {
        if (lines.length > 2 * FIELDS_AT_FIRST) {
            lines = new AsciiString[2 * FIELDS_AT_FIRST];
        } else {
            Arrays.fill(lines, 0, used, null);
        }
        used = 0;
        method = null;
        scheme = null;
        authority = null;
        path = null;
        host = null;
        priority = null;
        length = NOT_GIVEN;
        cookieBytes = 0;
        hasPseudo = false;
        fault = "";
        isTooLong = false;
    }

    /** The decoder has come to the end of the block, and this is not all of it. */
    void setTooLong() {
        isTooLong = true;
    }

    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
        AsciiString field = AsciiString.of(name);
        AsciiString text = AsciiString.of(value);
        if (!isValue(text)) {
            fail("the value of a field is malformed");
        } else if (field.isEmpty()) {
            fail("a field has no name");
        } else if (field.byteAt(0) == ':') {
            addPseudo(field, text);
        } else {
            addField(field, text);
        }
        return this;
    }

    private void fail(String why) {
        if (fault.isEmpty()) {
            fault = why;
        }
    }

    private void addPseudo(AsciiString name, AsciiString value) {
        hasPseudo = true;
        if (used > 0) {
            fail("a pseudo-field stands behind a field");
            return;
        }
        switch (name.toString()) {
            case ":method" -> method = once(method, value);
            case ":scheme" -> scheme = once(scheme, value);
            case ":authority" -> authority = once(authority, value);
            case ":path" -> path = once(path, value);
            default -> fail("unknown pseudo-field");
        }
    }

    private AsciiString once(@Nullable AsciiString before, AsciiString value) {
        if (before != null) {
            fail("a pseudo-field stands twice");
        }
        return value;
    }

    private void addField(AsciiString name, AsciiString value) {
        if (!isName(name)) {
            fail("the name of a field is malformed");
        } else if (OF_CONNECTIONS.contains(name)) {
            fail("a field of connections");
        } else if (name.contentEquals(TE)) {
            if (!value.contentEqualsIgnoreCase("trailers")) {
                fail("te is not trailers");
            }
        } else if (name.contentEquals(HOST)) {
            if (host != null && !host.contentEquals(value)) {
                fail("several hosts");
            }
            host = value;
        } else if (name.contentEquals(CONTENT_LENGTH)) {
            addLength(value);
        } else {
            if (name.contentEquals(PRIORITY)) {
                priority = value;
            } else if (name.contentEquals(COOKIE)) {
                cookieBytes += (cookieBytes == 0 ? 0 : 2) + value.length();
            }
            append(name, value);
            return;
        }
        append(name, AsciiString.EMPTY_STRING); // counts, and is written in another form or not at all
    }

    private void append(AsciiString name, AsciiString value) {
        if (used == lines.length) {
            lines = Arrays.copyOf(lines, 2 * used);
        }
        lines[used++] = name;
        lines[used++] = value;
    }

    private void addLength(AsciiString value) {
        long bytes = 0;
        boolean isNumber = !value.isEmpty() && value.length() <= LENGTH_DIGITS_MAX;
        for (int i = 0; isNumber && i < value.length(); i++) {
            int digit = value.byteAt(i) - '0';
            isNumber = digit >= 0 && digit <= 9;
            bytes = bytes * 10 + digit;
        }
        if (!isNumber || (length != NOT_GIVEN && length != bytes)) {
            fail("content-length is malformed");
        } else {
            length = bytes;
        }
    }

    /** No line end, no NUL, and no blank at either end (8.2.1). */
    private static boolean isValue(AsciiString value) {
        int end = value.length();
        if (end == 0) {
            return true;
        }
        for (int i = 0; i < end; i++) {
            byte b = value.byteAt(i);
            if (b == 0 || b == '\r' || b == '\n') {
                return false;
            }
        }
        return !isBlank(value.byteAt(0)) && !isBlank(value.byteAt(end - 1));
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    /** A token without capitals. */
    private static boolean isName(AsciiString name) {
        for (int i = 0; i < name.length(); i++) {
            byte b = name.byteAt(i);
            boolean isLetterOrDigit = (b >= 'a' && b <= 'z') || (b >= '0' && b <= '9');
            if (!isLetterOrDigit && "!#$%&'*+-.^_`|~".indexOf(b) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Judges a request; null if it is well-formed. */
    @Nullable
    String requestFault() {
        AsciiString method = this.method;
        AsciiString path = this.path;
        if (!fault.isEmpty()) {
            return fault;
        }
        if (method == null || !isMethod(method)) {
            return ":method is missing or malformed";
        }
        if (host != null && authority != null && !host.contentEqualsIgnoreCase(authority)) {
            return "host is not :authority";
        }
        if (method.contentEquals(CONNECT)) {
            return authority == null || scheme != null || path != null ? "a malformed CONNECT" : null;
        }
        if (scheme == null || scheme.isEmpty()) {
            return ":scheme is missing";
        }
        boolean isPath =
                path != null && (path.startsWith("/") || (method.contentEquals(OPTIONS) && path.contentEquals("*")));
        return isPath ? null : ":path is missing or malformed";
    }

    private static boolean isMethod(AsciiString method) {
        for (int i = 0; i < method.length(); i++) {
            byte b = method.byteAt(i);
            if (b <= ' ' || b >= 0x7f) {
                return false;
            }
        }
        return !method.isEmpty();
    }

    /** Judges trailers; null if they are well-formed. */
    @Nullable
    String trailersFault() {
        return fault.isEmpty() && hasPseudo ? "trailers have a pseudo-field" : fault.isEmpty() ? null : fault;
    }

    /**
     * What Content-Length says.
     *
     * @return bytes, or {@link #NOT_GIVEN}
     */
    public long contentLength() {
        return length;
    }

    /**
     * Whether the fields are more than the limit; then not all of them are here.
     *
     * @return true: to be answered 431
     */
    public boolean isTooLong() {
        return isTooLong;
    }

    /**
     * Whether the answer is to have no body.
     *
     * @return true for HEAD
     */
    public boolean isHead() {
        return method != null && method.contentEquals(HEAD);
    }

    /**
     * Whether :scheme is https.
     *
     * @return false for any other
     */
    public boolean isHttps() {
        return scheme != null && scheme.contentEqualsIgnoreCase(HTTPS);
    }

    /**
     * Whether :scheme is one that a web server knows; CONNECT has none.
     *
     * @return false for a strange one
     */
    public boolean isWeb() {
        return scheme == null || isHttps() || scheme.contentEqualsIgnoreCase(HTTP);
    }

    Priority priority() {
        return priority == null ? Priority.DEFAULT : Priority.parse(priority);
    }

    /**
     * Length of the head.
     *
     * @return bytes
     */
    public int headBytes() {
        int bytes = length(method) + 1 + length(target()) + VERSION.length() + 2;
        AsciiString named = named();
        if (named != null) {
            bytes += HOST_IS.length() + named.length() + 2;
        }
        for (int i = 0; i < used; i += 2) {
            bytes += isWritten(i) ? lines[i].length() + lines[i + 1].length() + 4 : 0;
        }
        if (cookieBytes > 0) {
            bytes += COOKIE.length() + 4 + cookieBytes;
        }
        if (length != NOT_GIVEN) {
            bytes += CONTENT_LENGTH.length() + 4 + Long.toString(length).length();
        }
        return bytes;
    }

    /** Those that were looked at by themselves are not. */
    private boolean isWritten(int line) {
        AsciiString name = lines[line];
        return !name.contentEquals(HOST)
                && !name.contentEquals(CONTENT_LENGTH)
                && !name.contentEquals(TE)
                && !name.contentEquals(COOKIE);
    }

    private @Nullable AsciiString target() {
        return path == null ? authority : path;
    }

    private @Nullable AsciiString named() {
        return authority == null ? host : authority;
    }

    private static int length(@Nullable AsciiString text) {
        return text == null ? 0 : text.length();
    }

    /**
     * Writes the head.
     *
     * @param to with room for {@link #headBytes}
     * @param from index of its first byte
     * @return index behind it
     */
    public int writeHead(byte[] to, int from) {
        int at = put(method, to, from);
        to[at++] = ' ';
        at = put(target(), to, at);
        at = put(VERSION, to, at);
        AsciiString named = named();
        if (named != null) {
            at = put(HOST_IS, to, at);
            at = end(to, put(named, to, at));
        }
        for (int i = 0; i < used; i += 2) {
            if (isWritten(i)) {
                at = field(lines[i], lines[i + 1], to, at);
            }
        }
        if (cookieBytes > 0) {
            at = cookies(to, at);
        }
        if (length != NOT_GIVEN) {
            at = field(CONTENT_LENGTH, new AsciiString(Long.toString(length)), to, at);
        }
        return end(to, at);
    }

    /** In one line, as HTTP/1.1 has them (RFC 9113 8.2.3). */
    private int cookies(byte[] to, int from) {
        int start = put(COOKIE, to, from) + 2;
        to[start - 2] = ':';
        to[start - 1] = ' ';
        int at = start;
        for (int i = 0; i < used; i += 2) {
            if (lines[i].contentEquals(COOKIE)) {
                if (at > start) {
                    to[at++] = ';';
                    to[at++] = ' ';
                }
                at = put(lines[i + 1], to, at);
            }
        }
        return end(to, at);
    }

    private static int field(AsciiString name, AsciiString value, byte[] to, int from) {
        int at = put(name, to, from);
        to[at++] = ':';
        to[at++] = ' ';
        return end(to, put(value, to, at));
    }

    private static int put(@Nullable AsciiString text, byte[] to, int at) {
        if (text == null) {
            return at;
        }
        System.arraycopy(text.array(), text.arrayOffset(), to, at, text.length());
        return at + text.length();
    }

    private static int end(byte[] to, int at) {
        to[at] = '\r';
        to[at + 1] = '\n';
        return at + 2;
    }
}
