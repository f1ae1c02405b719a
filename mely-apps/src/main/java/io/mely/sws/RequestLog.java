// SPDX-License-Identifier: Apache-2.0
package io.mely.sws;

import io.mely.sws.http.RequestHead;
import io.mely.sws.log.AccessLog;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;

/** Finds in a request what its line in the access log needs. */
final class RequestLog {
    private RequestLog() {}

    static void add(AccessLog.Seat log, Connection c, long epochSecond, Exchange exchange, int status, long bodyBytes) {
        byte[] in = exchange.in();
        RequestHead head = exchange.parser.head();
        int start = exchange.start;
        int line = lineStart(in, start, exchange.end);
        log.add(
                address(c),
                epochSecond,
                in,
                line,
                lineEnd(in, Math.max(line, start + head.queryEnd()), exchange.end),
                status,
                bodyBytes,
                start + head.refererStart(),
                start + head.refererEnd(),
                start + head.userAgentStart(),
                start + head.userAgentEnd());
    }

    private static byte[] address(Connection c) {
        byte[] address = c.address;
        if (address == null) {
            address = NetUtil.toAddressString(c.socket.remoteAddress().getAddress())
                    .getBytes(StandardCharsets.US_ASCII);
            c.address = address;
        }
        return address;
    }

    /** Behind empty lines (RFC 9112 2.2). */
    private static int lineStart(byte[] in, int start, int end) {
        int i = start;
        while (i < end && (in[i] == '\r' || in[i] == '\n')) {
            i++;
        }
        return i;
    }

    /**
     * From somewhere in the request line on, as the target has been looked at if it was parsed. Of a request that was refused: whatever stands
     * before the first line end, or all that has come.
     */
    private static int lineEnd(byte[] in, int start, int end) {
        int i = start;
        while (i < end && in[i] != '\r' && in[i] != '\n') {
            i++;
        }
        return i;
    }
}
