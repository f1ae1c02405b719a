// SPDX-License-Identifier: Apache-2.0
package io.mely.sws.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The responses that say no, made once: a short page with the status and nothing of the request in it.
 *
 * <p><b>Threads.</b> Any; immutable.
 */
public final class ErrorResponses {
    /** How long a client that was refused for lack of room should wait, in seconds: a guess. */
    static final int RETRY_AFTER_S = 1;

    private final Map<Integer, PreparedResponse> byStatus;

    /**
     * Makes all of them.
     *
     * @param serverName value of the Server field; empty = none
     */
    public ErrorResponses(String serverName) {
        byStatus = IntStream.of(
                        Status.BAD_REQUEST,
                        Status.FORBIDDEN,
                        Status.NOT_FOUND,
                        Status.METHOD_NOT_ALLOWED,
                        Status.REQUEST_TIMEOUT,
                        Status.PRECONDITION_FAILED,
                        Status.CONTENT_TOO_LARGE,
                        Status.URI_TOO_LONG,
                        Status.EXPECTATION_FAILED,
                        Status.MISDIRECTED_REQUEST,
                        Status.HEADER_FIELDS_TOO_LARGE,
                        Status.INTERNAL_SERVER_ERROR,
                        Status.NOT_IMPLEMENTED,
                        Status.SERVICE_UNAVAILABLE,
                        Status.VERSION_NOT_SUPPORTED)
                .boxed()
                .collect(Collectors.toUnmodifiableMap(Function.identity(), status -> page(status, serverName)));
    }

    /**
     * The response of a status.
     *
     * @param status 400 to 505, one of {@link Status}
     * @return always the same one
     * @throws IllegalArgumentException if this server has no such response
     */
    public PreparedResponse of(int status) {
        PreparedResponse response = byStatus.get(status);
        if (response == null) {
            throw new IllegalArgumentException("status must have an error page: status=" + status);
        }
        return response;
    }

    private static PreparedResponse page(int status, String serverName) {
        String title = status + " " + Status.reason(status);
        byte[] body = ("<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>" + title + "</title></head>\n<body><h1>"
                        + title + "</h1></body>\n</html>\n")
                .getBytes(StandardCharsets.US_ASCII);
        ResponseHead head = new ResponseHead(status, serverName)
                .field("Content-Type", "text/html; charset=utf-8")
                .length(body.length)
                .field("X-Content-Type-Options", "nosniff");
        if (status == Status.METHOD_NOT_ALLOWED) {
            head.field("Allow", Method.ALLOWED);
        }
        if (status == Status.SERVICE_UNAVAILABLE) {
            head.field("Retry-After", Integer.toString(RETRY_AFTER_S));
        }
        return PreparedResponse.onHeap(status, head, body);
    }
}
