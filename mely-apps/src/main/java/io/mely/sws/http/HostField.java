// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/** Checks {@code uri-host [ ":" port ]} (RFC 9110 7.2, RFC 3986 3.2.2), in a Host field or an absolute-form target. */
final class HostField {
    private HostField() {}

    /**
     * Tells whether a server may take it for a host. An empty one is refused: no http URI has an empty host (RFC 9110 4.2.1).
     *
     * @param bytes holds the value
     * @param from its first byte
     * @param end after its last byte
     */
    static boolean isValid(byte[] bytes, int from, int end) {
        if (from == end) {
            return false;
        }
        int hostEnd = bytes[from] == '[' ? ipLiteralEnd(bytes, from, end) : regNameEnd(bytes, from, end);
        if (hostEnd <= from) {
            return false;
        }
        return hostEnd == end || (bytes[hostEnd] == ':' && isPort(bytes, hostEnd + 1, end));
    }

    private static int regNameEnd(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && HttpBytes.isRegName(bytes[i])) {
            if (bytes[i] == '%') {
                if (end - i < 3 || HttpBytes.hex(bytes[i + 1]) < 0 || HttpBytes.hex(bytes[i + 2]) < 0) {
                    return -1;
                }
                i += 2;
            }
            i++;
        }
        return i;
    }

    /** After the closing bracket, or -1. Checks the characters and the shape, not each group of the address. */
    private static int ipLiteralEnd(byte[] bytes, int from, int end) {
        int i = from + 1;
        int colons = 0;
        while (i < end && (HttpBytes.hex(bytes[i]) >= 0 || bytes[i] == ':' || bytes[i] == '.')) {
            colons += bytes[i] == ':' ? 1 : 0;
            i++;
        }
        return i < end && bytes[i] == ']' && colons >= 2 && colons <= 8 ? i + 1 : -1;
    }

    /** RFC 3986 allows an empty port. */
    private static boolean isPort(byte[] bytes, int from, int end) {
        int value = 0;
        for (int i = from; i < end; i++) {
            if (!HttpBytes.isDigit(bytes[i])) {
                return false;
            }
            value = value * 10 + bytes[i] - '0';
            if (value > 65_535) {
                return false;
            }
        }
        return true;
    }
}
