// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The responses that say no, made once: a short page with the status, or a configured one, and nothing of the request in it.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class ErrorResponses {
    /** How long a client that was refused for lack of room should wait, in seconds: a guess. A limited rate is one a second at least. */
    static final int RETRY_AFTER_S = 1;

    private static final Set<Integer> STATUSES = Set.of(
            Status.BAD_REQUEST,
            Status.UNAUTHORIZED,
            Status.FORBIDDEN,
            Status.NOT_FOUND,
            Status.METHOD_NOT_ALLOWED,
            Status.REQUEST_TIMEOUT,
            Status.PRECONDITION_FAILED,
            Status.CONTENT_TOO_LARGE,
            Status.URI_TOO_LONG,
            Status.EXPECTATION_FAILED,
            Status.MISDIRECTED_REQUEST,
            Status.TOO_MANY_REQUESTS,
            Status.HEADER_FIELDS_TOO_LARGE,
            Status.INTERNAL_SERVER_ERROR,
            Status.NOT_IMPLEMENTED,
            Status.SERVICE_UNAVAILABLE,
            Status.VERSION_NOT_SUPPORTED);

    private final Map<Integer, PreparedResponse> byStatus;
    private final PreparedResponse plainHttpToTls;

    /** A body of one's own. */
    public static final class Page {
        private final String contentType;
        private final byte[] body;

        /**
         * Makes one.
         *
         * @param contentType its type
         * @param body at most {@link ErrorPage#DOOR_BYTES_MAX}; not changed afterwards
         */
        public Page(String contentType, byte[] body) {
            this.contentType = contentType;
            this.body = body;
        }
    }

    /**
     * Makes all of them.
     *
     * @param fields what stands in every response
     */
    public ErrorResponses(ServerFields fields) {
        this(fields, Map.of());
    }

    /**
     * Makes all of them, some with bodies of one's own.
     *
     * @param fields what stands in every response
     * @param pages by status
     */
    public ErrorResponses(ServerFields fields, Map<Integer, Page> pages) {
        this(fields, pages, false);
    }

    /**
     * The same where it depends on Accept whether there is anything.
     *
     * @param fields what stands in every response
     * @param pages by status
     * @param isAcceptAsked whether another Accept may get a file in the place of a 404
     */
    public ErrorResponses(ServerFields fields, Map<Integer, Page> pages, boolean isAcceptAsked) {
        byStatus = STATUSES.stream()
                .collect(Collectors.toUnmodifiableMap(
                        Function.identity(),
                        status -> response(status, fields, pages.getOrDefault(status, page(status)), isAcceptAsked)));
        plainHttpToTls = response(
                Status.BAD_REQUEST,
                fields.withoutTls(),
                page(
                        Status.BAD_REQUEST,
                        "This port speaks HTTPS, and the request came by HTTP: use https:// in the address."),
                false);
    }

    /**
     * Tells whether there is a response of a status.
     *
     * @param status any number
     * @return true if {@link #of} has one
     */
    public static boolean isKnown(int status) {
        return STATUSES.contains(status);
    }

    /**
     * Length of the longest.
     *
     * @return bytes, without options
     */
    public int bytesMax() {
        return byStatus.values().stream()
                .mapToInt(response -> response.headBytes() + response.bodyBytes())
                .max()
                .orElse(0);
    }

    /**
     * The response of a status.
     *
     * @param status 400 to 505, one of {@link Status}, or {@link Status#PLAIN_HTTP_TO_TLS}
     * @return always the same one
     * @throws IllegalArgumentException if this server has no such response
     */
    public PreparedResponse of(int status) {
        PreparedResponse response = status == Status.PLAIN_HTTP_TO_TLS ? plainHttpToTls : byStatus.get(status);
        if (response == null) {
            throw new IllegalArgumentException("status must have an error page: status=" + status);
        }
        return response;
    }

    private static Page page(int status) {
        return page(status, "");
    }

    private static Page page(int status, String hint) {
        String title = status + " " + Status.reason(status);
        byte[] body = ("<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>" + title + "</title></head>\n<body><h1>"
                        + title + "</h1>" + (hint.isEmpty() ? "" : "<p>" + hint + "</p>") + "</body>\n</html>\n")
                .getBytes(StandardCharsets.US_ASCII);
        return new Page("text/html; charset=utf-8", body);
    }

    private static PreparedResponse response(int status, ServerFields fields, Page page, boolean isAcceptAsked) {
        ResponseHead head = responseHead(status, fields, page.contentType, page.body.length, isAcceptAsked);
        return PreparedResponse.onHeap(status, head, page.body);
    }

    /**
     * The head of an answer whose body is somewhere else.
     *
     * @param status one that has a page
     * @param fields what stands in every response
     * @param contentType of the body
     * @param bodyBytes its length
     * @param isAcceptAsked whether another Accept may get a file in the place of a 404
     * @return an answer without a body
     */
    public static PreparedResponse head(
            int status, ServerFields fields, String contentType, long bodyBytes, boolean isAcceptAsked) {
        return PreparedResponse.onHeap(
                status, responseHead(status, fields, contentType, bodyBytes, isAcceptAsked), new byte[0]);
    }

    private static ResponseHead responseHead(
            int status, ServerFields fields, String contentType, long bodyBytes, boolean isAcceptAsked) {
        ResponseHead head = new ResponseHead(status, fields)
                .field("Content-Type", contentType)
                .length(bodyBytes)
                .field("X-Content-Type-Options", "nosniff");
        if (status == Status.METHOD_NOT_ALLOWED) {
            head.field("Allow", Method.ALLOWED);
        }
        if (status == Status.NOT_FOUND && isAcceptAsked) {
            head.field("Vary", "Accept");
        }
        if (status == Status.SERVICE_UNAVAILABLE || status == Status.TOO_MANY_REQUESTS) {
            head.field("Retry-After", Integer.toString(RETRY_AFTER_S));
        }
        return head;
    }
}
