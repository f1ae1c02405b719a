// SPDX-License-Identifier: Apache-2.0
package io.mely.bench.load;

import io.mely.bench.paper.Cycles;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/**
 * What the server computes: {@code /fast/NUMBER} and {@code /slow/NUMBER} answer with the number and the result of some cycles of work, so that who
 * asked can check both.
 *
 * @param slowCycles of a slow request
 */
record SlowService(int slowCycles) {
    static final String FAST = "/fast/";
    static final String SLOW = "/slow/";

    /** Some 0.1 us: enough to have a result. */
    private static final int FAST_CYCLES = 300;

    private static final int RADIX = 16;

    /** What {@link #answer} computes. */
    long result(boolean isSlow, int number) {
        return Cycles.burn(number, isSlow ? slowCycles : FAST_CYCLES);
    }

    /** Does the work of a request. 404 for another path. */
    FullHttpResponse answer(String path) {
        boolean isSlow = path.startsWith(SLOW);
        if (!isSlow && !path.startsWith(FAST)) {
            return response(HttpResponseStatus.NOT_FOUND, "");
        }
        try {
            int number = Integer.parseInt(path.substring(FAST.length()));
            return response(HttpResponseStatus.OK, number + ":" + Long.toString(result(isSlow, number), RADIX));
        } catch (NumberFormatException e) {
            return response(HttpResponseStatus.NOT_FOUND, "");
        }
    }

    /** The answer of a server that cannot take a request. */
    static FullHttpResponse refusal() {
        return response(HttpResponseStatus.SERVICE_UNAVAILABLE, "");
    }

    private static FullHttpResponse response(HttpResponseStatus status, String body) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, status, Unpooled.copiedBuffer(body, StandardCharsets.ISO_8859_1));
        response.headers()
                .setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
        return response;
    }

    /** The number in a body; -1 if there is none. */
    static int numberOf(String body) {
        int colon = body.indexOf(':');
        return colon < 1 ? -1 : Integer.parseInt(body.substring(0, colon));
    }

    /** The result in a body that has a number. */
    static long resultOf(String body) {
        return Long.parseLong(body.substring(body.indexOf(':') + 1), RADIX);
    }
}
