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
    /** For an application; files have none: 405. */
    POST,
    /** For an application; files have none: 405. */
    PUT,
    /** For an application; files have none: 405. */
    PATCH,
    /** For an application; files have none: 405. */
    DELETE,
    /** Any other registered method; not offered: 405. */
    OTHER,
    /** A method nobody has heard of: 501. */
    UNKNOWN;

    /** The value of the Allow header field. */
    public static final String ALLOWED = "GET, HEAD, OPTIONS";

    /** Names are case-sensitive (RFC 9110 9.1). The caller has checked that it is a token. */
    static Method of(byte[] bytes, int from, int end) {
        return switch (end - from) {
            case 3 -> is(bytes, from, "GET") ? GET : is(bytes, from, "PUT") ? PUT : UNKNOWN;
            case 4 -> is(bytes, from, "HEAD") ? HEAD : is(bytes, from, "POST") ? POST : UNKNOWN;
            case 5 -> is(bytes, from, "PATCH") ? PATCH : is(bytes, from, "TRACE") ? OTHER : UNKNOWN;
            case 6 -> is(bytes, from, "DELETE") ? DELETE : UNKNOWN;
            case 7 -> is(bytes, from, "OPTIONS") ? OPTIONS : is(bytes, from, "CONNECT") ? CONNECT : UNKNOWN;
            default -> UNKNOWN;
        };
    }

    /**
     * Tells whether an application may take such requests, with their bodies.
     *
     * @return false for those that the server answers itself, and for GET and HEAD
     */
    public boolean mayHaveContent() {
        return this == POST || this == PUT || this == PATCH || this == DELETE;
    }

    private static boolean is(byte[] bytes, int from, String name) {
        return HttpBytes.equals(bytes, from, from + name.length(), name);
    }
}
