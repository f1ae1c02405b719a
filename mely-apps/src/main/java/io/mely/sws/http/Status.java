// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

/** The status codes this server answers (RFC 9110 15), as plain numbers, with their reason phrases. */
public final class Status {
    /** OK. */
    public static final int OK = 200;
    /** Created. */
    public static final int CREATED = 201;
    /** Accepted. */
    public static final int ACCEPTED = 202;
    /** No Content. */
    public static final int NO_CONTENT = 204;
    /** Partial Content. */
    public static final int PARTIAL_CONTENT = 206;
    /** Moved Permanently. */
    public static final int MOVED_PERMANENTLY = 301;
    /** Found. */
    public static final int FOUND = 302;
    /** See Other. */
    public static final int SEE_OTHER = 303;
    /** Not Modified. */
    public static final int NOT_MODIFIED = 304;
    /** Temporary Redirect. */
    public static final int TEMPORARY_REDIRECT = 307;
    /** Permanent Redirect. */
    public static final int PERMANENT_REDIRECT = 308;
    /** Bad Request. */
    public static final int BAD_REQUEST = 400;
    /** Unauthorized. */
    public static final int UNAUTHORIZED = 401;
    /** Forbidden. */
    public static final int FORBIDDEN = 403;
    /** Not Found. */
    public static final int NOT_FOUND = 404;
    /** Method Not Allowed. */
    public static final int METHOD_NOT_ALLOWED = 405;
    /** Request Timeout. */
    public static final int REQUEST_TIMEOUT = 408;
    /** Length Required. */
    public static final int LENGTH_REQUIRED = 411;
    /** Precondition Failed. */
    public static final int PRECONDITION_FAILED = 412;
    /** Content Too Large. */
    public static final int CONTENT_TOO_LARGE = 413;
    /** URI Too Long. */
    public static final int URI_TOO_LONG = 414;
    /** Unsupported Media Type. */
    public static final int UNSUPPORTED_MEDIA_TYPE = 415;
    /** Range Not Satisfiable. */
    public static final int RANGE_NOT_SATISFIABLE = 416;
    /** Expectation Failed. */
    public static final int EXPECTATION_FAILED = 417;
    /** Misdirected Request. */
    public static final int MISDIRECTED_REQUEST = 421;
    /** Unprocessable Content. */
    public static final int UNPROCESSABLE_CONTENT = 422;
    /** Too Many Requests (RFC 6585 4). */
    public static final int TOO_MANY_REQUESTS = 429;
    /** Request Header Fields Too Large. */
    public static final int HEADER_FIELDS_TOO_LARGE = 431;
    /** HTTP without TLS where TLS is spoken: a number for this server only, which a client sees as 400. */
    public static final int PLAIN_HTTP_TO_TLS = 497;
    /** Internal Server Error. */
    public static final int INTERNAL_SERVER_ERROR = 500;
    /** Not Implemented. */
    public static final int NOT_IMPLEMENTED = 501;
    /** Service Unavailable. */
    public static final int SERVICE_UNAVAILABLE = 503;
    /** HTTP Version Not Supported. */
    public static final int VERSION_NOT_SUPPORTED = 505;

    private Status() {}

    /**
     * The reason phrase.
     *
     * @param status one of the constants
     * @return words for people
     */
    public static String reason(int status) {
        return switch (status) {
            case OK -> "OK";
            case CREATED -> "Created";
            case ACCEPTED -> "Accepted";
            case NO_CONTENT -> "No Content";
            case PARTIAL_CONTENT -> "Partial Content";
            case MOVED_PERMANENTLY -> "Moved Permanently";
            case FOUND -> "Found";
            case SEE_OTHER -> "See Other";
            case NOT_MODIFIED -> "Not Modified";
            case TEMPORARY_REDIRECT -> "Temporary Redirect";
            case PERMANENT_REDIRECT -> "Permanent Redirect";
            case BAD_REQUEST -> "Bad Request";
            case UNAUTHORIZED -> "Unauthorized";
            case FORBIDDEN -> "Forbidden";
            case NOT_FOUND -> "Not Found";
            case METHOD_NOT_ALLOWED -> "Method Not Allowed";
            case REQUEST_TIMEOUT -> "Request Timeout";
            case LENGTH_REQUIRED -> "Length Required";
            case PRECONDITION_FAILED -> "Precondition Failed";
            case CONTENT_TOO_LARGE -> "Content Too Large";
            case URI_TOO_LONG -> "URI Too Long";
            case UNSUPPORTED_MEDIA_TYPE -> "Unsupported Media Type";
            case RANGE_NOT_SATISFIABLE -> "Range Not Satisfiable";
            case EXPECTATION_FAILED -> "Expectation Failed";
            case MISDIRECTED_REQUEST -> "Misdirected Request";
            case UNPROCESSABLE_CONTENT -> "Unprocessable Content";
            case TOO_MANY_REQUESTS -> "Too Many Requests";
            case HEADER_FIELDS_TOO_LARGE -> "Request Header Fields Too Large";
            case INTERNAL_SERVER_ERROR -> "Internal Server Error";
            case NOT_IMPLEMENTED -> "Not Implemented";
            case SERVICE_UNAVAILABLE -> "Service Unavailable";
            case VERSION_NOT_SUPPORTED -> "HTTP Version Not Supported";
            default -> throw new IllegalArgumentException("status must be one this server answers: status=" + status);
        };
    }
}
