// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.files;

import io.mely.sws.http.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Brings the path of a request into its one canonical form, or refuses it. The result begins with a slash, has no empty, "."
 * or ".." segment, is valid UTF-8 without control characters and backslashes, and ends with a slash only if the request named
 * a folder. It can't name anything outside the root, whatever encoding tricks went in; links are another matter, for
 * {@link FileTree}.
 *
 * <p>Percent signs are decoded once, before segments are looked at: {@code %2e%2e%2f} is {@code ../},
 * {@code %252e} is a name with a percent sign. A ".." takes away the segment before it; one that would leave the root is refused.
 *
 * <p><b>Threads.</b> One at a time; each core has its own. <b>Costs.</b> Linear; no allocation.
 */
public final class RequestPath {
    private static final byte[] WELL_KNOWN = "/.well-known/".getBytes(StandardCharsets.US_ASCII);

    private byte[] bytes;
    private int length;
    private boolean isHidden;

    /**
     * Makes an empty one.
     *
     * @param bytesMax longest path
     */
    public RequestPath(int bytesMax) {
        bytes = new byte[bytesMax + 1];
    }

    /**
     * Takes a new path.
     *
     * @param source holds it
     * @param from its first byte, a slash; an empty path is "/"
     * @param end after its last byte
     * @return false if it is refused: 400
     */
    public boolean set(byte[] source, int from, int end) {
        length = 0;
        isHidden = false;
        if (bytes.length < end - from + 1) {
            bytes = new byte[end - from + 1];
        }
        return decode(source, from, end) && Utf8.isValid(bytes, 0, length) && canonicalize();
    }

    /** Percent-decodes into {@link #bytes}. */
    private boolean decode(byte[] source, int from, int end) {
        int to = 0;
        for (int i = from; i < end; i++) {
            int b = source[i] & 0xff;
            if (b == '%') {
                if (end - i < 3) {
                    return false;
                }
                int high = Character.digit(source[i + 1], 16);
                int low = Character.digit(source[i + 2], 16);
                if (high < 0 || low < 0) {
                    return false;
                }
                b = high << 4 | low;
                i += 2;
            }
            if (b < ' ' || b == 0x7f || b == '\\') {
                return false;
            }
            bytes[to++] = (byte) b;
        }
        if (to == 0) {
            bytes[to++] = '/';
        }
        length = to;
        return bytes[0] == '/';
    }

    /** Drops empty, "." and ".." segments in place; false for a ".." that would leave the root. */
    private boolean canonicalize() {
        int to = 0;
        int i = 0;
        while (i < length) {
            int start = i + 1; // bytes[i] is a slash
            int end = start;
            while (end < length && bytes[end] != '/') {
                end++;
            }
            int size = end - start;
            boolean isUp = size == 2 && bytes[start] == '.' && bytes[start + 1] == '.';
            boolean isDropped = isUp || size == 0 || (size == 1 && bytes[start] == '.');
            if (isUp) {
                if (to == 0) {
                    return false;
                }
                do {
                    to--;
                } while (bytes[to] != '/');
            }
            if (!isDropped) {
                bytes[to++] = '/';
                System.arraycopy(bytes, start, bytes, to, size);
                to += size;
            } else if (end == length) {
                bytes[to++] = '/';
            }
            i = end;
        }
        length = to;
        isHidden = hasHiddenName();
        return true;
    }

    private boolean hasHiddenName() {
        for (int i = startsWithWellKnown() ? WELL_KNOWN.length - 1 : 0; i < length - 1; i++) {
            if (bytes[i] == '/' && bytes[i + 1] == '.') {
                return true;
            }
        }
        return false;
    }

    /** RFC 8615's folder is there to be found. */
    private boolean startsWithWellKnown() {
        return length >= WELL_KNOWN.length
                && Arrays.equals(bytes, 0, WELL_KNOWN.length, WELL_KNOWN, 0, WELL_KNOWN.length);
    }

    /**
     * The path's bytes.
     *
     * @return valid up to {@link #length()}, until the next {@link #set}
     */
    public byte[] bytes() {
        return bytes;
    }

    /**
     * The path's length.
     *
     * @return bytes, &gt;= 1
     */
    public int length() {
        return length;
    }

    /**
     * Tells whether a segment begins with a dot, other than a leading /.well-known/.
     *
     * @return true for what is not served by default
     */
    public boolean isHidden() {
        return isHidden;
    }

    /**
     * Tells whether the request named a folder.
     *
     * @return true if the path ends with a slash
     */
    public boolean isFolder() {
        return bytes[length - 1] == '/';
    }

    /** The path as text. */
    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
