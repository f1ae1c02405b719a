// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/** What a request asks for, as far as a server of static files has to tell methods apart (RFC 9110 9). */
public enum Method {
    /** Send the file. */
    GET,
    /** Send the head that GET would have. */
    HEAD,
    /** Say which methods there are. */
    OPTIONS,
    /** Asks for a tunnel, with a target of its own form; not offered: 405. */
    CONNECT,
    /** Any other registered method that this server does not offer: 405. */
    OTHER,
    /** A method nobody has heard of: 501. */
    UNKNOWN;

    /** The value of the Allow header field. */
    public static final String ALLOWED = "GET, HEAD, OPTIONS";

    /** Names are case-sensitive (RFC 9110 9.1). The caller has checked that it is a token. */
    static Method of(byte[] bytes, int from, int end) {
        return switch (end - from) {
            case 3 -> is(bytes, from, "GET") ? GET : is(bytes, from, "PUT") ? OTHER : UNKNOWN;
            case 4 -> is(bytes, from, "HEAD") ? HEAD : is(bytes, from, "POST") ? OTHER : UNKNOWN;
            case 5 -> is(bytes, from, "PATCH") || is(bytes, from, "TRACE") ? OTHER : UNKNOWN;
            case 6 -> is(bytes, from, "DELETE") ? OTHER : UNKNOWN;
            case 7 -> is(bytes, from, "OPTIONS") ? OPTIONS : is(bytes, from, "CONNECT") ? CONNECT : UNKNOWN;
            default -> UNKNOWN;
        };
    }

    private static boolean is(byte[] bytes, int from, String name) {
        return HttpBytes.equals(bytes, from, from + name.length(), name);
    }
}
